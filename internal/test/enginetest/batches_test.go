package enginetest

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// byBatches is reverse search whose items are explored in any order, by explorers with programs of their
// own, up to bounds of which each is another one. Some are explored twice, and count once.
type byBatches struct {
	seed    uint64
	another func() trace.Program
}

func (byBatches) Name() string { return "batches" }

// Explore implements [trace.Engine].
func (e byBatches) Explore(_ trace.Program, visit func(*trace.Execution) bool) (stats trace.Stats, err error) {
	rnd := rand.New(rand.NewPCG(e.seed, 0))
	var explorers []*search.Explorer
	for range 3 {
		x := search.NewExplorer(e.another())
		defer x.Close()
		explorers = append(explorers, x)
	}
	all := []search.Batch{search.RootBatch()}
	for len(all) > 0 {
		i := rnd.IntN(len(all))
		b := all[i]
		all = slices.Delete(all, i, i+1)
		bound := int64(1 + rnd.IntN(5))
		if rnd.IntN(3) == 0 {
			if _, _, err := exploreBatch(explorers[rnd.IntN(3)], b, 1+rnd.Int64N(5), func(*trace.Execution) bool { return true }); err != nil {
				return stats, err
			}
		}
		refused := false
		left, s, err := exploreBatch(explorers[rnd.IntN(3)], b, bound, func(x *trace.Execution) bool {
			refused = !visit(x)
			return !refused
		})
		stats.Executions += s.Executions
		if err != nil || refused {
			return stats, err
		}
		if left == nil {
			continue
		}
		parts, err := left.Split(1 + rnd.IntN(4))
		if err != nil {
			return stats, err
		}
		all = append(all, parts...)
	}
	stats.Exhaustive = true
	return stats, nil
}

// exploreBatch explores so many executions of a batch.
func exploreBatch(e *search.Explorer, b search.Batch, bound int64, visit func(*trace.Execution) bool) (search.Batch, trace.Stats, error) {
	n := int64(0)
	return e.Explore(b, visit, func() bool { n++; return n < bound })
}

// TestBatches holds items that are explored anywhere, in any order, to what one search promises.
func TestBatches(t *testing.T) {
	judged := 0
	for i, p := range toytest.Programs(t, 1500) {
		all, err := oracle.Traces(toy.New(p), oracle.Limits{Executions: 300, Depth: 40})
		if errors.Is(err, oracle.ErrTooBig) || err == nil && len(all.Classes) < 4 {
			continue
		}
		if err != nil {
			t.Fatalf("program %d: %v\n%v", i, err, p)
		}
		judged++
		for seed := range uint64(3) {
			e := byBatches{seed, func() trace.Program { return toy.New(p) }}
			if err := Verify(e, Optimal, toy.New(p), toy.New(p), all); err != nil {
				t.Fatalf("program %d, seed %d: %v\n%v", i, seed, err, p)
			}
		}
	}
	t.Logf("%d programs have from 4 to 300 traces", judged)
}

// TestBatchesOrder explores a batch and what is left of it in order: that is the order of one search.
func TestBatchesOrder(t *testing.T) {
	for i, p := range toytest.Programs(t, 300) {
		want := schedules(t, func(visit func(*trace.Execution) bool) (trace.Stats, error) { return search.Reverse(toy.New(p), visit) })
		if len(want) < 3 {
			continue
		}
		e := search.NewExplorer(toy.New(p))
		got := schedules(t, func(visit func(*trace.Execution) bool) (stats trace.Stats, err error) {
			for queue := []search.Batch{search.RootBatch()}; len(queue) > 0 && err == nil; {
				b := queue[0]
				queue = queue[1:]
				more := true
				b, stats, err = exploreBatch(e, b, 1+int64(len(b)%3), func(x *trace.Execution) bool { more = visit(x); return more })
				if b != nil && err == nil {
					var parts []search.Batch
					parts, err = b.Split(3)
					queue = append(parts, queue...)
				}
				if !more {
					return stats, err
				}
			}
			return stats, err
		})
		e.Close()
		if !slices.EqualFunc(got, want, slices.Equal[trace.Schedule]) {
			t.Fatalf("program %d: %d executions, %d in one search, or another order\n%v", i, len(got), len(want), p)
		}
	}
}

// schedules returns those of at most 300 executions.
func schedules(t *testing.T, explore func(func(*trace.Execution) bool) (trace.Stats, error)) (all []trace.Schedule) {
	t.Helper()
	_, err := explore(func(x *trace.Execution) bool {
		all = append(all, slices.Clone(x.Schedule))
		return len(all) < 300
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestBatchesNames does as TestBatches where goroutines have other numbers with every explorer.
func TestBatchesNames(t *testing.T) {
	for _, make := range []func() *exec.Closure{
		func() *exec.Closure { return published(t, "mpat", 3, 0) },
		func() *exec.Closure { return published(t, "locks", 3, 2) },
		func() *exec.Closure { return published(t, "lastzero", 6, 0) },
		func() *exec.Closure { return metAnyhow(t) },
	} {
		second := make()
		all, err := oracle.Traces(second, oracle.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(10) {
			var made []*exec.Closure
			e := byBatches{seed, func() trace.Program {
				c := make()
				made = append(made, c)
				return c
			}}
			v := &anyNames{second: second, made: &made}
			if err := v.verify(e, all); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
	}
}

// anyNames judges executions of several closures, each with numbers of its own for goroutines.
type anyNames struct {
	second *exec.Closure
	made   *[]*exec.Closure
}

func (v *anyNames) verify(e trace.Engine, all *oracle.Result) error {
	judge := verifier{promise: Optimal, want: all, second: v.second, hb: trace.NewTracker(trace.Dependence), visits: make(map[uint64]int64)}
	stats, err := e.Explore(nil, func(x *trace.Execution) bool {
		c := x.Run.(*exec.Closure)
		s := slices.Clone(x.Schedule)
		for i := range s {
			s[i].G = v.second.Lookup(c.Path(s[i].G))
		}
		return judge.visit(&trace.Execution{Run: x.Run, Schedule: s, Stats: x.Stats})
	})
	switch {
	case judge.err != nil:
		return judge.err
	case err != nil:
		return err
	case stats.Executions != judge.executions:
		return errors.New("the counts differ")
	}
	return judge.covered()
}
