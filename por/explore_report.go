package por

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/minimise"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/internal/tuning"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// examine minimises a failure and runs it once more for the report.
func (s *session) examine(p trace.Program, f *finding) report.Failure {
	if f.poisoned {
		return s.examinePoisoned(p, f)
	}
	same := func(got trace.Failure) bool {
		return got.Kind == f.want.Kind && (s.cfg.limits.failures == 1 || got.Msg == f.want.Msg)
	}
	begin := s.clock()
	best, done := s.rerun(p, f)
	took := s.clock().Sub(begin)
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
		s.within(p, 2*reportTime.every, func() { always = s.alwaysFails(p, f, took) })
		always = cmp.Or(always, s.tallied().luck)
		s.within(p, s.patience(), func() {
			best, fewest = minimise.Execution(p, best, reportTime.minimising(took, s.patience()), same, s.hurried, s.clock)
			best = s.promptly(p, best, same)
		})
	default:
		note = "The failure did not show again when its schedule was run a second time: the closure depends on something besides the schedule (time, random numbers, the order of a map, state of an earlier execution)."
		best.Judge(f.failures)
		unsteady = true
	}
	rep := s.newReport(p, best)
	rep.Execution, rep.Fewest, rep.Unsteady, rep.Always = f.execution, fewest, unsteady, always
	s.illustrate(p, best, &rep, note)
	return rep
}

// clock is a clock that stands still while the memory is looked through for what is leaked. A look
// takes longer than most executions, the more so on a machine that other work uses, and has a limit
// of its own.
func (s *session) clock() time.Time { return time.Now().Add(-s.leaks.Took()) }

// reportTime is how long what is done for the report of one failure may take. Tests that
// compare reports say more, since what is found in time depends on the machine.
var reportTime = reportTimes{every: 200 * time.Millisecond, minimise: 500 * time.Millisecond, total: 5 * time.Second, near: time.Second}

type reportTimes struct {
	every    time.Duration // of looking for a schedule that does not fail
	minimise time.Duration // of minimising
	total    time.Duration // of running the execution once more, and of recording it
	near     time.Duration // of looking near a saved schedule that does not fit
}

// minimising is how long it may take to minimise an execution that takes as long as took says,
// where there is no more time than total.
func (t reportTimes) minimising(took, total time.Duration) time.Duration {
	total = min(total, t.minimise)
	// The budget is a few dozen executions of this length: the outcome is too long to read even
	// then.
	if took > t.minimise/50 {
		total /= 2
	}
	return total
}

// endless reports whether a failure is that an execution has reached the limit of steps.
func endless(k trace.FailureKind) bool { return k == trace.FailSteps || k == trace.FailLong }

// patience is how long it may take to run a failing execution once more, and twice that to record
// it.
func (s *session) patience() time.Duration {
	switch {
	case s.findings.portion > 0:
		return s.findings.portion
	case s.cfg.limits.time == 0:
		return reportTime.total
	}
	return min(reportTime.total, max(s.cfg.limits.time, tuning.FirstTime))
}

// examineAll reports what was found. All reports together take no longer than one may that
// is alone: each has an equal part of what those before it have left, and what is over at the end
// is reported as it was found.
func (s *session) examineAll(p trace.Program) (reports []report.Failure) {
	s.pulse.minimising.Store(true)
	end := time.Now().Add(3 * s.patience())
	defer func() { s.findings.portion = 0 }()
	for i := range s.findings.found {
		s.findings.portion = portion(time.Until(end), len(s.findings.found)-i)
		if s.findings.portion <= 0 {
			reports = append(reports, s.bareReport(p, &s.findings.found[i], "the reports of others took too long"))
			continue
		}
		reports = append(reports, s.examine(p, &s.findings.found[i]))
	}
	return reports
}

// portion is how long it may take to minimise the next of n failures, if there is so much time left
// for all and to record one takes twice as long.
func portion(left time.Duration, n int) time.Duration { return left / time.Duration(3*n) }

// within calls f, which runs executions of p. They are interrupted when they take longer
// than d, or more memory than the search may.
func (s *session) within(p trace.Program, d time.Duration, f func()) {
	s.watched.Store(&p)
	s.crammed.Store(false)
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

func (s *session) setDue(t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due = t
}

// tooMuchMemory reports whether there is a limit of memory, which is exceeded.
func (s *session) tooMuchMemory() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heap != nil && s.heap.tooMuch()
}

// hurried reports whether no more executions are to be run for a report.
func (s *session) hurried() bool { return s.hurry.Load() || s.crammed.Load() }

// excess says which limit the latest executions of a report have met.
func (s *session) excess() string {
	if s.crammed.Load() {
		return "that takes too much memory"
	}
	return "that takes too long"
}

// rerun runs a failing execution once more, and reports whether that could be done in
// time.
func (s *session) rerun(p trace.Program, f *finding) (t *trial.Trial, done bool) {
	s.within(p, s.patience(), func() { t, done = trial.Guide(p, f.schedule, nil, nil) })
	return t, done
}

// bareReport reports a failing execution that takes too long, or cannot be run once more,
// as it was found, and says why.
func (s *session) bareReport(p trace.Program, f *finding, why string) report.Failure {
	t := &trial.Trial{Schedule: f.schedule, Kinds: make([]trace.Kind, len(f.schedule))}
	t.Judge(f.failures)
	t.SpeakOf(f.want)
	rep := s.newReport(p, t)
	rep.Execution = f.execution
	rep.Diagnosis = s.diagnose(&rep, t, "The execution was not run a second time: "+why+".")
	s.write(&rep)
	return rep
}

// examinePoisoned reports a failure that has left every later execution looking
// as if it failed: it is run only once more, and not minimised.
func (s *session) examinePoisoned(p trace.Program, f *finding) report.Failure {
	t := &trial.Trial{Schedule: f.schedule, Kinds: make([]trace.Kind, len(f.schedule))}
	t.Judge(f.failures)
	if !s.subject.borrowed {
		r := s.program(true)
		defer s.dismiss(r)
		s.within(r, 2*s.patience(), func() {
			s.out.begin()
			if again, done := trial.Guide(r, replay.New(0, trial.PathsOf(p), t.Schedule, t.Kinds).Schedule(trial.PathsOf(r)), nil, nil); done {
				t = again
				t.Judge(f.failures)
			}
		})
		p = r
	}
	rep := s.newReport(p, t)
	rep.Execution = f.execution
	s.enrich(p, t, &rep, "")
	return rep
}

// newReport returns the parts of a report that the trial tells.
func (s *session) newReport(p trace.Program, t *trial.Trial) report.Failure {
	return report.Failure{
		Kind:        t.Primary.Kind,
		Msg:         t.Primary.Msg,
		All:         t.Failures,
		Schedule:    t.Schedule,
		Preemptions: t.Preemptions,
		Steps:       t.Steps,
		Replay:      s.scriptOf(p, t).Encode(),
		Time:        s.phase.run.Time,
	}
}

// scriptOf returns what replays a trial in another process.
func (s *session) scriptOf(p trace.Program, t *trial.Trial) replay.Script {
	sc := replay.New(replay.Hash(s.where.name), trial.PathsOf(p), t.Schedule, t.Kinds)
	if sc.Time = s.phase.run.Time; sc.Time == sched.TimeLag {
		sc.Lag = s.phase.run.Lag
	}
	sc.Model = s.phase.run.Model & sched.ModelLock
	sc.Seed, sc.Start = s.phase.run.Seed, s.phase.run.Start
	if c, ok := p.(*exec.Closure); ok {
		sc.Awaits, sc.Keyed = s.phase.run.Awaits && c.Loops(), s.phase.run.Keyed && c.Loops()
	}
	return sc
}

// illustrate runs the execution of a report once more, recording it, and writes
// the text.
func (s *session) illustrate(p trace.Program, t *trial.Trial, rep *report.Failure, note string) {
	if !s.subject.borrowed {
		r := s.program(true)
		defer s.dismiss(r)
		var again *trial.Trial
		var err error
		s.within(r, 2*s.patience(), func() {
			s.out.begin()
			again, err = trial.Follow(r, replay.New(0, trial.PathsOf(p), t.Schedule, t.Kinds))
			if err == nil && slices.ContainsFunc(again.Failures, trial.IsRace) {
				// Now that the earlier access is known its stack can be taken.
				s.out.begin()
				again, err = trial.Follow(r, replay.New(0, trial.PathsOf(p), t.Schedule, t.Kinds))
			}
		})
		switch {
		case errors.Is(err, trace.ErrInterrupted):
			note = strings.TrimSpace(note + " The execution was recorded up to its step " + format.Grouped(int64(len(again.Schedule))) + " only: " + s.excess() + ".")
		case err == nil && again.Shows(func(f trace.Failure) bool { return f.Kind == t.Primary.Kind }):
			rep.Msg, rep.All = again.Primary.Msg, again.Failures
			t = again
		}
		p = r
	}
	if c, ok := p.(*exec.Closure); ok && s.phase.run.Time == sched.TimeLag {
		if rep.Delay = trial.DelayOf(c, t.Primary, len(t.Schedule)); rep.Delay.By > 0 {
			note = strings.TrimSpace("Needs a delay: " + describeDelay(rep.Delay) + ". " + note)
		}
	}
	s.enrich(p, t, rep, note)
}

// enrich completes a report by what the latest execution of p has recorded.
func (s *session) enrich(p trace.Program, t *trial.Trial, rep *report.Failure, note string) {
	if c, ok := p.(exec.Recorder); ok && !s.subject.borrowed {
		rep.Entries = c.Record()
	} else {
		rep.Entries = trial.Transcript(p, t.Schedule)
	}
	rep.Order = order(rep.Entries, rep.Steps, t.Preempted, t.Conflicts)
	rep.Output = s.out.of(trial.PathsOf(p))
	rep.Log = transcribed(rep.Output)
	rep.Diagnosis = s.diagnose(rep, t, note)
	s.save(rep)
	s.write(rep)
}

// diagnose returns a report as data. Objects in it, and in the report, get their names.
func (s *session) diagnose(rep *report.Failure, t *trial.Trial, note string) *report.Diagnosis {
	c := report.Case{Failure: t.Primary, All: rep.All, Entries: rep.Entries, Preempted: t.Preempted, Length: len(t.Schedule)}
	d := c.Diagnose()
	rep.Msg, rep.All = c.Failure.Msg, c.All
	d.Test, d.Package, d.Note, d.Always, d.Log = s.where.test, s.where.pkg, note, rep.Always, rep.Log
	d.Execution, d.Preemptions, d.Length, d.Fewest = rep.Execution, rep.Preemptions, rep.Steps, rep.Fewest
	d.Lag, d.Seed = rep.Time == sched.TimeLag, s.phase.run.Seed
	d.Replay, d.Saved, d.Command = rep.Replay, rep.Saved, s.where.replayCommand(rep)
	return d
}

// write writes the report of what is known.
func (s *session) write(rep *report.Failure) {
	rep.Report = rep.Diagnosis.Text(s.layout()) + s.export(rep.Diagnosis)
}
