package por

import (
	"slices"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file has the ways of running executions that a session goes through: discrete time, then
// time by lag, where executions wait for the clock. Where random numbers are drawn, some
// executions with others come after either. If there is a limit of time, and the
// first cannot be covered in a small part of it, then there is a look at the second, as
// short, and both begin anew with half of the time each. So what late code breaks is found,
// even if it takes the first execution of its kind and there are too many of the other.

// The part of the time, and the number of steps, for a first look; and for how many of them Optimal
// is alone when the look is at time by lag. There executions are long, and endless for Optimal
// where a ticker may fire again and again: others find more in a look.
const (
	lookPart  = 10
	lookSteps = 100_000
	lookAlone = 25_000
	// In discrete time an execution has no end if a goroutine polls until a timer fires. The first
	// one of a look that takes so many steps, and waits for the clock, is given up.
	lookFirst = 50_000
)

// ways searches in one way after the other, and at last in discrete time if first looks have left
// their first executions, and no time is left for other ways: an execution has to come to its end.
// It returns nil if the session was given up.
func (s *session) ways() (*Result, error) {
	res, err := s.inTurn()
	if err == nil && res != nil && s.leftFirst(res) {
		s.stop.CompareAndSwap(int32(stopTime), int32(running))
		s.cfg.run.Time = sched.TimeDiscrete
		s.executions.Store(0)
		s.sought.Store(false) // a first execution may take its time
		s.left = false
		s.turnTo("", 0)
		res, _, err = s.way()
	}
	return res, err
}

// leftFirst reports whether a search has no execution to tell of because first looks have left
// theirs.
func (s *session) leftFirst(res *Result) bool {
	none := res.Stats.Executions == 0 && (res.Verdict.Then == nil || res.Verdict.Then.Stats.Executions == 0)
	return s.left && none && len(res.Failures) == 0 && (s.halted() == running || s.halted() == stopTime)
}

// inTurn searches in one way after the other, as long as there is time.
func (s *session) inTurn() (*Result, error) {
	if s.looksFirst() {
		s.pause = s.glance()
	}
	res, timed, err := s.way()
	paused := s.goesOn()
	if err == nil && s.locksAreNext(res) {
		var more bool
		res, more, err = s.goOnWithLocks(res)
		timed = timed || more
	}
	if err == nil && s.numbersAreNext(res) {
		err = s.goOnWithNumbers(res)
	}
	if err == nil && paused && s.lagIsNext(res) {
		before := *s.tallied()
		s.pause = s.glance()
		err = s.glanceByLag(res)
		byLag := res.Verdict.Then
		again := s.goesOn() // there is more by lag than was looked at
		all := !again && s.lagIsNext(res) && byLag != nil && byLag.Covered
		if err != nil || len(res.Failures) > 0 || !again && !all {
			return res, err
		}
		*s.tallied() = before
		s.cfg.run.Time = sched.TimeDiscrete
		s.executions.Store(0)
		s.left = false
		s.turnTo("", 0)
		seeds, reseeded := res.Verdict.Seeds, res.Verdict.Reseeded
		if again {
			s.pause = pause{at: time.Now().Add((s.cfg.maxTime - time.Since(s.since())) / 2), timed: true}
		}
		res, timed, err = s.way()
		s.goesOn()
		if res != nil {
			res.Verdict.Seeds, res.Verdict.Reseeded = seeds, reseeded
		}
		if all && res != nil && len(res.Failures) == 0 {
			byLag.join(&res.Verdict)
			res.Verdict.Then, timed = byLag, false
			if err == nil && s.numbersAreNext(res) {
				err = s.goOnWithNumbers(res)
			}
		}
	}
	if err == nil && timed && s.lagIsNext(res) {
		if err = s.goOnByLag(res); err == nil && s.numbersAreNext(res) {
			err = s.goOnWithNumbers(res)
		}
	}
	return res, err
}

// glance returns the pause that ends a first look.
func (s *session) glance() pause {
	return pause{steps: lookSteps, at: time.Now().Add(s.cfg.maxTime / lookPart), timed: true}
}

// locksAreNext reports whether a search is to follow that explores in which order goroutines come
// to the locks inside the standard library, and change what it keeps: by default, if everything
// else was covered, or all executions have failed, and no option takes that for granted.
func (s *session) locksAreNext(res *Result) bool {
	if res == nil || len(res.Failures) > 0 || s.subject.borrowed {
		return false
	}
	always := s.tallied().always != nil && (s.halted() == running || s.halted() == stopAlways)
	covered := res.Verdict.Covered && s.halted() == running && s.tallied().unfit == nil
	_, auto := s.cfg.engine.(engine.Auto)
	return (always || covered) && (auto || s.cfg.exhaustive) && s.cfg.maxExecutions == 0 &&
		slices.ContainsFunc(res.Verdict.open(), func(a exec.Assumption) bool {
			return a.Kind == sched.AssumeModel && (a.What == hook.LibraryLock || a.What == hook.LibraryState)
		})
}

// goOnWithLocks searches anew with these locks as operations. What it finds, or covers, takes the
// place of res, which stays if there is too much of it for a part of the time.
func (s *session) goOnWithLocks(res *Result) (then *Result, timed bool, err error) {
	before, why := *s.tallied(), s.halted()
	switch {
	case s.cfg.exhaustive:
	case s.cfg.maxTime > 0:
		s.pause = pause{at: time.Now().Add(s.cfg.maxTime / lookPart)}
	default:
		s.pause = pause{at: time.Now().Add(defaultShortTime)}
	}
	s.cfg.run.Model |= sched.ModelLock
	executions := s.executions.Swap(0)
	s.turnTo(" with locks of the standard library", 0)
	always := before.always != nil
	if always { // does one of these pass?
		*s.tally = tally{enough: enough}
		s.stop.CompareAndSwap(int32(stopAlways), int32(running))
	}
	then, timed, err = s.phase()
	s.goesOn()
	if then == nil || err == nil && (len(then.Failures) > 0 || then.Verdict.Covered && !(always && s.tally.unfit != nil)) {
		return then, timed, err
	}
	s.doubt, s.unlike = nil, nil // if it could not be done, what was found out before holds as well
	for _, stop := range []stopReason{stopDoubt, stopAlways} {
		s.stop.CompareAndSwap(int32(stop), int32(why))
	}
	s.cfg.run.Model &^= sched.ModelLock
	s.executions.Store(executions)
	if s.tally != nil {
		*s.tally = before
	}
	return res, timed, nil
}

// How many seeds of random numbers are tried, and how many executions are drawn with each.
const (
	otherSeeds   = 16
	drawnForSeed = 16
)

// numbersAreNext reports whether executions with other random numbers are to follow: by
// default, if there is a limit of time, some were drawn, and no option takes them for granted.
func (s *session) numbersAreNext(res *Result) bool {
	if res == nil { // the caller no longer waits for it
		return false
	}
	return s.numbersMatter(res.Verdict.last().Assumptions) && s.cfg.maxTime > 0 && s.cfg.keep == 1 &&
		len(res.Failures) == 0 && s.halted() == running && (s.tally == nil || s.tally.unfit == nil)
}

// numbersMatter reports whether random numbers were drawn, of which the options want others, too.
func (s *session) numbersMatter(assumptions []exec.Assumption) bool {
	drawn := slices.ContainsFunc(assumptions, func(a exec.Assumption) bool { return a.Kind == sched.AssumeRandom })
	_, auto := s.cfg.engine.(engine.Auto)
	return drawn && auto && !s.cfg.numbersSet && !s.subject.borrowed && !s.cfg.exhaustive && s.cfg.maxExecutions == 0 &&
		!slices.Contains(s.cfg.granted, sched.AssumeRandom)
}

// goOnWithNumbers draws executions with the numbers of one seed after the other, and adds
// to res what that has found.
func (s *session) goOnWithNumbers(res *Result) error {
	last := res.Verdict.last()
	usual, end := s.cfg.engine, time.Now().Add(s.cfg.maxTime/lookPart)
	defer func() { s.cfg.engine, s.cfg.run.Seed = usual, 0 }()
	for s.cfg.run.Seed = 1; s.cfg.run.Seed <= otherSeeds && s.halted() == running && time.Now().Before(end); s.cfg.run.Seed++ {
		s.pause = pause{at: end}
		s.cfg.engine = engine.Random{Seed: s.cfg.run.Seed, Executions: drawnForSeed}
		s.turnTo(" with other random numbers", s.executions.Load())
		then, _, err := s.phase()
		s.goesOn()
		if then == nil || err != nil {
			return err
		}
		last.Seeds++
		last.Reseeded += then.Stats.Executions
		if len(then.Failures) > 0 {
			res.Failures = then.Failures
			res.Verdict.Failures, last.Failures = len(res.Failures), len(res.Failures)
			last.Then = &then.Verdict
			return nil
		}
	}
	return nil
}

// way is a phase that has completed an execution, unless it was a first look that has left its
// first one.
func (s *session) way() (*Result, bool, error) {
	res, timed, err := s.phase()
	if res != nil && err == nil && !s.left {
		err = s.notOne(&res.Stats)
	}
	return res, timed, err
}

// looksFirst reports whether each way of passing time is to be looked at first: in a search with
// the default engine, which has no other limit than that of time, for the first failure.
func (s *session) looksFirst() bool {
	_, auto := s.cfg.engine.(engine.Auto)
	return auto && s.lagMatters() && s.cfg.maxTime > 0 && s.cfg.maxExecutions == 0 && s.cfg.keep == 1
}

// turnTo makes ready for another phase, before which there have been so many executions.
func (s *session) turnTo(name string, executions int64) {
	s.pulse.begin(name, executions)
	s.unfair, s.broken, s.earlier = 0, 0, executions
	s.parts = partsState{}
}

// tallied returns the tally of the session, or an empty one.
func (s *session) tallied() *tally {
	if s.tally == nil {
		return new(tally)
	}
	return s.tally
}

// goesOn ends the pause of a phase, and reports whether it was one that has ended it.
func (s *session) goesOn() bool {
	paused := s.pause.taken
	s.pause = pause{}
	s.refused = false
	return paused && s.halted() == running
}

// pause says when a phase is to be left for another one: after so many steps, unless that is
// 0, or at that time. It is not, if executions have failed.
type pause struct {
	steps int64
	at    time.Time // zero for never
	timed bool      // only if executions wait for the clock
	taken bool
}

// due reports whether the phase is to be left after x.
func (p *pause) due(s *session, x *trace.Execution) bool {
	if p.at.IsZero() || p.taken {
		return p.taken
	}
	enough := p.steps > 0 && x.Stats != nil && x.Stats.Steps+x.Stats.Replayed >= p.steps
	if !enough && time.Now().Before(p.at) {
		return false
	}
	c, ok := x.Run.(*exec.Closure)
	p.taken = (!p.timed || ok && c.Timed()) && s.executions.Load() > 0 && len(s.found) == 0 && s.tallied().always == nil
	return p.taken
}

// setPatience limits the first execution of a first look. Later executions have no such limit.
func (s *session) setPatience(p any) {
	c, ok := p.(*exec.Closure)
	switch {
	case !ok:
	case s.pause.timed && s.pause.steps > 0 && s.executions.Load() == s.earlier:
		c.SetPatience(lookFirst)
	default:
		c.SetPatience(0)
	}
}

// losesPatience ends the first look at executions of which the first one was ended by its limit.
func (s *session) losesPatience(p any) bool {
	c, ok := p.(*exec.Closure)
	left := ok && c.LostPatience() && s.pause.timed && s.pause.steps > 0 && s.executions.Load() == s.earlier
	s.left = s.left || left
	s.pause.taken = left && s.halted() == running
	return left
}

// lagIsNext reports whether a search in discrete time, which has come to its end, is to be followed
// by one by lag: by default, where executions wait for the clock, and no option takes it for
// granted.
func (s *session) lagIsNext(res *Result) bool {
	return s.lagMatters() && len(res.Failures) == 0 && s.halted() == running && (s.tally == nil || s.tally.unfit == nil)
}

// lagMatters reports whether the options want a search by lag if executions wait for the clock.
func (s *session) lagMatters() bool {
	return !s.cfg.clockSet && !s.subject.borrowed && !s.cfg.exhaustive && !slices.Contains(s.cfg.granted, sched.AssumeClock)
}

// glanceByLag is goOnByLag for a first look.
func (s *session) glanceByLag(res *Result) error {
	usual := s.cfg.engine
	defer func() { s.cfg.engine = usual }()
	if a, ok := usual.(engine.Auto); ok && a.Alone == 0 {
		a.Alone = lookAlone
		s.cfg.engine = a
	}
	return s.goOnByLag(res)
}

// goOnByLag searches once more, by lag, and adds to res what that has found.
func (s *session) goOnByLag(res *Result) error {
	s.cfg.run.Time = sched.TimeLag
	s.turnTo(" by lag", s.executions.Load())
	then, _, err := s.phase()
	if then == nil {
		return err
	}
	res.Failures = then.Failures
	res.Verdict.Failures = len(res.Failures)
	then.Verdict.join(&res.Verdict)
	res.Verdict.Then = &then.Verdict
	return err
}
