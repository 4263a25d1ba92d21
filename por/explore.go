package por

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/gopor/gopor/internal/guard"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Result is what a search has found.
type Result struct {
	Stats trace.Stats
	// Exhaustive says that everything was covered, and that nothing was met which
	// could change the result and was not explored, apart from what [Grant] allows.
	Exhaustive bool
	// Verdict says more. Its String is one line for people.
	Verdict Verdict
	// Failures are the distinct failures found, at most as many as [KeepGoing]
	// asks for, in the order in which they were found.
	Failures []FailureReport
}

// FailureReport is one failure, with the simplest execution found that shows it.
type FailureReport struct {
	Kind trace.FailureKind
	Msg  string
	// All is everything that is wrong with the execution; Kind and Msg are of
	// the most telling one.
	All []trace.Failure
	// Schedule leads a program with the same numbering of goroutines from its
	// start to the end of the execution. Replay is for other processes.
	Schedule trace.Schedule
	// Preemptions and Steps measure the execution up to where it fails.
	Preemptions, Steps int
	// Fewest says that no execution with fewer preemptions fails in this way.
	Fewest bool
	// Unsteady says that the failure did not show again when the schedule was run a
	// second time, so that something besides the schedule has to do with it.
	Unsteady bool
	// Always says, where that is so, that other schedules fail as well, and how many of
	// them were tried: "in every schedule (all 6)".
	Always string
	// Time says how time passes in the execution.
	Time sched.TimeMode
	// Delay is by how much code is late in the execution, at the most, in [sched.TimeLag]:
	// less was tried, and did not show the failure.
	Delay exec.Delay
	// Execution is the number of the execution in which the failure was found,
	// from 1, or 0 in a replay.
	Execution int64
	// Entries is the execution line by line. Of a long one, that is some ten
	// thousand lines, what is far from its beginning, its end and its failure is
	// left out: see [exec.Entry.Omitted].
	Entries []exec.Entry
	// Output is what the closure has logged to its own testing.TB, and, where native code
	// is under control, has written to the standard files, in the order of the execution.
	Output []Output
	// Log is the text of all that.
	Log string
	// Replay is the string that replays the execution.
	Replay string
	// Saved is the file in which the schedule is saved, from the folder of the test's
	// package, "" if it is not.
	Saved string
	// Diagnosis is the report as data, Report the text for people.
	Diagnosis *report.Diagnosis
	Report    string

	preempted []int            // the events that are preemptions, ascending
	conflicts *trial.Conflicts // of its events, nil if they are not known
}

// Explore searches the executions of f as [Check] does, outside tests. There
// native code is not under control: f has to use the primitives of package sched.
// The error says that the search could not be done. It is, or wraps, a [NotDeterministicError],
// [StuckError], [TooLongError], [EngineError] or [ProgramError], or says that an option is
// invalid. A failing execution is no error, but part of the result, which is not nil unless
// nothing was run.
//
// If POR_REPLAY holds a schedule for the name of this search (see [Name]), only
// that schedule is run.
func Explore(f func(), opts ...Option) (*Result, error) {
	if hook.Active() {
		leaveExecution()
		return nil, errors.New("por: Explore inside Check: a closure that is being explored must not call Explore or Check itself")
	}
	if f == nil {
		return nil, errors.New("por: Explore: the closure is nil; give a func()")
	}
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	if uncontrolled != nil && !c.direct {
		return nil, uncontrolled
	}
	s := newSession(c, subject{repeatable: true, program: func(o exec.Options) trace.Program {
		return newClosure(f, o, newOrigin(f, c.direct))
	}})
	return s.explore(callerName(1))
}

// ExploreProgram searches a transition system that is not a Go closure, such as
// one of a researcher's own. Of the options on how closures run only [MaxSteps] has
// an effect: an execution of that length is over, and a livelock, whatever the
// program says. Reports name operations, not source lines.
//
// If p is an [exec.Assuming], as an [exec.Closure] is, the
// verdict names what it returns.
func ExploreProgram(p trace.Program, opts ...Option) (*Result, error) {
	if v := reflect.ValueOf(p); p == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errors.New("por: ExploreProgram: the program is nil")
	}
	if hook.Active() {
		leaveExecution()
	}
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	if _, ok := p.(*exec.Closure); !ok {
		p = guard.New(p, c.run.MaxSteps)
		if _, ok := c.engine.(Auto); ok {
			c.engine = Optimal{} // which is all that it would be here
		}
	}
	s := newSession(c, subject{program: func(exec.Options) trace.Program { return p }, borrowed: true})
	return s.explore(callerName(1))
}

// explore runs a session outside tests.
func (s *session) explore(caller string) (*Result, error) {
	s.where = place{name: s.cfg.name}
	if s.where.name == "" {
		s.where.name = caller
	}
	if s.about.Endless && s.cfg.maxExecutions == 0 {
		s.cfg.defaultTime(defaultCheckTime)
	}
	if err := s.prepareReplay(); err != nil {
		return nil, fmt.Errorf("por: %w", err)
	}
	return s.run()
}
