package por

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// This file is about failures by lag: how late code has to be for them.

// plausibleDelay is how late code is now and then without anybody being surprised. An
// assertion of a test that knows nothing of this package, and fails only if code is later
// than that, is noted, and no failure: it may be one that time itself has to pass quickly,
// or slowly enough. So is a data race that shows only then.
const plausibleDelay = 10 * time.Millisecond

// delayOf returns by how much an execution of p has had code late until it has failed.
func delayOf(p any, f trace.Failure, steps int) sched.Delay {
	c, ok := p.(*sched.Closure)
	if !ok {
		return sched.Delay{}
	}
	if f.Step >= 0 && shows(f.Kind) {
		steps = f.Step
	}
	return c.Delay(steps)
}

// promptly looks for an execution that fails as best does with code less late, and no
// more preemptions: it runs its schedule with less and less lag.
func (s *session) promptly(p trace.Program, best *trial, same func(trace.Failure) bool) *trial {
	c, ok := p.(*sched.Closure)
	if !ok || s.cfg.run.Time != sched.TimeLag || s.hurry.Load() {
		return best
	}
	c.HoldLag(true)
	defer func() {
		c.HoldLag(false)
		c.SetLag(s.cfg.run.Lag)
	}()
	end := time.Now().Add(s.patience() / 2)
	over := func() bool { return time.Now().After(end) }
	low, high := time.Duration(0), s.cfg.run.Lag // it fails with the latter
	for high-low > high/16+1 && !over() {
		lag := low + (high-low)/2
		c.SetLag(lag)
		fails := func(t *trial, done bool) bool {
			return done && t.shows(same) && t.preemptions <= best.preemptions
		}
		t, done := guided(p, best.schedule, nil, nil)
		if !fails(t, done) {
			t, done = hastened(p, best.schedule, over)
		}
		if !fails(t, done) {
			low = lag
			continue
		}
		t.delay = delayOf(p, t.primary, len(t.schedule))
		best, high = t, min(lag, max(t.delay.By, 1))
	}
	return best
}

// hastened runs an execution along a schedule that may have code later than the lag allows. Where a choice of the
// schedule cannot be made, such as a move of the clock, the next stretch that can go on comes first. The result is false if
// the execution gets too long, or is given up since over says true.
func hastened(p trace.Program, want trace.Schedule, over func() bool) (*trial, bool) {
	r := p.Start()
	defer r.Close()
	t := &trial{schedule: make(trace.Schedule, 0, len(want))}
	last, most := noGoroutine, 2*len(want)
	for ops := r.Pending(); len(ops) > 0; ops = r.Pending() {
		if len(t.schedule) > most || over() {
			return t, false
		}
		lastReady := pendingOf(ops, last)
		op := cmp.Or(lastReady, firstOf(ops))
		c := trace.Choice{G: op.G}
		if want = possible(r, ops, want); len(want) > 0 {
			op, c, want = chosen(r, ops, want[0]), want[0], want[1:]
		}
		t.add(c, op.Kind, lastReady != nil && c.G != last)
		if _, err := r.Step(c); err != nil {
			return t, false
		}
		last = c.G
	}
	t.judge(r.Outcome())
	return t, true
}

// possible returns a schedule from the first stretch on that can go on, with what comes before that after it.
func possible(r trace.Run, ops []*trace.Op, want trace.Schedule) trace.Schedule {
	next := slices.IndexFunc(want, func(c trace.Choice) bool {
		op := chosen(r, ops, c)
		return op != nil && c.Alt < op.Alts
	})
	switch {
	case next < 0:
		return nil
	case next == 0:
		return want
	}
	after := stretch(want, next)
	return slices.Concat(want[next:after], want[:next], want[after:])
}

// describeDelay says how late code has to be, "" if it need not be.
func describeDelay(d sched.Delay) string {
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

// isLate reports whether what is wrong with an execution by lag is only that a test
// expects something of it which needs code to be not that late, or a race that needs code to be that late.
func isLate(x *trace.Execution, failures []trace.Failure) bool {
	for _, f := range failures {
		if f.Kind != trace.FailAssertion && !isRace(f) || delayOf(x.Run, f, x.Run.Len()).By < plausibleDelay {
			return false
		}
	}
	return true
}

// judgeLate looks at the failure that code had to be late for: if less is enough, it is
// a failure as any other.
func (t *tally) judgeLate(s *session, p trace.Program, res *Result) {
	if t.late == nil || len(res.Failures) > 0 || s.halted() == stopAbandoned {
		return
	}
	t.late.want = primary(t.late.failures)
	s.noted = true
	rep := s.examine(p, t.late)
	s.noted = false
	if rep.Delay.By < plausibleDelay {
		s.save(&rep)
		s.write(&rep)
		res.Failures = append(res.Failures, rep)
		return
	}
	t.slow = fmt.Sprintf("but when %s: %v: %s", describeDelay(rep.Delay), rep.Kind, rep.Msg)
}
