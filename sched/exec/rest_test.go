package exec_test

import (
	"sync/atomic"
	"testing"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched/exec"
)

// TestRest counts the controlled goroutines of a closure that rests between two executions.
func TestRest(t *testing.T) {
	before := atomic.LoadInt32(&live.Goroutines)
	c := exec.New(crowd, exec.Options{})
	defer c.Shutdown()
	for range 2 {
		run := c.Start()
		closures.LastFirst(t, run)
		if atomic.LoadInt32(&live.Goroutines) == before {
			t.Error("an execution without controlled goroutines")
		}
		c.Rest()
		if n := atomic.LoadInt32(&live.Goroutines); n != before {
			t.Errorf("%d controlled goroutines at rest, %d before", n, before)
		}
	}
}
