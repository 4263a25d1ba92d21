package sched_test

import (
	"testing"

	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// spins returns a closure whose first goroutine holds a lock that spins until the last one has run,
// and does so in every round: those between look too early. Before that main performs some events
// that have to do with nothing else.
func spins(events, goroutines, rounds int, total *int) func() {
	return func() {
		var private, lock sched.Int64
		for range events {
			private.Add(1)
		}
		n := 0
		for range rounds {
			gate := sched.NewChan[int](0)
			var all []sched.Handle
			for range goroutines {
				all = append(all, sched.Go(func() {
					await(func() bool { return lock.CompareAndSwap(0, 1) })
					gate.Recv()
					n++
					lock.Store(0)
				}))
			}
			last := sched.Go(func() { private.Load() })
			last.Join()
			gate.Close()
			for _, g := range all {
				g.Join()
			}
		}
		*total = n
	}
}

// TestFutileFirstExecution explores programs whose first execution is futile. If it is long another
// one is tried in its place, which changes nothing else.
func TestFutileFirstExecution(t *testing.T) {
	for goroutines := 1; goroutines <= 3; goroutines++ {
		explored := make(map[int]int64)
		for _, events := range []int{0, 1500} {
			var total int
			c := exec.New(spins(events, goroutines, 1, &total), exec.Options{Awaits: true, MaxSteps: 10_000})
			seen := 0
			stats, err := engine.Optimal{}.Explore(c, func(x *trace.Execution) bool {
				if seen++; seen == 1 && x.Blocked != (goroutines > 1 && events == 0) {
					t.Errorf("%d goroutines, %d events: the first execution is futile: %v", goroutines, events, x.Blocked)
				}
				if fs := x.Run.Outcome(); len(fs) > 0 || !x.Blocked && total != goroutines {
					t.Errorf("%v, %d times in the lock", fs, total)
				}
				return true
			})
			if err != nil || !stats.Exhaustive {
				t.Errorf("%d goroutines, %d events: %v, %+v", goroutines, events, err, stats)
			}
			explored[events] = stats.Executions
			c.Shutdown()
		}
		if explored[0] != explored[1500] {
			t.Errorf("%d goroutines: %d executions, and %d after many events", goroutines, explored[0], explored[1500])
		}
	}
}

// TestManyLooksTooEarly has a first execution that is futile again and again.
func TestManyLooksTooEarly(t *testing.T) {
	var total int
	c := exec.New(spins(1500, 30, 5, &total), exec.Options{Awaits: true, MaxSteps: 100_000})
	defer c.Shutdown()
	stats, err := engine.Optimal{}.Explore(c, func(x *trace.Execution) bool {
		if fs := x.Run.Outcome(); x.Blocked || len(fs) > 0 || total != 150 {
			t.Errorf("futile: %v, %v, %d times in the lock", x.Blocked, fs, total)
		}
		return false
	})
	if err != nil || stats.Executions != 1 || stats.Replayed == 0 {
		t.Errorf("%v, %+v", err, stats)
	}
}
