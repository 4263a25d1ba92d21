package explore

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/minimise"
	"github.com/gopor/gopor/internal/natively"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/internal/tuning"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file tells failures that depend on the schedule from those that every execution
// has. The latter are of little interest in a test that passes without control: time,
// parallelism and the network are what differs there.

// Existing is a test that was written without package por, and passes without control,
// as far as is known.
type Existing interface {
	// Unfit is told, in place of a failure, that the test cannot be explored: in one
	// line, and at length.
	Unfit(headline, text string)
	// Explored is told what has come of a search otherwise.
	Explored(v report.Verdict)
	// AllSkipped is told, in place of that, that the test has skipped itself in every execution,
	// and why, if it has said so.
	AllSkipped(reason string)
	// Natively runs the test once without control, for no longer than limit. The run is over at the
	// end, and when over says so.
	Natively(limit time.Duration, end time.Time, over func() bool) natively.Outcome
}

// tally counts executions by what is wrong with them.
type tally struct {
	passed, failed int64 // one that fails by a leak only counts as one that has passed
	Long           bool  // some have reached the limit of steps, and did something new until then
	enough         int64 // failed executions, none having passed, after which to stop

	always *Finding // the first execution that has failed, as long as all have

	// What may come of code that is not under control, and why: see setAside.
	aside    *Finding
	asideFor string

	Late *Finding // the first execution by lag that fails only since code is late, see isLate
	slow string   // what there is to say of it

	tried int64  // how many have failed, all with the same random numbers
	seeds int    // of other numbers, with which all have failed as well
	luck  string // what there is to say if some have not

	unfit *unfit
}

// unfit says why a test cannot be explored. If there is a doubt, it is yet to be judged whether it
// fails.
type unfit struct {
	Headline, Text string
	doubt          *doubt
}

// enough is how many executions have to fail, none having passed, for an engine to be
// stopped. The engine goes by small differences from its first execution, so as many
// others are drawn at random after it, in each of two ways.
const enough = 50

// weigh looks at an execution.
func (t *tally) weigh(s *Session, x *trace.Execution, failures []trace.Failure) {
	switch {
	case ContainsWrong(failures) && !t.ToleratesLate(s, x, failures):
		s.keep(x, failures)
	case len(failures) > 0 && trial.Primary(failures).Kind == trace.FailLong:
		t.Long = true
		s.State.Unfair++
	case len(failures) > 0 && t.ToleratesLate(s, x, failures):
		if t.Late == nil {
			t.Late = s.Finding(x, failures)
		}
		t.passed++
	case len(failures) > 0 && trial.Primary(failures).Kind != trace.FailLeak:
		t.failed++
		switch {
		case t.passed > 0:
			s.keep(x, failures)
		case t.always == nil:
			t.always = s.Finding(x, failures)
		}
		if t.passed == 0 && t.failed >= t.enough {
			s.Halt(stopAlways)
		}
	default:
		t.passed++
		t.release(s)
		if len(failures) > 0 {
			s.keep(x, failures) // a leak is a failure, even if every execution has it
		}
	}
}

// ToleratesLate reports whether an execution that fails does so only since code is late, so that
// this is no failure.
func (t *tally) ToleratesLate(s *Session, x *trace.Execution, failures []trace.Failure) bool {
	return t != nil && s.Phase.Run.Time == sched.TimeLag && !s.Cfg.Says.Clock && isLate(x, failures)
}

// ContainsWrong reports whether a failure is a mistake of the test's, or of what it tests, even if
// every execution has it: a data race, or its like, the use of a test that is over. One that has
// failed is over before its time, while others still use it: that comes of the failure.
func ContainsWrong(failures []trace.Failure) bool {
	failed := slices.ContainsFunc(failures, func(f trace.Failure) bool { return f.Kind == trace.FailAssertion })
	return slices.ContainsFunc(failures, func(f trace.Failure) bool { return trial.IsRace(f) || isLateUse(f) && !failed })
}

// isLateUse reports whether a goroutine has used a test that is over.
func isLateUse(f trace.Failure) bool {
	return f.Kind == trace.FailPanic && f.Fault == trace.FaultTestOver
}

// release reports what was held back, now that an execution has passed.
func (t *tally) release(s *Session) {
	if t.always != nil {
		s.Take(t.always)
		t.always = nil
	}
}

// sample draws executions at random after an engine of which all have failed.
func (s *Session) sample(p trace.Program, stats *trace.Stats) error {
	for _, e := range []trace.Engine{engine.PCT{Executions: enough}, engine.POS{Executions: enough}} {
		if s.Halted() != stopAlways {
			break
		}
		s.stop.Store(int32(Running))
		s.Faults.refused = false
		s.Findings.Tally.enough += enough
		more, err := s.search(p, e)
		*stats = stats.Then(&more)
		if err != nil {
			return err
		}
	}
	return nil
}

// tryMore draws other executions where all have failed: if there was no time for many, as long as a
// first one may take, and with other random numbers, if some are drawn.
func (s *Session) tryMore(p trace.Program) error {
	t := s.Findings.Tally
	if t == nil || t.always == nil || len(s.Findings.Found) > 0 || s.Halted() == StopAbandoned {
		return nil
	}
	defer s.Watched.Store(&p)
	t.tried = s.Executions.Load()
	if s.Halted() == StopTime && t.tried < enough {
		n, err := s.drawOthers(enough, s.since().Add(tuning.FirstTime))
		if t.tried += n; err != nil || t.always == nil {
			return err
		}
	}
	if assumptions := assumptionsOf(p); s.ordersMatter(assumptions) {
		if err := s.tryOrders(assumptions); err != nil || t.always == nil {
			return err
		}
	}
	if !s.numbersMatter(assumptionsOf(p)) {
		return nil
	}
	return s.tryNumbers()
}

// tryNumbers draws executions with the random numbers of other seeds.
func (s *Session) tryNumbers() error {
	end := time.Now().Add(max(s.Cfg.Limits.Time/lookPart, ReportTime.Every))
	for seed := uint64(1); seed <= otherSeeds && time.Now().Before(end); seed++ {
		var n int64
		var err error
		s.during(func(p *phase) { p.Run.Seed = seed }, func() { n, err = s.drawOthers(drawnForSeed, end) })
		if err != nil {
			return err
		}
		if s.Findings.Tally.always == nil {
			s.Findings.Tally.luck = fmt.Sprintf("in all executions with the random numbers of seed %d, and not with those of seed %d", s.Phase.Run.Seed, seed)
			return nil
		}
		if n > 0 {
			s.Findings.Tally.seeds++
		}
	}
	return nil
}

// drawOthers draws some executions as the options say now, until the end, and returns how many
// there were. If one passes, and does so again, it is the last, and what was held back is reported.
func (s *Session) drawOthers(some int64, end time.Time) (n int64, err error) {
	q := s.Program(false)
	defer s.Dismiss(q)
	var schedule trace.Schedule
	passed, again := false, false
	visit := func(x *trace.Execution) bool {
		if isInterrupted(x.Run) {
			return false
		}
		if failures := x.Run.Outcome(); !x.Blocked && !x.Pruned {
			n++
			passed = isFine(failures)
			schedule = append(schedule[:0], x.Schedule...)
		}
		return !passed && time.Now().Before(end) && !s.hurried()
	}
	s.within(q, time.Until(end), func() {
		_, err = engine.Random{Seed: s.Phase.Run.Seed, Executions: some}.Explore(q, visit)
		if err == nil && passed {
			// A file that every execution makes is there for none but the first one with its
			// numbers.
			t, done := trial.Guide(q, schedule, nil, nil)
			again = done && !isInterrupted(q) && isFine(t.Failures)
		}
	})
	if errors.Is(err, trace.ErrInterrupted) {
		err = nil
	}
	if again {
		s.Findings.Tally.passed++
		s.Findings.Tally.release(s)
	}
	return n, err
}

// isInterrupted reports whether the latest execution of a program was broken off.
func isInterrupted(p any) bool {
	c, ok := p.(trace.Interruptible)
	return ok && c.Interrupted()
}

// isFine reports whether an execution with these failures is none of those that fail in a test as
// it is.
func isFine(failures []trace.Failure) bool {
	return len(failures) == 0 || trial.Primary(failures).Kind == trace.FailLeak
}

// setAside is told what executions have met. It takes back what was found, and what all executions
// have had, if that may come of code that is not under control.
func (t *tally) setAside(s *Session, p trace.Program, assumptions []exec.Assumption) {
	all := s.Findings.Found
	if t.always != nil {
		all = append(slices.Clone(all), *t.always)
	}
	if len(all) == 0 {
		return
	}
	for _, f := range all {
		why := notOurs(p, f.Failures, assumptions)
		if why == "" {
			t.asideFor = ""
			return
		}
		t.asideFor = cmp.Or(t.asideFor, why)
	}
	t.aside, s.Findings.Found = &all[0], nil
}

// notOurs says why failures of an execution may come of code that is not under control, "" if they
// do not. Deadlines of the network pass in real time, while one goroutine waits for the network and
// those that it waits for have no turn, so that tells nothing of the schedule. Those of a net.Pipe,
// which is under control, say the same. And all goroutines wait only if there is no other one that
// goes on.
func notOurs(p trace.Program, failures []trace.Failure, assumptions []exec.Assumption) string {
	late := func(f trace.Failure) bool { return strings.Contains(f.Msg, "i/o timeout") }
	switch met := metOf(assumptions, sched.AssumeCode, "net."); {
	case ContainsWrong(failures):
	case met != "" && slices.ContainsFunc(failures, late):
		return "a deadline of the network passes in real time, while all other goroutines are stopped" + met
	case trial.Primary(failures).Kind == trace.FailDeadlock:
		if waker := cmp.Or(wakersOf(p), earlierOf(failures)); waker != "" {
			return "goroutines that are not under control may go on where all others wait" + waker
		}
	}
	return ""
}

// wakersOf tells, in brackets, after which call goroutines that are not under control may have let
// others go on, "" if there was none.
func wakersOf(p trace.Program) string {
	c, ok := p.(*exec.Closure)
	if !ok || c.Wakers().What == "" {
		return ""
	}
	return " (" + advice.Placed(c.Wakers()) + ")"
}

// earlierOf tells, in brackets, where a goroutine is that serves the channels which the failures
// say are known outside of the execution: one that the initialisation of a package has started, or
// TestMain. It is "" if there is none.
func earlierOf(failures []trace.Failure) string {
	served := func(o trace.Outside) bool { return !o.Timer }
	if !slices.ContainsFunc(failures, func(f trace.Failure) bool { return f.Waits != nil && slices.ContainsFunc(f.Waits.Outside, served) }) {
		return ""
	}
	if f, ok := startedEarlier(); ok {
		return " (" + stack.ShortName(f.Function) + ", " + f.Where() + ")"
	}
	return ""
}

// endsWithin is how long a goroutine that can run may take until it has ended. A goroutine may have
// said that it is done, and the test before has waited for that. On a busy machine it ends later.
const endsWithin = 100 * time.Millisecond

// startedEarlier returns where a goroutine of the program's is that the initialisation of a package
// has started, or TestMain, or an earlier test; ok is false if there is none.
func startedEarlier() (at stack.Frame, ok bool) {
	var runs bool
	for nap, end := time.Millisecond, time.Now().Add(endsWithin); ; nap *= 2 {
		at, runs, ok = earlier(stack.All())
		if !ok || !runs || time.Now().Add(nap).After(end) {
			return at, ok
		}
		time.Sleep(nap)
	}
}

// earlier returns where the first goroutine is that is none of an execution's; ok is false if there
// is none. Runs says that all of them can run. Then they may be about to end.
func earlier(all []stack.Goroutine) (at stack.Frame, runs, ok bool) {
	inModule := func(f stack.Frame) bool {
		return !f.Created && f.User() && stack.IsRewritten(stack.Package(f.Function))
	}
	for _, g := range all {
		if g.Has(stack.Controlled) || slices.ContainsFunc(g.Frames, runsTests) {
			continue
		}
		i := slices.IndexFunc(g.Frames, inModule)
		if i < 0 {
			continue
		}
		if g.Waits() != "runnable" && g.Waits() != "running" {
			return g.Frames[i], false, true
		}
		if !ok {
			at, runs, ok = g.Frames[i], true, true
		}
	}
	return at, runs, ok
}

// runsTests reports whether a goroutine with this frame runs tests, or waits for a search, so that
// it serves nothing.
func runsTests(f stack.Frame) bool {
	if f.Created {
		return false
	}
	in := stack.Package(f.Function)
	return in == "testing" || f.Function == "main.main" || in == reflect.TypeFor[Session]().PkgPath()
}

// conclude says what all executions have in common.
func (t *tally) conclude(s *Session, p trace.Program, assumptions []exec.Assumption) {
	switch {
	case len(s.Findings.Found) > 0:
	case t.aside != nil:
		d := t.doubtOf(s, p, s.again(p, t.aside), assumptions)
		d.known = t.asideFor
		if t.always == nil {
			d.how = "in some executions"
		}
		t.unfit = &unfit{doubt: d}
	case t.Long && t.passed == 0 && t.always == nil:
		text := fmt.Sprintf("too long to explore: an execution takes more than %s", format.Counted(int64(s.Phase.Run.MaxSteps), "step"))
		t.unfit = &unfit{Headline: text, Text: text + ", and does something new until then. The flag -check.steps of por check raises the limit."}
	case t.always != nil:
		t.unfit = &unfit{doubt: t.doubtOf(s, p, s.again(p, t.always), assumptions)}
	}
}

// few reports whether a limit has ended the search before there were enough executions to tell that
// all fail.
func (t *tally) few(s *Session) bool {
	return s.Halted() != Running && t.tried < enough
}

// how says which executions have failed, where all have. Kept says that they have left all races
// inside libraries in the order in which they came.
func (t *tally) how(s *Session, kept bool) string {
	text := ""
	switch {
	case t.few(s) && t.tried > 1:
		text = fmt.Sprintf("in all %s that the limits allowed", format.Counted(t.tried, "execution"))
	case t.few(s):
		text = "in the only execution that the limits allowed"
	case kept:
		text = fmt.Sprintf("in all %s with races inside libraries in one order", format.Counted(t.tried, "execution"))
	case t.tried > 1:
		text = fmt.Sprintf("whatever the schedule, in all %s", format.Counted(t.tried, "execution"))
	default:
		text = "whatever the schedule"
	}
	if t.seeds > 0 {
		text += fmt.Sprintf(" and with the random numbers of %s", format.Counted(int64(t.seeds), "other seed"))
	}
	return text
}

// again reports a failing execution as it is.
func (s *Session) again(p trace.Program, f *Finding) report.Failure {
	defer func(store *Store) { s.Store = store }(s.Store)
	s.Store = nil // it is not to be saved, since it tells nothing of the schedule
	t, done := s.rerun(p, f)
	if !done {
		f.want = trial.Primary(f.Failures)
		return s.bareReport(p, f, s.excess())
	}
	if len(t.Failures) == 0 {
		t.Judge(f.Failures)
	}
	s.within(p, s.patience(), func() { t = minimise.Plain(p, t) })
	rep := s.newReport(p, t)
	rep.Execution = f.Execution
	s.illustrate(p, t, &rep, "")
	return rep
}

// Existing makes a session one of a test that was not written for control.
func (s *Session) Existing() {
	s.Findings.Tally = &tally{enough: enough}
	s.Findings.earlier, _ = startedEarlier()
	s.Cfg.Run.Overdue = true     // no clock that it has been run on is exact
	s.Cfg.Run.PollersLeak = true // a goroutine that polls for ever is left behind, and no livelock
}

// IsOrdinary reports whether a failing execution is a failure: that is not known of a test that
// knows nothing of package por until one has passed.
func (t *tally) IsOrdinary() bool {
	return t == nil || t.passed > 0 && t.always == nil
}
