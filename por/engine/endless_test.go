package engine

import (
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// tellsAndAwaits has a goroutine that tells of changes until a timer fires, and one that has others
// wait for them. If the timer does not fire, an execution has no end.
func tellsAndAwaits() {
	var mu sched.Mutex
	changed, stop := sched.NewCond(&mu), sched.NewChan[bool](0)
	sched.Go(func() {
		for sched.Select(sched.RecvCase(stop, nil, nil), sched.Default) != 0 {
			mu.Lock()
			changed.Signal()
			mu.Unlock()
		}
	})
	sched.Go(func() {
		for {
			seen := sched.NewChan[bool](0)
			sched.Go(func() {
				mu.Lock()
				changed.Wait()
				mu.Unlock()
				seen.Close()
			})
			if sched.Select(sched.RecvCase(stop, nil, nil), sched.RecvCase(seen, nil, nil)) == 0 {
				changed.Broadcast()
				return
			}
		}
	})
	sched.Sleep(time.Microsecond)
	stop.Close()
	sched.Sleep(100 * time.Millisecond)
}

// TestAutoLeavesEndless has executions without end, in which the engine that goes bound by bound comes
// to be. Those that draw executions have their turn all the same.
func TestAutoLeavesEndless(t *testing.T) {
	effort.Computes(t)
	c := exec.New(tellsAndAwaits, exec.Options{Time: sched.TimeLag, Lag: 100 * time.Millisecond, MaxSteps: 1e9, AllowLeaks: true})
	defer c.Shutdown()
	watchdog := time.AfterFunc(40*time.Second, func() { c.Interrupt(true) })
	defer watchdog.Stop()
	stats, err := Auto{Time: 20 * time.Second, Alone: 1000}.Explore(c, func(x *trace.Execution) bool {
		return x.Stats.Drawn < 100
	})
	if err != nil || stats.Drawn < 100 {
		t.Errorf("%v, %d executions were drawn of %d", err, stats.Drawn, stats.Executions)
	}
}
