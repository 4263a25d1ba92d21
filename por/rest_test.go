package por

import (
	"io"
	"sync/atomic"
	"testing"

	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestReportAtRest counts the controlled goroutines while a report is written: the session's own work
// announces nothing if there are none.
func TestReportAtRest(t *testing.T) {
	t.Setenv(environ.HTML, t.TempDir())
	before, drawn := atomic.LoadInt32(&live.Goroutines), 0
	c := explore.Config{Engine: engine.Optimal{}}
	c.Limits.Failures = 1
	s := explore.NewSession(c, explore.Subject{
		Program: func(o exec.Options) trace.Program {
			o.Harness.Probe = func() []trace.Failure {
				return []trace.Failure{{Kind: trace.FailHistory, G: -1, Step: -1, Msg: "oh", History: "a call"}}
			}
			return exec.New(func() { sched.Go(func() {}).Join() }, o)
		},
		Draw: func(io.Writer) error {
			drawn++
			if n := atomic.LoadInt32(&live.Goroutines); n != before {
				t.Errorf("%d controlled goroutines, %d before", n, before)
			}
			return nil
		},
	})
	if res, err := s.Explore("at rest"); err != nil || len(res.Failures) != 1 || drawn != 1 {
		t.Errorf("%v, %v, drawn %d times", res, err, drawn)
	}
}
