package explore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// The first execution is run twice, so that a program with a single trace is
// compared with something, too: its operations, its outcome and its log. All other
// executions are compared as far as they repeat each other.

// compareFirst runs the first execution once more and compares. It returns its
// failures, which it was given before.
func (s *Session) compareFirst(failures []trace.Failure) []trace.Failure {
	p, ok := (*s.Watched.Load()).(trace.Repeatable)
	if !ok || s.Subject.Poisoned != nil && s.Subject.Poisoned() {
		return failures
	}
	failures = slices.Clone(failures)
	log := s.logged()
	if err := p.Again(); err != nil {
		if !errors.Is(err, trace.ErrInterrupted) {
			s.differs(s.explainAgain(err))
		}
		return failures
	}
	again := (*s.Watched.Load()).(trace.Run).Outcome()
	text := differentOutcome(failures, again)
	switch {
	case text == "":
		text = format.DifferentLog(log, s.logged())
	case sameKinds(withoutLeaks(failures), withoutLeaks(again)) && len(failures) != len(again):
		// What holds a primitive may be garbage that the collector had not come to in the one
		// execution.
		return slices.MaxFunc([][]trace.Failure{failures, slices.Clone(again)}, func(a, b []trace.Failure) int { return len(a) - len(b) })
	case !sameKinds(failures, again):
		s.differs(s.notDeterministic(errors.New(text)))
		return failures
	}
	if c, ok := (*s.Watched.Load()).(*exec.Closure); ok && text != "" {
		// That is no failure, since what differs may be of no account, such as an
		// address, but it is a sign.
		c.Note(exec.Assumption{Kind: sched.AssumeSource, What: text})
	}
	return failures
}

// logged returns what the latest execution has logged.
func (s *Session) logged() string {
	if s.Subject.Log == nil {
		return ""
	}
	return s.Subject.Log()
}

// explainAgain explains why an execution could not be run once more.
func (s *Session) explainAgain(err error) error {
	var d *trace.DivergenceError
	switch {
	case errors.As(err, &d):
		return s.notDeterministic(d)
	case errors.Is(err, trace.ErrClosed):
		return s.wrongEngine(err, "has closed an execution before it has shown it"+s.report())
	}
	return err
}

// withoutLeaks returns the failures that are no leaks.
func withoutLeaks(all []trace.Failure) []trace.Failure {
	return slices.DeleteFunc(slices.Clone(all), func(f trace.Failure) bool { return f.Kind == trace.FailLeak })
}

// sameKinds reports whether two executions fail in the same ways, in other words perhaps.
func sameKinds(first, second []trace.Failure) bool {
	return slices.EqualFunc(first, second, func(a, b trace.Failure) bool { return a.Kind == b.Kind })
}

// differentOutcome says how the failures of two executions differ, "" if they do not.
func differentOutcome(first, second []trace.Failure) string {
	same := func(a, b trace.Failure) bool { return KeyOf(a) == KeyOf(b) }
	if slices.EqualFunc(first, second, same) {
		return ""
	}
	describe := func(fails []trace.Failure) string {
		if len(fails) == 0 {
			return "did not fail"
		}
		texts := make([]string, len(fails))
		for i, f := range fails {
			texts[i] = f.String()
		}
		return fmt.Sprintf("failed (%s)", strings.Join(texts, "; "))
	}
	return fmt.Sprintf("the first execution %s, and when it was run once more, it %s", describe(first), describe(second))
}
