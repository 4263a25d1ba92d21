package explore

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/budget"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/minimise"
	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/internal/tuning"
	"github.com/gopor/gopor/internal/written"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// mostLeakRuns is how often an execution is run to see a leak. A stale word on a stack may hide a
// leak, the more so where goroutines are preempted often. Nothing makes a leak of what is none.
const mostLeakRuns = 5

// examine minimises a failure and runs it once more for the report.
func (s *Session) examine(p trace.Program, f *Finding) report.Failure {
	if f.Poisoned {
		return s.examinePoisoned(p, f)
	}
	same := func(got trace.Failure) bool {
		return got.Kind == f.want.Kind && (s.Cfg.Limits.Failures == 1 || got.Msg == f.want.Msg)
	}
	begin := s.Clock()
	best, done := s.rerun(p, f)
	for n := 1; n < mostLeakRuns && done && f.want.Kind == trace.FailLeak && !best.Shows(same); n++ {
		best, done = s.rerun(p, f)
	}
	took := s.Clock().Sub(begin)
	s.Findings.long.Took = took
	fewest, unsteady := false, false
	note, always := "", ""
	switch {
	case !done:
		return s.bareReport(p, f, s.excess())
	case best.Shows(same) && endless(f.want.Kind):
		// With fewer preemptions the schedule would not show a livelock, but a
		// goroutine that is kept waiting.
	case best.Shows(same):
		best.Delay = trial.DelayOf(p, best.Primary, len(best.Schedule))
		s.within(p, 2*ReportTime.Every, func() { always = s.alwaysFails(p, f, took) })
		always = cmp.Or(always, s.tallied().luck)
		s.within(p, s.patience(), func() {
			best, fewest = minimise.Execution(p, best, ReportTime.Minimising(took, s.patience()), same, s.hurried, s.Clock)
			best = s.promptly(p, best, same)
		})
	default:
		note = "The failure did not show again when its schedule was run a second time: the closure depends on something besides the schedule (time, random numbers, the order of a map, state of an earlier execution)."
		best.Judge(f.Failures)
		unsteady = true
	}
	rep := s.newReport(p, best)
	rep.Execution, rep.Fewest, rep.Unsteady, rep.Always = f.Execution, fewest, unsteady, always
	s.illustrate(p, best, &rep, note)
	return rep
}

// Clock is a clock that stands still while the memory is looked through for what is leaked. A look
// takes longer than most executions, the more so on a machine that other work uses, and has a limit
// of its own.
func (s *Session) Clock() time.Time { return time.Now().Add(-s.Leaks.Took()) }

// ReportTime is how long what is done for the report of one failure may take. Tests that
// compare reports say more, since what is found in time depends on the machine.
var ReportTime = ReportTimes{Every: 200 * time.Millisecond, Least: 30 * time.Millisecond, Minimise: 500 * time.Millisecond, Total: 5 * time.Second, Near: time.Second}

type ReportTimes = budget.Times

// endless reports whether a failure is that an execution has reached the limit of steps.
func endless(k trace.FailureKind) bool { return k == trace.FailSteps || k == trace.FailLong }

// patience is how long it may take to run a failing execution once more, and twice that to record
// it.
func (s *Session) patience() time.Duration {
	switch {
	case s.Findings.portion > 0:
		return s.Findings.portion
	case s.Cfg.Limits.Time == 0:
		return s.Findings.long.AtLeast(ReportTime.Total)
	}
	return min(s.Findings.long.AtLeast(ReportTime.Total), max(s.Cfg.Limits.Time, tuning.FirstTime))
}

// examineAll reports what was found. All reports together take no longer than one may that
// is alone: each has an equal part of what those before it have left, and what is over at the end
// is reported as it was found.
func (s *Session) examineAll(p trace.Program) (reports []report.Failure) {
	s.Pulse.Minimising.Store(true)
	end := time.Now().Add(3 * s.patience())
	defer func() { s.Findings.portion = 0 }()
	for i := range s.Findings.Found {
		s.Findings.portion = Portion(time.Until(end), len(s.Findings.Found)-i)
		if s.Findings.portion <= 0 {
			reports = append(reports, s.bareReport(p, &s.Findings.Found[i], "the reports of others took too long"))
			continue
		}
		reports = append(reports, s.examine(p, &s.Findings.Found[i]))
	}
	return reports
}

// Portion is how long it may take to minimise the next of n failures, if there is so much time left
// for all and to record one takes twice as long.
func Portion(left time.Duration, n int) time.Duration { return left / time.Duration(3*n) }

// within calls f, which runs executions of p. They are interrupted when they take longer
// than d, or more memory than the search may.
func (s *Session) within(p trace.Program, d time.Duration, f func()) {
	s.Watched.Store(&p)
	s.Crammed.Store(false)
	if s.tooMuchMemory() {
		runtime.GC() // of what the search has kept
	}
	s.setDue(time.Now().Add(d))
	f()
	s.setDue(time.Time{})
	if c, ok := p.(trace.Interrupter); ok {
		c.Interrupt(false)
	}
}

func (s *Session) setDue(t time.Time) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.due = t
}

// tooMuchMemory reports whether there is a limit of memory, which is exceeded.
func (s *Session) tooMuchMemory() bool {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.heap != nil && s.heap.TooMuch()
}

// hurried reports whether no more executions are to be run for a report.
func (s *Session) hurried() bool { return s.Hurry.Load() || s.Crammed.Load() }

// excess says which limit the latest executions of a report have met.
func (s *Session) excess() string {
	if s.Crammed.Load() {
		return "that takes too much memory"
	}
	return "that takes too long"
}

// rerun runs a failing execution once more, and reports whether that could be done in
// time.
func (s *Session) rerun(p trace.Program, f *Finding) (t *trial.Trial, done bool) {
	s.within(p, s.patience(), func() { t, done = trial.Guide(p, f.Schedule, nil, nil) })
	return t, done
}

// bareReport reports a failing execution that takes too long, or cannot be run once more,
// as it was found, and says why.
func (s *Session) bareReport(p trace.Program, f *Finding, why string) report.Failure {
	t := &trial.Trial{Schedule: f.Schedule, Kinds: make([]trace.Kind, len(f.Schedule))}
	t.Judge(f.Failures)
	t.SpeakOf(f.want)
	rep := s.newReport(p, t)
	rep.Execution = f.Execution
	s.Findings.faults = budget.Planned(s.Phase.Run.Plan, p)
	rep.Diagnosis = s.diagnose(&rep, t, "The execution was not run a second time: "+why+".")
	s.write(&rep)
	return rep
}

// examinePoisoned reports a failure that has left every later execution looking
// as if it failed: it is run only once more, and not minimised.
func (s *Session) examinePoisoned(p trace.Program, f *Finding) report.Failure {
	t := &trial.Trial{Schedule: f.Schedule, Kinds: make([]trace.Kind, len(f.Schedule))}
	t.Judge(f.Failures)
	if !s.Subject.Borrowed {
		r := s.Program(true)
		defer s.Dismiss(r)
		s.within(r, 2*s.patience(), func() {
			s.Out.Begin()
			if again, done := trial.Guide(r, replay.New(0, trial.PathsOf(p), t.Schedule, t.Kinds).Schedule(trial.PathsOf(r)), nil, nil); done {
				t = again
				t.Judge(f.Failures)
			}
		})
		p = r
	}
	rep := s.newReport(p, t)
	rep.Execution = f.Execution
	s.enrich(p, t, &rep, "")
	return rep
}

// newReport returns the parts of a report that the trial tells.
func (s *Session) newReport(p trace.Program, t *trial.Trial) report.Failure {
	return report.Failure{
		Kind:        t.Primary.Kind,
		Msg:         t.Primary.Msg,
		All:         t.Failures,
		Schedule:    t.Schedule,
		Preemptions: t.Preemptions,
		Steps:       t.Steps,
		Replay:      s.scriptOf(p, t).Encode(),
		Time:        s.Phase.Run.Time,
	}
}

// scriptOf returns what replays a trial in another process.
func (s *Session) scriptOf(p trace.Program, t *trial.Trial) replay.Script {
	sc := replay.New(replay.Hash(s.Where.Name), trial.PathsOf(p), t.Schedule, t.Kinds)
	if sc.Time = s.Phase.Run.Time; sc.Time == sched.TimeLag {
		sc.Lag = s.Phase.Run.Lag
	}
	sc.Model = s.Phase.Run.Model & (sched.ModelLock | sched.ModelStream)
	sc.Pools = s.Phase.Run.OwnPools && slices.Contains(t.Kinds, trace.OpPool)
	sc.Seed, sc.Start, sc.Plan = s.Phase.Run.Seed, s.Phase.Run.Start, s.Phase.Run.Plan
	if c, ok := p.(*exec.Closure); ok {
		sc.Awaits, sc.Keyed = s.Phase.Run.Awaits && c.Loops(), s.Phase.Run.Keyed && c.Loops()
	}
	return sc
}

// illustrate runs the execution of a report once more, recording it, and writes
// the text.
func (s *Session) illustrate(p trace.Program, t *trial.Trial, rep *report.Failure, note string) {
	if !s.Subject.Borrowed {
		if c, ok := p.(*exec.Closure); ok {
			c.ForgetLatest() // the next one may need the memory
		}
		s.Findings.long.Decide(t, 2*s.patience())
		r := s.Program(true)
		defer s.Dismiss(r)
		var again *trial.Trial
		var err error
		s.within(r, 2*s.patience(), func() {
			s.Out.Begin()
			again, err = trial.Follow(r, replay.New(0, trial.PathsOf(p), t.Schedule, t.Kinds))
			if err == nil && slices.ContainsFunc(again.Failures, trial.IsRace) {
				// Now that the earlier access is known its stack can be taken.
				s.Out.Begin()
				again, err = trial.Follow(r, replay.New(0, trial.PathsOf(p), t.Schedule, t.Kinds))
			}
		})
		note = strings.TrimSpace(note + " " + s.Findings.long.Note())
		switch {
		case errors.Is(err, trace.ErrInterrupted):
			note = strings.TrimSpace(note + " The execution was recorded up to its step " + format.Grouped(int64(len(again.Schedule))) + " only: " + s.excess() + ".")
			if c, ok := r.(*exec.Closure); ok && t.Primary.Kind == trace.FailRace {
				rep.Entries = c.Record()
				c.ForgetLatest()
				if placed := s.placed(p, t); placed != nil {
					rep.Msg, rep.All, t.Primary = placed.Primary.Msg, placed.Failures, placed.Primary
				}
			}
		case err == nil && again.Shows(func(f trace.Failure) bool { return f.Kind == t.Primary.Kind }):
			rep.Msg, rep.All = again.Primary.Msg, again.Failures
			t = again
		}
		s.rest(p)
		p = r
	}
	if c, ok := p.(*exec.Closure); ok && s.Phase.Run.Time == sched.TimeLag {
		if rep.Delay = trial.DelayOf(c, t.Primary, len(t.Schedule)); rep.Delay.By > 0 {
			note = strings.TrimSpace("Needs a delay: " + DescribeDelay(rep.Delay) + ". " + note)
		}
	}
	s.enrich(p, t, rep, note)
}

// placed runs an execution that has a data race, and that takes too long to be recorded, for the
// positions of the race only. It returns nil if that takes too long as well.
func (s *Session) placed(p trace.Program, t *trial.Trial) *trial.Trial {
	r := s.Program(false)
	defer s.Dismiss(r)
	c, ok := r.(*exec.Closure)
	if !ok {
		return nil
	}
	c.KeepPlaces()
	defer s.spacious()()
	var again *trial.Trial
	var err error
	for range 3 { // which accesses race, where they are, and the calls that have led there
		s.within(r, 2*s.patience(), func() {
			again, err = trial.Follow(r, replay.New(0, trial.PathsOf(p), t.Schedule, t.Kinds))
		})
		if err != nil || !again.Shows(trial.IsRace) {
			return nil
		}
	}
	return again
}

// spacious lets executions take twice the memory until undo is called. An execution of the search
// has taken more than what is left beside what is kept of it.
func (s *Session) spacious() (undo func()) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	h := s.heap
	if h == nil {
		return func() {}
	}
	most := h.Most
	h.Most = 2 * most
	return func() {
		s.Mu.Lock()
		defer s.Mu.Unlock()
		h.Most = most
	}
}

// enrich completes a report by what the latest execution of p has recorded.
func (s *Session) enrich(p trace.Program, t *trial.Trial, rep *report.Failure, note string) {
	if c, ok := p.(exec.Recorder); rep.Entries != nil {
		// The record was too large to be kept.
	} else if ok && !s.Subject.Borrowed {
		rep.Entries = c.Record()
		s.Findings.faults = nil
		if c, ok := c.(*exec.Closure); ok {
			s.Findings.faults = c.FaultsRecorded()
		}
	} else {
		rep.Entries = trial.Transcript(p, t.Schedule)
	}
	s.rest(p)
	rep.Output = s.Out.Of(trial.PathsOf(p))
	rep.Log = written.Transcript(rep.Output)
	rep.Diagnosis = s.diagnose(rep, t, note)
	// The names of objects are those that the diagnosis has given.
	if record.Told() {
		rep.Order = Order(rep.Entries, rep.Steps, t.Preempted, t.Conflicts)
	}

	s.save(rep)
	s.write(rep)
}

// rest ends the goroutines that a program of the session keeps for further executions. What comes
// next is the session's own work, such as reading the source, with code of the standard library
// that announces what it does as long as there are such goroutines.
func (s *Session) rest(p trace.Program) {
	if c, ok := p.(*exec.Closure); ok && !s.Subject.Borrowed {
		c.Rest()
	}
}

// diagnose returns a report as data. Objects in it, and in the report, get their names.
func (s *Session) diagnose(rep *report.Failure, t *trial.Trial, note string) *report.Diagnosis {
	c := report.Case{Failure: t.Primary, All: rep.All, Entries: rep.Entries, Preempted: t.Preempted, Length: len(t.Schedule), Past: t.Conflicts.Past()}
	d := c.Diagnose()
	rep.Msg, rep.All = c.Failure.Msg, c.All
	d.Test, d.Package, d.Note, d.Log = s.Where.Test, s.Where.Pkg, note, rep.Log
	d.FailsAlways(rep.Always)
	d.Execution, d.Preemptions, d.Length, d.Fewest = rep.Execution, rep.Preemptions, rep.Steps, rep.Fewest
	d.Faults = s.Findings.faults
	d.Lag, d.Seed = rep.Time == sched.TimeLag, s.Phase.Run.Seed
	d.Replay, d.Saved, d.Command = rep.Replay, rep.Saved, s.Where.ReplayCommand(rep)
	return d
}

// write writes the report of what is known.
func (s *Session) write(rep *report.Failure) {
	rep.Report = rep.Diagnosis.Text(s.layout()) + s.Export(rep.Diagnosis)
}
