package por_test

import (
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// polling lets n goroutines poll until the last one has set a flag.
func polling(n int) func() {
	return func() {
		var flag sched.Bool
		for range n {
			sched.Go(func() {
				for !flag.Load() {
				}
			})
		}
		var mu sched.Mutex
		sched.Go(func() {
			mu.Lock()
			flag.Store(true)
			mu.Unlock()
		})
		mu.Lock()
		for !flag.Load() {
			mu.Unlock()
			mu.Lock()
		}
	}
}

var fairEngines = []trace.Engine{engine.DFS{}, engine.DPOR{}, engine.Source{}, engine.Optimal{}, engine.Eager{}, engine.EagerShort{}, engine.EagerAdaptive{}, engine.Random{}, engine.PCT{}, engine.POS{}, unfold.QPOR{K: 2}, unfold.Optimal{}}

// TestPolling has loops that wait for others without saying so: no engine keeps
// those others waiting for ever.
func TestPolling(t *testing.T) {
	effort.Computes(t)
	for _, e := range fairEngines {
		for _, n := range []int{0, 1, 3} {
			res, err := por.Explore(polling(n), por.Engine(e), por.MaxExecutions(300))
			if err != nil || len(res.Failures) > 0 || res.Exhaustive || res.Stats.Pruned > 0 {
				t.Errorf("%s, %d: %v\n%+v", e.Name(), n, err, res)
			}
		}
	}
}

// TestTurns has a loop that ends only if select takes its second case.
func TestTurns(t *testing.T) {
	effort.Computes(t)
	for _, e := range fairEngines {
		res, err := por.Explore(func() {
			stop, more := sched.NewChan[int](0), sched.NewChan[int](1)
			stop.Close()
			more.Send(0)
			for sched.Select(sched.RecvCase(more, nil, nil), sched.RecvCase(stop, nil, nil)) == 0 {
				more.Send(0)
			}
		}, por.Engine(e), por.MaxExecutions(300))
		if err != nil || len(res.Failures) > 0 || res.Exhaustive || res.Stats.Pruned > 0 {
			t.Errorf("%s: %v\n%+v", e.Name(), err, res)
		}
	}
}

// TestLivelock has loops that wait for each other, whatever the schedule.
func TestLivelock(t *testing.T) {
	effort.Computes(t)
	for _, e := range fairEngines {
		res, err := por.Explore(func() {
			var a, b sched.Bool
			sched.Go(func() {
				for !a.Load() {
				}
				b.Store(true)
			})
			for !b.Load() {
			}
			a.Store(true)
		}, por.Engine(e), por.MaxExecutions(300))
		if err != nil || len(res.Failures) != 1 || res.Failures[0].Kind != trace.FailSteps {
			t.Errorf("%s: %v\n%+v", e.Name(), err, res)
		}
	}
}
