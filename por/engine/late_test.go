package engine

import (
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestLate has a failure that takes a goroutine which comes after 1,000 operations of another one,
// and comes to that before the others that do as much.
func TestLate(t *testing.T) {
	const operations = 1000
	program := func() {
		var done sched.Int64
		late := sched.Go(func() {
			if done.Load() == operations {
				panic("late")
			}
		})
		for range operations {
			done.Add(1)
		}
		late.Join()
	}
	failures := func(e trace.Engine) (n int64) {
		_, err := e.Explore(exec.New(program, exec.Options{}), func(x *trace.Execution) bool {
			n += int64(len(x.Run.Outcome()))
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := failures(late{1}); n != 1 {
		t.Errorf("%d failures, want one: in the execution in which that goroutine is late", n)
	}
	for _, e := range []trace.Engine{Random{1, 100}, PCT{Seed: 1, Executions: 100}} {
		if n := failures(e); n > 0 {
			t.Errorf("%s finds it as well, so the test shows nothing", e.Name())
		}
	}
}
