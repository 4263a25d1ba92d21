package minimise

import (
	"testing"

	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestPlain has an execution without preemptions take the place of one with some, if it fails in
// the same way.
func TestPlain(t *testing.T) {
	for _, test := range []struct {
		fails string
		f     func(first bool)
		want  int
	}{
		{"whatever the schedule", func(bool) { panic("always") }, 0},
		{"in another way without preemptions", func(first bool) {
			if first {
				panic("first")
			}
			panic("second")
		}, 1},
		{"with preemptions only", func(first bool) {
			if !first {
				panic("second")
			}
		}, 1},
	} {
		p := exec.New(func() {
			var done sched.Bool
			sched.Go(func() { done.Store(true) })
			done.Store(false)
			test.f(!done.Load())
		}, exec.Options{})
		defer p.Shutdown()
		preempted := trace.Schedule{{G: 0}, {G: 2}, {G: 0}}
		bad, _ := trial.Guide(p, preempted, nil, nil)
		if bad.Preemptions != 1 {
			t.Fatalf("%s: %d preemptions by %v", test.fails, bad.Preemptions, bad.Schedule)
		}
		if got := Plain(p, bad); got.Preemptions != test.want || got.Primary.Msg != bad.Primary.Msg {
			t.Errorf("%s: %d preemptions, want %d: %v", test.fails, got.Preemptions, test.want, got.Primary)
		}
	}
}
