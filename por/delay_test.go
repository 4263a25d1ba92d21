package por

import (
	"testing"
	"time"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// TestMinimiseKeepsDelays minimises all executions by lag that fail: none of the results has
// code later than the execution that it was made of.
func TestMinimiseKeepsDelays(t *testing.T) {
	f := func() {
		start := sched.Now()
		tick := sched.NewTicker(20 * time.Millisecond)
		tick.C.Recv()
		tick.Reset(5 * time.Millisecond)
		tick.C.Recv()
		if sched.Since(start) >= 30*time.Millisecond {
			panic("late")
		}
		tick.Stop()
	}
	c := sched.New(f, sched.Options{Time: sched.TimeLag})
	defer c.Shutdown()
	var failing []trace.Schedule
	DFS{}.Explore(c, func(x *trace.Execution) bool {
		if len(x.Run.Outcome()) > 0 {
			failing = append(failing, append(trace.Schedule(nil), x.Schedule...))
		}
		return len(failing) < 200
	})
	same := func(f trace.Failure) bool { return f.Kind == trace.FailPanic }
	delays := make(map[time.Duration]bool)
	for _, s := range failing {
		first, _ := guided(c, s, nil, nil)
		first.delay = delayOf(c, first.primary, len(s))
		delays[first.delay.By] = true
		best, _ := minimise(c, first, 0, reportTime.total, same, func() bool { return false }, time.Now)
		again, ok := guided(c, best.schedule, nil, nil)
		if d := delayOf(c, again.primary, len(best.schedule)); !ok || !again.shows(same) || d.By > first.delay.By {
			t.Errorf("late by %v, and when it was minimised by %v", first.delay.By, d.By)
		}
	}
	if len(delays) < 3 {
		t.Errorf("%d executions, and delays %v: the test is weak", len(failing), delays)
	}
}
