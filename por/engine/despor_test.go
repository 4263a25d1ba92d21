package engine

import (
	"testing"

	"github.com/gopor/gopor/internal/states"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestEagerStack: DESPOR compares a step with what has led to it, and with nothing that it has come back from.
func TestEagerStack(t *testing.T) {
	c := exec.New(func() {
		var x sched.Int64
		for range 3 {
			sched.Go(func() { x.Store(1) })
		}
		x.Store(1)
	}, exec.Options{})
	defer c.Shutdown()
	var d *despor
	stats, err := Stateful{Keying: trace.Keying{Tracked: true}}.exploreStates("", c, func(x *trace.Execution) bool {
		if len(d.stack) != len(d.Schedule) { // the last one is that of the state before
			t.Errorf("%d frames after %v", len(d.stack), d.Schedule)
		}
		return true
	}, func(s *states.States) func(states.State) {
		d = &despor{States: s}
		return d.explore
	})
	if err != nil || stats.Matched == 0 || len(d.stack) != 0 {
		t.Errorf("%d frames are left: %+v, %v", len(d.stack), stats, err)
	}
}
