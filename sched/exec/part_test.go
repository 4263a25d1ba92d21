package exec_test

import (
	"testing"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// A leak is of the part that all its goroutines were started in, and not of the part in which the
// execution ends.
func TestPartOfLeak(t *testing.T) {
	in := func(part string, leaks bool) {
		hook.Phase(part)
		sched.Go(func() {
			hook.Join(part)
			if leaks {
				sched.Go(func() { sched.NewChan[int](0).Recv() })
			}
		}).Join()
	}
	for _, test := range []struct {
		name string
		f    func()
		want string
	}{
		{"first", func() { in("a", true); in("b", false) }, "a"},
		{"last", func() { in("a", false); in("b", true) }, "b"},
		{"twice", func() { in("a", true); in("b", false); in("a", true); in("b", false) }, "a"},
		{"both", func() { in("a", true); in("b", true) }, ""},
		{"outside", func() { sched.Go(func() { sched.NewChan[int](0).Recv() }); in("b", false) }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := exec.New(test.f, exec.Options{})
			defer c.Shutdown()
			run := c.Start()
			defer run.Close()
			for pending := run.Pending(); len(pending) > 0; pending = run.Pending() {
				if _, err := run.Step(trace.Choice{G: pending[0].G}); err != nil {
					t.Fatal(err)
				}
			}
			fails := run.Outcome()
			if len(fails) != 1 || fails[0].Kind != trace.FailLeak || fails[0].Part != test.want {
				t.Errorf("%v, want a leak in %q", fails, test.want)
			}
		})
	}
}
