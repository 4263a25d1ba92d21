package search

import (
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// TestReverseItems has the stack of items stay as small as the events are many, squared, where the
// traces are exponentially many.
func TestReverseItems(t *testing.T) {
	effort.Computes(t)
	for _, x := range []struct {
		name   string
		n      int
		traces int64
	}{
		{"readers-writers", 6, 32}, {"readers-writers", 12, 2048},
		{"mpat", 3, 48}, {"mpat", 5, 3840}, {"lastzero", 10, 2560}, {"ring", 11, 2046},
	} {
		p, _ := paper.Named(x.name)
		c := sched.New(p.Make(x.n, 0), p.Options)
		most, steps := 0, 0
		var r *reverse
		r = newReverse(c, func(*trace.Execution) bool {
			most, steps = max(most, len(r.items.all)), max(steps, len(r.items.nodes))
			return true
		})
		r.explore(nil)
		stats, err := r.Finish(true)
		c.Shutdown()
		t.Logf("%s(%d): %d traces of %d events, %d items of %d steps", x.name, x.n, stats.Executions, stats.MaxDepth, most, steps)
		if err != nil || stats.Executions != x.traces || most > stats.MaxDepth*stats.MaxDepth {
			t.Errorf("%s(%d): %d traces, want %d; %d items wait where there are %d events (%v)", x.name, x.n, stats.Executions, x.traces, most, stats.MaxDepth, err)
		}
	}
}

// TestReverseLong has the steps of the items that an execution leaves be as many as its events,
// though each of the items begins with hundreds of them.
func TestReverseLong(t *testing.T) {
	c := sched.New(func() {
		var mu sched.Mutex
		var n sched.Int64
		for range 4 {
			sched.Go(func() {
				for range 100 {
					mu.Lock()
					n.Add(1)
					mu.Unlock()
				}
			})
		}
	}, sched.Options{})
	defer c.Shutdown()
	executions := 0
	var r *reverse
	r = newReverse(c, func(x *trace.Execution) bool {
		executions++
		events, steps := len(x.Schedule), len(r.items.nodes)
		t.Logf("%d events, %d items of %d steps", events, len(r.items.all), steps)
		if len(r.items.all) < 100 || steps > 8*events {
			t.Errorf("execution of %d events: %d items of %d steps", events, len(r.items.all), steps)
		}
		return executions < 3
	})
	r.explore(nil)
	if _, err := r.Finish(false); err != nil {
		t.Error(err)
	}
}
