package engine

import (
	"testing"
	"time"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestNear has two handlers with a check and an act, in long executions, and many objects that
// both use as well. The failure takes one that is held between the check and the act. No race of
// the first execution is there, since a lock orders the handlers.
func TestNear(t *testing.T) {
	program := func() {
		var n sched.Int64
		var busy [50]sched.Int64
		var server sched.Mutex
		handle := func() {
			for i := range 200 {
				busy[i/4].Add(1)
			}
			v := n.Load()
			n.Store(v + 1)
			server.Lock()
			server.Unlock()
			for i := range 200 {
				busy[i/4].Add(1)
			}
		}
		first := sched.Go(handle)
		second := sched.Go(func() {
			server.Lock()
			server.Unlock()
			handle()
		})
		for i := range 200 {
			busy[i/4].Add(1)
		}
		first.Join()
		second.Join()
		if n.Load() != 2 {
			panic("lost an update")
		}
	}
	// executions is how many there are up to the failure, 1,000 at most.
	executions := func(e trace.Engine) int64 {
		var last trace.Stats
		_, err := e.Explore(exec.New(program, exec.Options{}), func(x *trace.Execution) bool {
			last = *x.Stats
			return len(x.Run.Outcome()) == 0 && last.Executions+last.Blocked < 1000
		})
		if err != nil {
			t.Fatal(err)
		}
		return last.Executions + last.Blocked
	}
	for _, tt := range []struct {
		trace.Engine
		least, most int64
	}{
		{near{}, 2, 2},
		{drawing{seed: 1}, 2, 2},
		{Auto{Time: time.Hour}, 20, 30}, // the first turn of Optimal, and the first of the one that draws
		{Optimal{}, 1000, 1000},
	} {
		if n := executions(tt.Engine); n < tt.least || n > tt.most {
			t.Errorf("%s: %d executions, want %d to %d", tt.Name(), n, tt.least, tt.most)
		}
	}
}
