package por

import (
	"errors"

	"github.com/gopor/gopor/internal/caller"
	"github.com/gopor/gopor/internal/check"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/guard"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Explore searches the executions of f as [Check] does, outside tests. There native code is not
// under control: f has to use the primitives of package sched. The error says that the search could
// not be done. It is, or wraps, a [report.NotDeterministicError],
// [report.StuckError], [report.TooLongError], [report.EngineError] or [report.ProgramError], or says that an option is
// invalid. A failing execution is no error, but part of the result, which is not nil unless
// nothing was run.
//
// If POR_REPLAY holds a schedule for the name of this search (see [Name]), only
// that schedule is run.
func Explore(f func(), opts ...Option) (*report.Result, error) {
	if hook.Active() {
		check.LeaveExecution()
		return nil, errors.New("por: Explore inside Check: a closure that is being explored must not call Explore or Check itself")
	}
	if f == nil {
		return nil, errors.New("por: Explore: the closure is nil; give a func()")
	}
	c, err := explore.NewConfig(opts)
	if err != nil {
		return nil, err
	}
	if check.Uncontrolled != nil && !c.Direct {
		return nil, check.Uncontrolled
	}
	s := check.NewShared(c, explore.Subject{Repeatable: true, Program: func(o exec.Options) trace.Program {
		return check.NewClosure(f, o, check.NewOrigin(f, c.Direct))
	}}, nil)
	return s.Explore(caller.Name(1))
}

// ExploreProgram searches a transition system that is not a Go closure, such as
// one of a researcher's own. Of the options on how closures run only [MaxSteps] has
// an effect: an execution of that length is over, and a livelock, whatever the
// program says. Reports name operations, not source lines.
//
// If p is an [exec.Assuming], as an [exec.Closure] is, the
// verdict names what it returns.
func ExploreProgram(p trace.Program, opts ...Option) (*report.Result, error) {
	if check.IsNil(p) {
		return nil, errors.New("por: ExploreProgram: the program is nil")
	}
	if hook.Active() {
		check.LeaveExecution()
	}
	c, err := explore.NewConfig(opts)
	if err != nil {
		return nil, err
	}
	if _, ok := p.(*exec.Closure); !ok {
		p = guard.New(p, c.Run.MaxSteps)
		if _, ok := c.Engine.(engine.Auto); ok {
			c.Engine = engine.Optimal{} // which is all that it would be here
		}
	}
	s := check.NewShared(c, explore.Subject{Program: func(exec.Options) trace.Program { return p }, Borrowed: true}, nil)
	return s.Explore(caller.Name(1))
}
