package por_test

import (
	"testing"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file has loops within loops, as rewritten code says where their turns begin.

// turning goes round the loop of that place until done says so.
func turning(place uintptr, done func() bool) {
	for loop := int32(0); ; {
		if loop = hook.Turn(place, nil, loop); done() {
			return
		}
	}
}

// bothTurn waits for a, in a loop in every turn of which it waits for b.
func bothTurn(a, b *sched.Bool) {
	turning(1, func() bool {
		if a.Load() {
			return true
		}
		turning(2, b.Load)
		return false
	})
}

// withinLoops are programs, and how many traces they have.
var withinLoops = map[string]struct {
	f        func()
	traces   int64
	livelock bool
}{
	"a loop within a turn": {traces: 1, f: func() {
		var a, b sched.Bool
		sched.Go(func() { b.Store(true); a.Store(true) })
		bothTurn(&a, &b)
	}},
	"what was found is undone": {traces: 1, f: func() {
		var a, b sched.Bool
		sched.Go(func() { b.Store(true); b.Store(false); a.Store(true); b.Store(true) })
		bothTurn(&a, &b)
	}},
	"they go round another loop in the end": {traces: 2, livelock: true, f: func() {
		var a, b sched.Bool
		sched.Go(func() { b.Store(true); b.Store(false) })
		bothTurn(&a, &b)
	}},
	"the same loop within itself": {traces: 1, f: func() {
		var x sched.Bool
		n := 0
		var down func(depth int)
		down = func(depth int) {
			turning(1, func() bool {
				if x.Load() || depth == 1 {
					return true
				}
				hook.Acts()
				down(1)
				n++
				return n == 3
			})
		}
		down(0)
	}},
	"what is one's own is written": {traces: 1, f: func() {
		var x sched.Bool
		n := 0
		turning(1, func() bool {
			x.Load()
			hook.Acts()
			n++
			return n == 3
		})
	}},
	"many loops within a turn": {traces: 1, f: func() {
		var a, b sched.Bool
		sched.Go(func() { a.Store(true) })
		turning(1, func() bool {
			for range 70 {
				turning(2, func() bool { b.Load(); return true })
			}
			return a.Load()
		})
	}},
	"a loop again, with what is one's own": {traces: 6, f: func() {
		var x sched.Bool
		sched.Go(func() { x.Store(true) })
		for n := 0; n < 5; n++ {
			turning(1, func() bool { x.Load(); return true })
		}
	}},
}

// TestLoopsWithin: a turn of a loop that only looks may have other loops in it, and be in a loop itself, which it is not
// taken for. Engines agree on what comes of it.
func TestLoopsWithin(t *testing.T) {
	for name, p := range withinLoops {
		for _, e := range []trace.Engine{engine.Source{}, engine.Optimal{}, engine.Reverse{}} {
			testLoopsWithin(t, name, e, exec.Options{Awaits: true}, p.f, p.livelock, p.traces)
		}
		for _, k := range []trace.Keying{{}, {Tracked: true, Exact: true}} {
			for _, e := range []trace.Engine{engine.Stateful{Keying: k}, engine.DLSPOR{Stateful: engine.Stateful{Keying: k}}} {
				testLoopsWithin(t, name, e, exec.Options{}, p.f, p.livelock, 0)
			}
		}
	}
}

// testLoopsWithin explores f by e. It comes to so many ends, unless that is 0.
func testLoopsWithin(t *testing.T, name string, e trace.Engine, o exec.Options, f func(), livelock bool, ends int64) {
	o.MaxSteps = 1000
	c := exec.New(f, o)
	defer c.Shutdown()
	livelocks := 0
	stats, err := e.Explore(c, func(x *trace.Execution) bool {
		for _, f := range x.Run.Outcome() {
			if f.Kind != trace.FailSteps {
				t.Errorf("%s, %s: %v", name, e.Name(), f)
			}
			livelocks++
		}
		return true
	})
	if err != nil || !stats.Exhaustive && !livelock || livelock != (livelocks > 0) || ends > 0 && stats.Executions != ends {
		t.Errorf("%s, %s: livelocks: %d, %+v, %v", name, e.Name(), livelocks, stats, err)
	}
}

// TestActsEveryTurn: who does more than look in every turn polls all the same, where states are told apart.
func TestActsEveryTurn(t *testing.T) {
	effort.Computes(t)
	c := exec.New(func() {
		var flag sched.Bool
		n := 0
		sched.Go(func() { flag.Store(true) })
		turning(1, func() bool {
			hook.Acts()
			n++
			return flag.Load()
		})
	}, exec.Options{MaxSteps: 2000})
	defer c.Shutdown()
	stats, err := engine.Stateful{}.Explore(c, func(x *trace.Execution) bool {
		for _, f := range x.Run.Outcome() {
			t.Error(f)
		}
		return true
	})
	if err != nil || stats.Pruned > 0 || stats.Executions == 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}
