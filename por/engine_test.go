package por_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// What the engines visit is judged by packages enginetest and conformance.

// TestStop checks that an engine stops when the visitor says so, and tells that
// it has not finished.
func TestStop(t *testing.T) {
	c := exec.New(adds(3, 1), exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	for _, name := range engine.Names() {
		e, _ := engine.Named(name)
		n := 0
		stats, err := e.Explore(c, func(*trace.Execution) bool { n++; return n < 5 })
		if err != nil || n != 5 || stats.Executions+stats.Blocked+stats.Pruned != 5 || stats.Exhaustive {
			t.Errorf("%s: visited %d, %+v, %v", name, n, stats, err)
		}
	}
}

// schedules returns the executions of f that e visits, as text.
func schedules(t *testing.T, e trace.Engine, f func()) (all []string) {
	c := exec.New(f, exec.Options{})
	defer c.Shutdown()
	stats, err := e.Explore(c, func(x *trace.Execution) bool {
		all = append(all, fmt.Sprint(x.Schedule))
		return true
	})
	if err != nil || stats.Exhaustive || stats.Executions != int64(len(all)) {
		t.Errorf("%s: %+v, %v", e.Name(), stats, err)
	}
	return all
}

func TestSamplingIsReproducible(t *testing.T) {
	program := func() {
		var x, y sched.Int64
		sched.Go(func() { sched.Choose(3); x.Add(1); y.Add(1) })
		sched.Go(func() { x.Add(1); y.Add(1) })
		sched.Go(func() { y.Add(1); sched.Choose(2) })
	}
	for _, make := range []func(seed uint64) trace.Engine{
		func(seed uint64) trace.Engine { return engine.Random{Seed: seed, Executions: 200} },
		func(seed uint64) trace.Engine { return engine.PCT{Seed: seed, Executions: 200} },
		func(seed uint64) trace.Engine { return engine.POS{Seed: seed, Executions: 200} },
		func(seed uint64) trace.Engine { return engine.SURW{Seed: seed, Executions: 200} },
	} {
		a, b, c := schedules(t, make(1), program), schedules(t, make(1), program), schedules(t, make(2), program)
		if len(a) != 200 || !slices.Equal(a, b) {
			t.Errorf("%s: one seed, different executions", make(1).Name())
		}
		if slices.Equal(a, c) {
			t.Errorf("%s: different seeds, the same executions", make(1).Name())
		}
	}
}

// TestSamplingReachesAll checks that every trace of a small program is met: every
// order in which three goroutines take a mutex.
func TestSamplingReachesAll(t *testing.T) {
	effort.Computes(t)
	order := ""
	c := exec.New(func() {
		var mu sched.Mutex
		order = ""
		for _, name := range []string{"a", "b", "c"} {
			sched.Go(func() { mu.Lock(); order += name; mu.Unlock() })
		}
	}, exec.Options{})
	defer c.Shutdown()
	for _, e := range []trace.Engine{engine.Random{Executions: 2000}, engine.PCT{Executions: 2000}, engine.POS{Executions: 2000}, engine.SURW{Executions: 2000}} {
		met := make(map[string]bool)
		e.Explore(c, func(*trace.Execution) bool { met[order] = true; return true })
		if len(met) != 6 {
			t.Errorf("%s: %d of 6 traces", e.Name(), len(met))
		}
	}
}

// TestPCTDepth checks that a bug which needs two constraints is not found with a
// depth of one, in which goroutines run one after the other.
func TestPCTDepth(t *testing.T) {
	for depth, want := range map[int]bool{1: false, 2: true} {
		between := false
		c := exec.New(func() {
			var x sched.Int64
			sched.Go(func() { x.Store(1); x.Store(0) })
			sched.Go(func() { between = between || x.Load() == 1 })
		}, exec.Options{})
		engine.PCT{Depth: depth, Executions: 500}.Explore(c, func(*trace.Execution) bool { return true })
		if c.Shutdown(); between != want {
			t.Errorf("depth %d: found %v", depth, between)
		}
	}
}

func TestEngineNames(t *testing.T) {
	want := []string{"auto", "classic-bpor", "de-s-por", "dfs", "dl-s-por", "dpor", "epor", "epor-adaptive", "epor-sh", "hunt", "iterative-bpor", "lazy-bpor", "lazy-bpor-estimate", "lazy-bpor-slack", "naive-bpor",
		"nidhugg-bpor", "nidhugg-bpor-complete", "optimal", "optimal-bpor", "pct", "pos", "qpor", "random", "reverse", "s-por", "source", "source-bpor", "source-bpor-complete", "stateful-dfs", "surw",
		"unfold-comb", "unfold-optimal"}
	if got := engine.Names(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, name := range want {
		if e, ok := engine.Named(name); !ok || e.Name() != name {
			t.Errorf("EngineNamed(%q) = %v, %v", name, e, ok)
		}
	}
	if _, ok := engine.Named("none"); ok {
		t.Error("an engine of no name")
	}
}

// TestPlanFails has a section whose plan fails in the middle: what the adder does depends
// on what it has found. Of what came before that in the section, and had not been reversed
// yet, the reverse is to be explored all the same; and what it does then depends on what
// the reader does, which what was planned does not.
func TestPlanFails(t *testing.T) {
	effort.Computes(t)
	var ends map[string]bool
	program := func() {
		v, x, y, z := sched.NewVar(0), sched.NewVar(0), sched.NewVar(0), sched.NewVar(0)
		var wait []sched.Handle
		start := func(f func()) { wait = append(wait, sched.Go(f)) }
		start(func() { v.Store(1) })
		start(func() { v.Store(2) })
		start(func() { x.Store(10) })
		start(func() {
			if x.Update(func(n int) int { return n + 1 }) == 1 {
				y.Store(1)
			} else {
				z.Store(1)
			}
		})
		seen := 0
		start(func() { seen = y.Load() })
		for _, g := range wait {
			g.Join()
		}
		ends[fmt.Sprint(v.Load(), y.Load(), z.Load(), seen)] = true
	}
	for _, e := range []trace.Engine{engine.DFS{}, engine.Source{}, engine.Eager{}, engine.EagerShort{}, engine.EagerAdaptive{}} {
		ends = make(map[string]bool)
		c := exec.New(program, exec.Options{Races: sched.RaceExplore})
		stats, err := e.Explore(c, func(*trace.Execution) bool { return true })
		c.Shutdown()
		if err != nil || len(ends) != 6 || e.Name() != "dfs" && stats.Executions != 6 {
			t.Errorf("%s: %d ends, want 6: %v; %d executions, %v", e.Name(), len(ends), ends, stats.Executions, err)
		}
	}
}
