package enginetest

import (
	"errors"
	"testing"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// crew returns the engine that has n workers, the programs of which are made by another.
func crew(n int, another func() trace.Program) trace.Engine {
	return trace.Describe(engine.Reverse{}).WithWorkers(n, another)
}

// TestWorkers holds reverse search by 1 to 8 workers to what one promises, on random programs.
func TestWorkers(t *testing.T) {
	judged := 0
	for i, p := range toytest.Programs(t, 800) {
		all, err := oracle.Traces(toy.New(p), oracle.Limits{Executions: 300, Depth: 40})
		if errors.Is(err, oracle.ErrTooBig) || len(all.Classes) < 10 {
			continue
		}
		if err != nil {
			t.Fatalf("program %d: %v\n%v", i, err, p)
		}
		judged++
		for n := 1; n <= 8; n++ {
			e := crew(n, func() trace.Program { return toy.New(p) })
			if err := Verify(e, Optimal, toy.New(p), toy.New(p), all); err != nil {
				t.Fatalf("program %d, %d workers: %v\n%v", i, n, err, p)
			}
		}
	}
	t.Logf("%d programs have from 10 to 300 traces", judged)
}

// TestWorkersPapers does so on programs of the papers.
func TestWorkersPapers(t *testing.T) {
	for _, p := range []struct {
		name string
		n, m int
	}{
		{"lastzero", 6, 0}, {"mpat", 3, 0}, {"readers-writers", 7, 0}, {"ring", 6, 0}, {"indexer-mod", 4, 0},
		{"locks", 3, 2}, {"meet", 2, 2}, {"ssb", 3, 0}, {"branching", 3, 0},
	} {
		t.Run(p.name, func(t *testing.T) {
			verifyWorkers(t, func() *exec.Closure { return published(t, p.name, p.n, p.m) })
		})
	}
}

// TestWorkersNames does so where goroutines are met in another order in every execution, so that
// they have other numbers with every worker.
func TestWorkersNames(t *testing.T) {
	verifyWorkers(t, func() *exec.Closure { return metAnyhow(t) })
}

// metAnyhow is a program whose goroutines are met in another order in every execution.
func metAnyhow(t *testing.T) *exec.Closure {
	c := exec.New(func() {
		x, y := sched.NewVar(0), sched.NewVar(0)
		for range 2 {
			sched.Go(func() {
				if x.Update(func(n int) int { return n + 1 }); x.Load() > 1 {
					sched.Go(func() { y.Update(func(n int) int { return n + 2 }) })
				}
				sched.Go(func() { y.Update(func(n int) int { return 2 * n }) })
			})
		}
	}, exec.Options{Races: sched.RaceExplore})
	t.Cleanup(c.Shutdown)
	return c
}

// verifyWorkers holds reverse search by 1 to 8 workers to what the oracle knows of a program.
func verifyWorkers(t *testing.T, program func() *exec.Closure) {
	t.Helper()
	second := program()
	all, err := oracle.Traces(second, oracle.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d traces", len(all.Classes))
	for n := 1; n <= 8; n++ {
		e := crew(n, func() trace.Program { return program() })
		p := program()
		if err := Verify(e, Optimal, p, renamed{second, p}, all); err != nil {
			t.Errorf("%d workers: %v", n, err)
		}
	}
}

// renamed is a closure whose goroutines have the numbers that they have in another one.
type renamed struct{ c, other *exec.Closure }

func (p renamed) Start() trace.Run { return renamedRun{p.c.Start(), p} }

type renamedRun struct {
	trace.Run
	p renamed
}

func (r renamedRun) Step(c trace.Choice) (*trace.Event, error) {
	c.G = r.p.c.Lookup(r.p.other.Path(c.G))
	return r.Run.Step(c)
}

// TestWorkersStop has the visitor of several workers end the search at some of the traces: it has
// to end where that of one worker ends, after as many executions.
func TestWorkersStop(t *testing.T) {
	stopped, late := 0, 0
	for i, p := range toytest.Programs(t, 300) {
		all, err := oracle.Traces(toy.New(p), oracle.Limits{Executions: 300, Depth: 40})
		if err != nil || len(all.Classes) < 20 {
			continue
		}
		v := verifier{second: toy.New(p), hb: trace.NewTracker(trace.Dependence)}
		for m := uint64(2); m < 100; m = 3*m + 1 {
			var first uint64 // of those that it ends at
			want, err := engine.Reverse{}.Explore(toy.New(p), stopAt(t, &v, m, &first))
			if err != nil {
				t.Fatal(err)
			}
			if want.Exhaustive {
				continue
			}
			stopped++
			for n := 2; n <= 8; n++ {
				var last uint64
				visits := int64(0)
				visit := stopAt(t, &v, m, &last)
				got, err := crew(n, func() trace.Program { return toy.New(p) }).Explore(toy.New(p), func(x *trace.Execution) bool {
					visits++
					return visit(x)
				})
				if err != nil || got.Exhaustive || got.Executions != want.Executions || last != first {
					t.Fatalf("program %d, %d workers: the search ends with trace %x after %d executions (%v), that of one worker with %x after %d\n%v",
						i, n, last, got.Executions, err, first, want.Executions, p)
				}
				if visits > got.Executions {
					late++
				}
			}
		}
	}
	t.Logf("%d searches were stopped; %d times something was visited that does not count", stopped, late)
}

// stopAt returns a visitor that ends the search at one of m traces, and says at which it was
// last.
func stopAt(t *testing.T, v *verifier, m uint64, at *uint64) func(*trace.Execution) bool {
	return func(x *trace.Execution) bool {
		fp, err := v.class(x.Schedule)
		if err != nil {
			t.Error(err)
		}
		if fp%m != 0 {
			return true
		}
		*at = fp
		return false
	}
}

// TestWorkersOver has the visitor end the search at once.
func TestWorkersOver(t *testing.T) {
	for n := 1; n <= 8; n++ {
		visits := int64(0)
		stats, err := crew(n, func() trace.Program { return published(t, "lastzero", 8, 0) }).Explore(published(t, "lastzero", 8, 0), func(x *trace.Execution) bool {
			visits++
			if visits != x.Stats.Executions {
				t.Errorf("%d workers: execution %d is said to be the %d-th", n, visits, x.Stats.Executions)
			}
			x.Over = func() bool { return visits >= 100 }
			return visits < 100
		})
		if err != nil || stats.Exhaustive || visits != 100 || stats.Executions != 100 {
			t.Errorf("%d workers: %d executions counted, %d visited (%v, %v)", n, stats.Executions, visits, stats.Exhaustive, err)
		}
	}
}

// TestWorkersPanic has the visitor panic: whoever has called the engine gets to know.
func TestWorkersPanic(t *testing.T) {
	for n := 1; n <= 4; n++ {
		visits := 0
		func() {
			defer func() {
				if r := recover(); r != "enough" {
					t.Errorf("%d workers: recovered %v", n, r)
				}
			}()
			crew(n, func() trace.Program { return published(t, "lastzero", 8, 0) }).Explore(published(t, "lastzero", 8, 0), func(*trace.Execution) bool {
				if visits++; visits == 30 {
					panic("enough")
				}
				return true
			})
		}()
	}
}
