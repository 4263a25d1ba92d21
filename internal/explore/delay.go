package explore

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file is about failures by lag: how late code has to be for them.

// plausibleDelay is how late code is now and then on any machine. An
// assertion of a test that knows nothing of package por, and fails only if code is later
// than that, is noted, and no failure: it may be one that time itself has to pass quickly,
// or slowly enough. So is a data race that shows only then.
const plausibleDelay = 10 * time.Millisecond

// promptly looks for an execution that fails as best does with code less late, and no
// more preemptions: it runs its schedule with less and less lag.
func (s *Session) promptly(p trace.Program, best *trial.Trial, same func(trace.Failure) bool) *trial.Trial {
	c, ok := p.(*exec.Closure)
	if !ok || s.Phase.Run.Time != sched.TimeLag || s.Hurry.Load() {
		return best
	}
	c.HoldLag(true)
	defer func() {
		c.HoldLag(false)
		c.SetLag(s.Phase.Run.Lag)
	}()
	end := time.Now().Add(s.patience() / 2)
	over := func() bool { return time.Now().After(end) }
	// With less lag the schedule may lead to an execution without end.
	within := func(steps int) func() bool {
		return func() bool { steps -= trial.Glance; return steps < 0 || over() }
	}
	low, high := time.Duration(0), s.Phase.Run.Lag // it fails with the latter
	for high-low > high/16+1 && !over() {
		lag := low + (high-low)/2
		c.SetLag(lag)
		fails := func(t *trial.Trial, done bool) bool {
			return done && t.Shows(same) && t.Preemptions <= best.Preemptions
		}
		t, done := trial.Guide(p, best.Schedule, nil, within(2*len(best.Schedule)+trial.Glance))
		if !fails(t, done) {
			t, done = trial.Hasten(p, best.Schedule, over)
		}
		if !fails(t, done) {
			low = lag
			continue
		}
		t.Delay = trial.DelayOf(p, t.Primary, len(t.Schedule))
		best, high = t, min(lag, max(t.Delay.By, 1))
	}
	return best
}

// DescribeDelay says how late code has to be, "" if it need not be.
func DescribeDelay(d exec.Delay) string {
	if d.By == 0 {
		return ""
	}
	place := d.Name
	if strings.HasPrefix(place, "cancel ") {
		place = "the cancelling of a derived context"
	}
	if d.File != "" {
		place += fmt.Sprintf(" at %s:%d", filepath.Base(d.File), d.Line)
	}
	return fmt.Sprintf("%s is late by %v", place, roundDelay(d.By))
}

// roundDelay leaves out of a delay what looking at the clock has added to it.
func roundDelay(d time.Duration) time.Duration {
	if d >= time.Millisecond {
		return d.Round(10 * time.Microsecond)
	}
	return d
}

// isLate reports whether what is wrong with an execution by lag is only that a test expects
// something of it which needs code to be not that late, or a race that needs code to be that late.
func isLate(x *trace.Execution, failures []trace.Failure) bool {
	for _, f := range failures {
		if f.Kind != trace.FailAssertion && !trial.IsRace(f) || trial.DelayOf(x.Run, f, x.Run.Len()).By < plausibleDelay {
			return false
		}
	}
	return true
}

// judgeLate looks at the failure that code had to be late for: if less is enough, it is
// a failure as any other.
func (t *tally) judgeLate(s *Session, p trace.Program, res *report.Result) {
	if t.Late == nil || len(res.Failures) > 0 || s.Halted() == StopAbandoned {
		return
	}
	late := t.Late
	t.Late = nil // a later phase may be in discrete time, where the schedule does not fail
	late.want = trial.Primary(late.Failures)
	s.Findings.noted = true
	rep := s.examine(p, late)
	s.Findings.noted = false
	if rep.Delay.By < plausibleDelay {
		s.save(&rep)
		s.write(&rep)
		res.Failures = append(res.Failures, rep)
		return
	}
	t.slow = fmt.Sprintf("but when %s: %v: %s", DescribeDelay(rep.Delay), rep.Kind, rep.Msg)
}
