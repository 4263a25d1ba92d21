package explore

import (
	"slices"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/parts"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file has the phases that follow where a search has left races inside libraries in the order
// in which they came (see sched.LibraryMode). All phases before leave all of these races. Then some
// executions are drawn: the locks of a library order what its callers do, and a draw shows in a
// moment what they hide. Then one phase leaves the races among goroutines that a library has
// started, and one leaves none. Each has a part of the time, half of what is left, and the last one
// all of it. A phase that has covered everything takes the place of those before it, which have
// covered less.

// libraryPart is the part of the time that the phases before have if they leave races.
const libraryPart = 2

// leavesRaces reports whether the search begins with phases that leave races inside libraries.
func (s *Session) leavesRaces() bool {
	return !IsWorker() && s.Cfg.Run.Model&sched.ModelLibrary == 0 && !s.Cfg.Exhaustive && !s.Subject.Borrowed
}

// leaveRaces makes the phases from now on leave races inside libraries.
func (w *phases) leaveRaces() {
	w.usual.Run.Library = sched.LibraryKept
	w.usual.Share = w.Cfg.Limits.Time / libraryPart
}

// timeFor returns how long after its start the search has to be over with the phases before.
func (w *phases) timeFor() time.Duration {
	if w.usual.Left && w.usual.Share > 0 {
		return w.usual.Share
	}
	return w.Cfg.Limits.Time
}

// takesShare reports whether the phase is over after x since it leaves races, and its part of the
// time has passed.
func (s *Session) takesShare(x *trace.Execution) bool {
	share := s.Phase.Share
	if share == 0 || time.Since(s.since()) < share || s.State.spent {
		return s.State.spent
	}
	c, ok := x.Run.(*exec.Closure)
	s.State.spent = ok && c.Leaves() && s.Executions.Load() > s.State.earlier && len(s.Findings.Found) == 0 && !parts.IsOnly(x)
	return s.State.spent
}

// isLeftRace reports whether an assumption is that of a race inside a library.
func isLeftRace(a exec.Assumption) bool {
	return a.Kind == sched.AssumeModel && a.Is(hook.LibraryRace)
}

// leftToo adds that races inside libraries were left, if no assumption says so: another process
// that shares the search has left them, and their place is not known here.
func leftToo(assumptions []exec.Assumption, stats *trace.Stats) []exec.Assumption {
	if stats.Left == 0 || slices.ContainsFunc(assumptions, isLeftRace) {
		return assumptions
	}
	return append(slices.Clip(assumptions), exec.Assumption{Kind: sched.AssumeModel, What: hook.LibraryRace})
}

// hasLeft reports whether one of the searches of a verdict has left races, which is not granted.
func hasLeft(v *report.Verdict) bool {
	for ; v != nil; v = v.Then {
		if slices.ContainsFunc(v.Open(), isLeftRace) {
			return true
		}
	}
	return false
}

// libraryIsNext reports whether a phase that leaves fewer races is next: some were left, and no
// execution has failed, or all have.
func (w *phases) libraryIsNext() bool {
	if !w.leaving || !hasLeft(&w.res.Verdict) || len(w.res.Failures) > 0 {
		return false
	}
	if w.failsAlways() {
		return true
	}
	return w.Halted() == Running && w.tallied().unfit == nil
}

// failsAlways reports whether all executions have failed so far.
func (w *phases) failsAlways() bool {
	return w.tallied().always != nil && (w.Halted() == Running || w.Halted() == stopAlways)
}

// drawnForLibrary is how many executions each engine draws before a phase that leaves fewer races.
const drawnForLibrary = 32

// drawsAreNext reports whether executions are to be drawn before a phase that leaves fewer races.
// That takes a limit of time: a search without one comes to the end of that phase.
func (w *phases) drawsAreNext() bool {
	limits := &w.Cfg.Limits
	return w.libraryIsNext() && !w.failsAlways() && w.isAuto() && limits.Time > 0 && limits.Executions == 0
}

// draw draws executions, and adds to the result what fails in one.
func (w *phases) draw() {
	p := w.usual
	p.name, p.Share, p.Run.Library = " drawn at random", 0, sched.LibraryAll
	p.Pause.At = time.Now().Add((w.Cfg.Limits.Time - time.Since(w.since())) / lookPart)
	w.drawFrom(p, drawnForLibrary)
}

// drawFrom draws executions of a phase, so many by each engine, and adds to the result what fails
// in one.
func (w *phases) drawFrom(p phase, executions int64) {
	defer func(before phase) { w.Phase = before }(w.Phase)
	for _, e := range []trace.Engine{
		engine.Random{Seed: p.Run.Seed, Executions: executions},
		engine.PCT{Seed: p.Run.Seed, Executions: executions},
	} {
		p.engine = e
		o := w.explore(p, w.Executions.Load())
		if o.res == nil || o.err != nil {
			w.err = o.err
			return
		}
		if len(o.res.Failures) > 0 {
			w.addLast(o.res)
			return
		}
	}
}

// withOwn searches once more, and leaves only the races among goroutines that a library has
// started.
func (w *phases) withOwn() {
	p := w.usual
	p.name, p.Run.Library = " with more races inside libraries", sched.LibraryOwn
	if limit := w.Cfg.Limits.Time; limit > 0 {
		p.Pause.At = time.Now().Add((limit - time.Since(w.since())) / 2)
	}
	w.withFewer(p)
}

// withAll searches once more, and leaves no race.
func (w *phases) withAll() {
	p := w.usual
	p.name, p.Run.Library = " with all races inside libraries", sched.LibraryAll
	w.withFewer(p)
}

// withFewer searches a phase that leaves fewer races, and adds to the result what that has found.
func (w *phases) withFewer(p phase) {
	p.Share = 0
	before := w.record()
	if w.failsAlways() { // does one of these pass?
		*w.Findings.Tally = tally{enough: enough}
		w.stop.CompareAndSwap(int32(stopAlways), int32(Running))
	}
	o := w.explore(p, w.Executions.Load())
	if o.res == nil || o.err != nil {
		w.err = o.err
		return
	}
	if o.res.Stats.Executions == 0 && len(o.res.Failures) == 0 {
		if before.tally.always != nil {
			w.restore(before) // what was found out before holds as well
		}
		return
	}
	w.leaving = slices.ContainsFunc(o.res.Verdict.Open(), isLeftRace)
	if before.tally.always != nil { // nothing has passed there, and the verdict does not say so
		w.res = o.res
		return
	}
	if len(o.res.Failures) > 0 || !o.res.Verdict.Covered {
		w.addLast(o.res)
		return
	}
	w.replace(o.res)
	if o.timed && w.lagIsLeft() && w.tallied().always == nil {
		w.lagWithFewer(p)
	}
}

// addLast adds the result of a phase to the end of what there is.
func (w *phases) addLast(res *report.Result) {
	last := w.res.Verdict.Last()
	join(&res.Verdict, last)
	last.Then = &res.Verdict
	w.res.Failures = res.Failures
	for v := &w.res.Verdict; v != nil; v = v.Then {
		v.Failures = len(res.Failures)
	}
}

// replace makes the result of a phase in discrete time take the place of the one before. What was
// covered by lag stays.
func (w *phases) replace(res *report.Result) {
	old := &w.res.Verdict
	res.Verdict.Seeds, res.Verdict.Reseeded = old.Seeds, old.Reseeded
	for v := old.Then; v != nil && res.Verdict.Then == nil; v = v.Then {
		if v.Options.Time == sched.TimeLag && w.usual.Run.Time != sched.TimeLag {
			res.Verdict.Then = v
		}
	}
	w.res = res
}

// lagWithFewer searches a phase by lag, as p was searched in discrete time.
func (w *phases) lagWithFewer(p phase) {
	p.Run.Time = sched.TimeLag
	p.name += " by lag"
	o := w.explore(p, w.Executions.Load())
	if o.res == nil || o.err != nil {
		w.err = o.err
		return
	}
	if o.res.Stats.Executions == 0 && len(o.res.Failures) == 0 {
		return
	}
	if o.res.Verdict.Covered {
		w.res.Verdict.Then = nil
	}
	w.addLast(o.res)
}
