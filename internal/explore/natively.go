package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/natively"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file judges tests that fail in every execution. Such a test fails, as any test that fails,
// unless control itself is the cause. The judge is a run without control, in a process of its own
// (see package natively). The first row that fits decides:
//
//	| the failure under control             | without control | verdict                     |
//	|---------------------------------------|-----------------|-----------------------------|
//	| what executions leave is in its way   | is not made     | not explored                |
//	| any                                   | fails           | FAIL                        |
//	| deadlock, livelock: does not end      | hangs           | FAIL                        |
//	| deadlock, all of it under control     | any other       | FAIL                        |
//	| the cause is known to be ours         | any other       | not explored                |
//	| something met may be the cause        | any other       | not explored                |
//	| panic of another goroutine than main  | passes, skips   | FAIL: the run was over before |
//	| any                                   | passes, skips   | not explored, to be reported |
//	| any                                   | hangs, unknown  | FAIL                        |
//
// A run that fails since a port is in use, or a file exists, counts as unknown: executions may have
// left that. The cause is known to be ours (known) if code was met that is not under control, and
// such code could end the failure: all goroutines wait beside one that is not controlled, or for a
// timer that was made before the test, a deadline of the network passes in real time, or a
// finalizer does not run. Something that was met (met) may be the cause if it is among reasons: the
// clock, random numbers of one seed, files, other programs, and so on. A data race, or the use of a
// test that is over, is no matter of this table: one execution is enough for them. A deadlock is
// certain if the executions have met nothing but choices that a run also makes: the order of
// goroutines, how quick code is, random numbers, the order of a map. The run may pass by luck.

// doubt is a failure of all executions, or of some beside code that is not under control, which
// is yet to be judged.
type doubt struct {
	rep     report.Failure
	how     string // which executions have failed
	few     bool   // a limit has ended the search before others could be tried
	remains string // what executions may have left that is in the way of any run, "" for nothing
	known   string // the cause, if that is known to be ours, "" otherwise
	met     string // what may be the cause, "" if nothing was met that could
	certain bool   // it is a deadlock that a run without control may also come to
}

// fails reports whether the test fails, given what has come of a run without control.
func (d *doubt) fails(run natively.Outcome) bool {
	switch {
	case run.Result == natively.Fails:
		return true
	case run.Result == natively.Hangs && neverEnds(d.rep.Kind):
		return true
	case d.certain:
		return true
	case d.known != "" || d.met != "":
		return false
	case run.Result == natively.Passes || run.Result == natively.Skips:
		return d.isBackground()
	}
	return true
}

// neverEnds reports whether a test hangs that fails so.
func neverEnds(k trace.FailureKind) bool { return k == trace.FailDeadlock || k == trace.FailSteps }

// isBackground reports whether the failure is the panic of another goroutine than main. Without
// control the process may have ended before that.
func (d *doubt) isBackground() bool {
	return slices.ContainsFunc(d.rep.All, func(f trace.Failure) bool {
		return f.Kind == d.rep.Kind && f.Msg == d.rep.Msg && f.G != 0 && (f.Kind == trace.FailPanic || f.Kind == trace.FailFatal)
	})
}

// judge decides whether a test that fails in every execution fails, or cannot be explored.
func (s *Session) judge(res *report.Result) {
	u := s.tallied().unfit
	if u == nil || u.doubt == nil || len(res.Failures) > 0 {
		return
	}
	d := u.doubt
	run := s.natively(d)
	if !d.fails(run) {
		u.Headline, u.Text = d.tell(run)
		return
	}
	s.Findings.Tally.unfit = nil
	d.complete(run)
	s.write(&d.rep)
	res.Failures, res.Exhaustive = []report.Failure{d.rep}, false
	for v := &res.Verdict; v != nil; v = v.Then {
		v.Failures, v.Exhaustive = 1, false
	}
}

// natively runs the test without control, if that can tell something.
func (s *Session) natively(d *doubt) natively.Outcome {
	t, ok := s.Subject.Outer.(Existing)
	if !ok || d.remains != "" {
		return natively.Outcome{Says: "it would meet what executions have left"}
	}
	end := time.Now().Add(time.Hour)
	if d, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if at, ok := d.Deadline(); ok {
			soft, _ := Margins(time.Until(at))
			end = time.Now().Add(soft)
		}
	}
	limit := natively.Limit
	if d.known == "" && d.met == "" && neverEnds(d.rep.Kind) {
		limit = natively.Short // the test fails, unless it passes
	}
	run := t.Natively(limit, end, func() bool {
		return s.Hurry.Load() || s.Halted() == StopAbandoned || s.Halted() == StopInterrupted
	})
	if run.Result == natively.Fails && signOf(run.Says) != "" {
		return natively.Outcome{Says: "it fails by what executions may have left: " + run.Says}
	}
	return run
}

// complete says in the report of a test that fails which executions do, and what has come of the
// run without control.
func (d *doubt) complete(run natively.Outcome) {
	d.rep.Always = d.how
	note := ""
	switch run.Result {
	case natively.Fails:
		d.rep.Always += ", and also without control"
		note = "Without control: " + run.Says
	case natively.Hangs:
		d.rep.Always += ", and also without control"
		note = "Without control the test " + run.String() + "."
	case natively.Unknown:
		note = "Without control the test " + run.String() + "."
	default:
		if d.certain {
			note = "Without control the test " + run.String() + " this time. Its goroutines move in another order there."
			break
		}
		note = "Without control the test " + run.String() + ", where the process ends with its tests. A goroutine that the test leaves behind may not come so far there."
	}
	d.rep.Diagnosis.FailsAlways(d.rep.Always)
	d.rep.Diagnosis.Note = strings.TrimSpace(d.rep.Diagnosis.Note + "\n" + note)
}

// tell says why the test cannot be explored, in a line and at length.
func (d *doubt) tell(run natively.Outcome) (headline, text string) {
	cause := cmp.Or(d.remains, d.known, d.met)
	outcome := ", and " + run.String() + " without control"
	if run.Result == natively.Unknown || run.Result == natively.Hangs {
		outcome = ""
	}
	headline = fmt.Sprintf("fails under control %s%s: %v: %s", d.how, outcome, d.rep.Kind, d.rep.Msg)
	if cause != "" {
		headline += "; likely cause: " + cause
	}
	text = headline
	switch {
	case cause == "":
		text += "\nNothing has run that is known to be different under control. Please report that."
	case run.Result == natively.Unknown || run.Result == natively.Hangs:
		text += "\nWithout control the test " + run.String() + ". If it passes there, this is probably no bug."
	}
	if d.few {
		text += "\nOthers may pass: these were too few to tell. The flag -check.time of por check allows more."
	}
	return headline, text + "\n\n" + d.rep.Report
}

// doubtOf returns what is to be judged of a failure of all executions.
func (t *tally) doubtOf(s *Session, p trace.Program, rep report.Failure, assumptions []exec.Assumption) *doubt {
	if t.seeds == otherSeeds { // the numbers are not the reason
		assumptions = slices.DeleteFunc(slices.Clone(assumptions), func(a exec.Assumption) bool { return a.Kind == sched.AssumeRandom })
	}
	kept := s.Phase.Run.Library == sched.LibraryKept && slices.ContainsFunc(assumptions, isLeftRace)
	d := &doubt{rep: rep, how: t.how(s, kept), few: t.few(s)}
	d.remains = signOf(rep.Msg)
	d.known = knownCause(p, &rep, assumptions)
	d.met = likelyReason(rep.Kind, rep.Msg, assumptions)
	d.certain = rep.Kind == trace.FailDeadlock && d.known == "" && onlyChoices(assumptions)
	return d
}

// onlyChoices reports whether executions have met nothing but choices that runs without control
// make as well. All of their goroutines are under control then, and no execution finds what an
// earlier one has left.
func onlyChoices(assumptions []exec.Assumption) bool {
	return !slices.ContainsFunc(assumptions, func(a exec.Assumption) bool {
		return a.Kind == sched.AssumeCode || a.Kind == sched.AssumeVariable && !a.Is(hook.SharedByTests) || a.Kind == sched.AssumeSource || a.Kind == sched.AssumeCount || isLeftRace(a)
	})
}

// knownCause says why code that is not under control could end a failure, "" if that is not known.
func knownCause(p trace.Program, rep *report.Failure, assumptions []exec.Assumption) string {
	if u := unfitFor(rep); u != nil {
		return strings.TrimPrefix(u.Headline, "cannot be explored: ")
	}
	if slices.ContainsFunc(rep.All, waitsForRoom) {
		return "a TCP connection has room for 256 KiB under control, and " + hook.MoreRoom
	}
	if met := metOf(assumptions, sched.AssumeCode, "runtime."); met != "" {
		return "no finalizer or cleanup runs in an execution" + met
	}
	if c, ok := p.(*exec.Closure); ok && c.AskedToLimit() && slices.ContainsFunc(rep.All, func(f trace.Failure) bool { return f.Waits != nil && f.Waits.Hang != nil }) {
		return "a loop asks for the time so often that the clock, which moves on by that, comes to the limit of time"
	}
	return notOurs(p, rep.All, assumptions)
}

// waitsForRoom reports whether a goroutine waits for room that the system may have.
func waitsForRoom(f trace.Failure) bool {
	return f.Waits != nil && slices.ContainsFunc(f.Waits.Goroutines, func(w trace.Wait) bool { return strings.Contains(w.Why, hook.MoreRoom) })
}

// noteEarlier notes that a goroutine of the program's has been there before the test, and may do
// something with what the test uses: it is no part of the executions, and whether it moves during
// one is a matter of chance. The test may have ended it meanwhile, as when it closes a pool of a
// package variable: that is noted if no execution has passed.
func (s *Session) noteEarlier(p trace.Program) {
	c, ok := p.(*exec.Closure)
	if !ok || s.Findings.Tally == nil {
		return
	}
	at, ok := startedEarlier()
	if !ok && s.Findings.Tally.passed == 0 {
		at = s.Findings.earlier
		ok = at.File != ""
	}
	if ok {
		c.Note(exec.Assumption{Kind: sched.AssumeCode, What: "a goroutine that was started before the test, by TestMain or package initialisation", File: at.File, Line: at.Line})
	}
}

// lookBeside notes whether goroutines of the program have run outside of control.
func (s *Session) lookBeside(p trace.Program) {
	c, ok := p.(*exec.Closure)
	if !ok || s.Findings.uncontrolled != "" {
		return
	}
	if a := c.Beside(); a.What != "" && !slices.Contains(s.Cfg.Granted, sched.AssumeCode) {
		s.Findings.uncontrolled = "goroutines meet in the network, which is not under control (" + advice.Placed(a) + ")"
		if c.Wakers().What != "" {
			s.Findings.uncontrolled = "goroutines are not under control (" + advice.Placed(a) + ")"
		}
	}
}
