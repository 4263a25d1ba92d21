package explore

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/guard"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file says what is at fault if a search could not be done: the engine, the program, or
// gopor.

// StopFor stops the search because of an error that the visitor has found.
func (s *Session) StopFor(err error) {
	if s.Faults.Doubt == nil {
		s.Faults.Doubt = err
	}
	s.Halt(stopDoubt)
}

// suspect stops the search because the engine does what it must not.
func (s *Session) suspect(format string, args ...any) {
	s.StopFor(s.wrongEngine(nil, fmt.Sprintf(format, args...)+s.report()))
}

func (s *Session) wrongEngine(err error, text string) error {
	engine := s.Phase.engine.Name()
	return &report.EngineError{Engine: engine, Text: "the engine " + engine + " is wrong: it " + text, Err: err}
}

// report asks for a report if the engine is one of this module.
func (s *Session) report() string {
	if !isOurs(s.Phase.engine) {
		return ""
	}
	return "; please report this as a bug of gopor"
}

// isOurs reports whether the engine is one of this module's.
func isOurs(e trace.Engine) bool {
	if _, ok := e.(interface{ ForParent() }); ok {
		return true
	}
	return engine.IsKnown(e)
}

// doubtEngine stops the search because of an execution that must not be shown.
func (s *Session) doubtEngine(x *trace.Execution) {
	switch {
	case s.Faults.refused:
		s.suspect("has gone on although the visitor wanted no more executions")
	case x == nil:
		s.suspect("has shown nil in place of an execution")
	default:
		s.suspect("has shown an execution without a Run")
	}
}

// Unshown says that there is a livelock which no execution has shown: the engine has given up going
// round it before the limit of steps was reached.
func (s *Session) Unshown(stats *trace.Stats) error {
	if stats.Livelocks == 0 || s.Halted() != Running || len(s.Findings.Found) > 0 || s.State.Unfair > 0 || s.Findings.Tally != nil && (s.Findings.Tally.always != nil || s.Findings.Tally.Long) {
		return nil
	}
	return fmt.Errorf("livelock: no execution that reaches any of %s terminates. To see one, lower the step limit: %s",
		format.Counted(stats.Livelocks, "state"), s.FrontEnd().With(advice.SettingSteps, "10_000"))
}

// nonsense says what cannot be right of what an engine says that has come to its end.
func (s *Session) nonsense(stats *trace.Stats) error {
	shown := s.Executions.Load() - s.State.earlier
	said := stats.Executions + s.State.Unfair
	switch {
	case s.Halted() != Running:
		return nil
	case stats.Exhaustive && shown == 0 && s.blocked.Load() == 0:
		s.suspect("says that it has covered everything, but has shown no execution")
	case said != shown:
		s.suspect("says that it has run %s, but has shown %s", format.Counted(said, "complete execution"), format.Grouped(shown))
	}
	return s.Faults.Doubt
}

// WorkerError is what a process that explores for this one says is wrong.
type WorkerError struct{ Text string }

func (e *WorkerError) Error() string { return e.Text }

// Explain adds to an engine's error what the user can do about it.
func (s *Session) Explain(p trace.Program, err error) error {
	var engine *report.EngineError
	var program *guard.Error
	var u *report.NotDeterministicError
	var worker *WorkerError
	var choice *trace.ChoiceError
	var d *trace.DivergenceError
	switch {
	case errors.As(err, &worker), errors.As(err, &engine), errors.As(err, &u):
		return err
	case errors.As(err, &program):
		return &report.ProgramError{Err: err}
	case errors.As(err, &choice) && isOurs(s.Phase.engine):
		// By far the likeliest.
		return &report.NotDeterministicError{What: s.Subject.What(), Engine: s.Phase.engine.Name(), Err: err}
	case errors.As(err, &choice) && s.steady(p, choice):
		text := "chose an operation that is not pending: " + choice.Error()
		if s.Subject.Borrowed {
			text += "; or the accesses of the program's operations break the laws of trace.Program"
		}
		return s.wrongEngine(err, text)
	case errors.As(err, &d):
		return s.notDeterministic(err)
	}
	return fmt.Errorf("engine %s: %w", s.Phase.engine.Name(), err)
}

// suspects are what is known to do something else under one and the same schedule, the likeliest
// first, by what is noted of executions.
var suspects = []struct{ prefix, text string }{
	{"the C function ", "what C code keeps, which is not under control"},
	{"os/exec.", "what another program does, which is not under control"},
	{"runtime.SetFinalizer", "when the garbage collector runs a finalizer"},
	{"runtime.AddCleanup", "when the garbage collector runs a cleanup"},
	{"net.", "what comes from the network, and when its deadlines pass, which is not under control"},
}

// suspectOf adds to an error, if it is that the program is not deterministic, what the search has
// met that may be the cause.
func suspectOf(err error, met []exec.Assumption) {
	var u *report.NotDeterministicError
	if !errors.As(err, &u) {
		return
	}
	for _, x := range suspects {
		i := slices.IndexFunc(met, func(a exec.Assumption) bool {
			return a.Kind == sched.AssumeCode && a.Is(x.prefix)
		})
		if i >= 0 {
			u.Likely = x.text + ": " + met[i].String()
			return
		}
	}
}

func (s *Session) notDeterministic(err error) error {
	return &report.NotDeterministicError{What: s.Subject.What(), Err: err}
}

// What returns how messages call what is explored.
func (s *Subject) What() string {
	if s.Borrowed {
		return "program"
	}
	return "closure"
}

// steady reports whether the program does the same, every time, before a choice that
// the engine should not have made, so that this is not the program's fault.
func (s *Session) steady(p trace.Program, e *trace.ChoiceError) bool {
	if r, ok := p.(trace.Run); ok {
		r.Close()
	}
	var before []trace.Op
	for try := range 3 {
		r := p.Start()
		err := r.Replay(e.After)
		var ops []trace.Op
		for _, op := range r.Pending() {
			ops = append(ops, trace.Op{G: op.G, Kind: op.Kind, Obj: op.Obj, Alts: op.Alts})
		}
		r.Close()
		if err != nil || try > 0 && !reflect.DeepEqual(ops, before) {
			return false
		}
		if slices.ContainsFunc(ops, func(op trace.Op) bool { return op.G == e.Choice.G && e.Choice.Alt < op.Alts && e.Choice.Alt >= 0 }) {
			return false
		}
		before = ops
	}
	return true
}

// mishap returns the error for a panic of the goroutine that searches, nil for a
// Goexit.
func (s *Session) mishap(r any, stack []byte) error {
	engine := s.Phase.engine.Name()
	if p, ok := r.(*trace.DecidePanic); ok {
		r, stack = p.Value, p.Stack
	}
	g := s.guard()
	switch p, ok := r.(*guard.Error); {
	case ok:
		return &report.ProgramError{Err: p}
	case r == nil && g != nil && g.Exited():
		return &report.ProgramError{Err: guard.Wrong("it has called runtime.Goexit, which ends the goroutine that searches")}
	case s.Faults.Visiting || !s.Faults.exploring:
		return fmt.Errorf("package por panicked: %v; please report this as a bug of gopor\n%s", r, stack)
	case r == nil:
		return s.wrongEngine(nil, "has called runtime.Goexit, which ends the goroutine that searches"+s.report())
	}
	return &report.EngineError{Engine: engine, Text: fmt.Sprintf("the engine %s panicked: %v%s\n%s", engine, r, s.report(), stack)}
}

// guard returns the guard of the program that is explored, nil if there is none.
func (s *Session) guard() *guard.Program {
	p := s.Watched.Load()
	if p == nil {
		return nil
	}
	g, _ := (*p).(*guard.Program)
	return g
}
