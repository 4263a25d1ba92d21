package native

import (
	"sync/atomic"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/sched"
)

// The functions of this file are around functions that are about to be called. They
// note, in executions, that a search takes something for granted there.

// Source returns f, whose results may differ from run to run.
func Source[F any](f F, what string) F { return noting(f, sched.AssumeSource, what) }

// Lasting returns f, which changes what outlives an execution and is not put back, but for
// the environment and the directory of the process.
func Lasting[F any](f F, what string) F {
	switch what {
	case "os.Setenv", "os.Unsetenv", "os.Clearenv", "os.Chdir":
		if hook.Controlled() && hook.Active() {
			hook.KeepProcess()
		}
		return f
	}
	return noting(f, sched.AssumeVariable, what)
}

// Foreign returns f, which has code run that is not under control.
func Foreign[F any](f F, what string) F { return noting(f, sched.AssumeCode, what) }

func noting[F any](f F, k sched.AssumptionKind, what string) F {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		sched.Assume(k, what)
	}
	return f
}

// Uncontrolled notes that code runs that is not under control: functions of packages
// whose rewritten text does not compile begin with it.
func Uncontrolled(what string) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		sched.Assume(sched.AssumeCode, what)
	}
}
