package native

import (
	"fmt"
	"strings"
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

// Ending returns f, which ends the process; in an execution, what fails that in its place,
// and ends the calling goroutine.
func Ending[F any](f F, what string) F {
	if !hook.Controlled() || !hook.Active() {
		return f
	}
	var in any
	switch any(f).(type) {
	case func(int):
		in = func(code int) { hook.Fatal(fmt.Sprintf("%s(%d) ends the process", what, code)) }
	case func(...any):
		in = func(v ...any) {
			hook.Fatal(fmt.Sprintf("%s ends the process: %s", what, strings.TrimSpace(fmt.Sprintln(v...))))
		}
	case func(string, ...any):
		in = func(format string, v ...any) {
			hook.Fatal(fmt.Sprintf("%s ends the process: %s", what, fmt.Sprintf(format, v...)))
		}
	default:
		return f
	}
	return in.(F)
}

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
