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

// This file has the phases that a search goes through. It begins in discrete time, and goes on by
// lag where executions wait for the clock. Where random numbers are drawn, some executions with
// others come after either. If there is a limit of time, and the first phase cannot cover all in a
// small part of it, then there is a look at time by lag, as short, and both begin anew with half of
// the time each. So the search finds what late code breaks, even if it takes the first execution of
// its kind and there are too many of the other.
//
// To add a phase, add a rule: when it is due, and what to make of its outcome. If its executions
// differ by another field of exec.Options, more has to know of it: see DEVELOPMENT.md.

// rules say which phases follow the first one. Each is asked once, in this order, as long as there
// is a result and no error.
var rules = []rule{
	{due: (*phases).failsForPools, run: (*phases).sharePools},
	{due: (*phases).locksAreNext, run: (*phases).withLocks},
	{due: (*phases).numbersAreNext, run: (*phases).withNumbers},
	{due: (*phases).streamIsNext, run: (*phases).withStream},
	{due: (*phases).poolsAreNext, run: (*phases).withPools},
	{due: (*phases).lookIsNext, run: (*phases).lookByLag},
	{due: (*phases).hasLooked, run: (*phases).resume},
	{due: (*phases).lagIsNext, run: (*phases).byLag},
	{due: (*phases).laterNumbersAreNext, run: (*phases).withNumbers},
	{due: (*phases).drawsAreNext, run: (*phases).draw},
	{due: (*phases).libraryIsNext, run: (*phases).withOwn},
	{due: (*phases).libraryIsNext, run: (*phases).withAll},
	{due: (*phases).leftFirst, run: (*phases).completeOne},
}

// rule is a phase that may follow.
type rule struct {
	due func(*phases) bool
	run func(*phases)
}

// phases is what has come of the phases of a search so far.
type phases struct {
	*Session
	usual phase          // from which each phase differs
	res   *report.Result // nil if the session was given up
	err   error
	timed bool // executions have waited for the clock, and time by lag was not explored

	paused bool // the first look was left by its pause
	looked bool // there was a look by lag
	spent  bool // the latest phase was left because its share of the time was over
	// What a look by lag has come to: there is more than was looked at, or that was all.
	more, all bool
	byLagSeen *report.Verdict // of the look, if that was all
	lagged    bool            // the phase by lag is over
	leaving   bool            // the latest phases leave races inside libraries
}

// searchAll goes through the phases. It returns nil if the session was given up.
func (s *Session) searchAll() (*report.Result, error) {
	w := &phases{Session: s, usual: s.Phase, leaving: s.leavesRaces()}
	if w.leaving {
		w.leaveRaces()
	}
	w.openCorpus()
	w.begin()
	if w.faultsMatter() {
		if w.res != nil && w.err == nil && w.faultsAreNext() {
			w.withFaults()
		}
		return w.res, w.err
	}
	for _, r := range rules {
		if w.res != nil && w.err == nil && r.due(w) {
			r.run(w)
		}
	}
	return w.res, w.err
}

// outcome is what has come of a phase.
type outcome struct {
	res    *report.Result // nil if the session was given up
	timed  bool           // executions have waited for the clock
	paused bool           // the phase was left by its pause, and the search goes on
	err    error
}

// explore searches a phase, before which there have been so many executions.
func (w *phases) explore(p phase, earlier int64) outcome {
	w.enter(p, earlier)
	res, timed, err := w.runPhase()
	o := outcome{res, timed, w.State.taken && !w.State.spent && w.Halted() == Running, err}
	w.usual.Left = w.usual.Left || res != nil && hasLeft(&res.Verdict)
	w.spent = w.State.spent
	w.Phase.Pause, w.State.taken, w.State.spent, w.Faults.refused = pause{}, false, false, false
	w.usual.Run.Model |= w.Phase.Run.Model & sched.ModelLock // the search has begun anew with them
	w.usual.Run.OwnPools = w.usual.Run.OwnPools && w.Phase.Run.OwnPools == p.Run.OwnPools
	w.usual.Run.Alike = w.usual.Run.Alike && w.Phase.Run.Alike == p.Run.Alike
	return o
}

// complete searches a phase that has to complete an execution, unless it is a first look that has
// left its first one.
func (w *phases) complete(p phase) outcome {
	o := w.explore(p, 0)
	if o.res != nil && o.err == nil && !w.State.left {
		o.err = w.NotOne(&o.res.Stats)
	}
	return o
}

// enter makes ready for a phase, before which there have been so many executions.
func (s *Session) enter(p phase, earlier int64) {
	s.Phase = p
	s.State = state{earlier: earlier, left: s.State.left}
	s.Pulse.begin(p.name, earlier)
}

// during calls f in a phase that differs from the present one by what change does.
func (s *Session) during(change func(*phase), f func()) {
	before := s.Phase
	defer func() { s.Phase = before }()
	change(&s.Phase)
	f()
}

// begin is the first phase, or a look at it.
func (w *phases) begin() {
	p := w.usual
	if w.faultsMatter() {
		p.Pause = w.pauseForFaults()
	} else if w.looksFirst() {
		if p.Pause = w.glance(); !w.lagMatters() {
			p.Pause.first = 0
		}
	}
	o := w.complete(p)
	w.res, w.timed, w.paused, w.err = o.res, o.timed, o.paused, o.err
}

// looksFirst reports whether each way of searching is to be looked at first, where there may be
// several: in a search with the default engine, which has no other limit than that of time, for the
// first failure.
func (w *phases) looksFirst() bool {
	limits := &w.Cfg.Limits
	return w.isAuto() && (w.lagMatters() || w.poolsMatter()) && limits.Time > 0 && limits.Executions == 0 && limits.Failures == 1
}

// isAuto reports whether the engine is the default one.
func (s *Session) isAuto() bool {
	_, auto := s.Phase.engine.(engine.Auto)
	return auto
}

// The part of the time, and the number of steps, for a first look; and for how many of them Optimal
// is alone when the look is at time by lag. There executions are long, and endless for Optimal
// where a ticker may fire again and again: others find more in a look.
const (
	lookPart  = 10
	lookSteps = 100_000
	lookAlone = 25_000
	// In discrete time an execution has no end if a goroutine polls until a timer fires. The first
	// one of a look that takes so many steps, and waits for the clock, is given up. So is the first
	// one of the search after that, if it takes more.
	lookFirst, laterFirst = 50_000, 100_000
)

// glance returns the pause that ends a first look.
func (w *phases) glance() pause {
	return pause{steps: lookSteps, first: lookFirst, At: time.Now().Add(w.Cfg.Limits.Time / lookPart), Timed: true}
}

// locksAreNext reports whether a phase is to follow that explores in which order goroutines come
// to the locks inside the standard library, and change what it keeps: by default, if everything
// else was covered, or all executions have failed, and no option takes that for granted.
func (w *phases) locksAreNext() bool {
	if len(w.res.Failures) > 0 || w.Subject.Borrowed {
		return false
	}
	always := w.tallied().always != nil && (w.Halted() == Running || w.Halted() == stopAlways)
	covered := w.res.Verdict.Covered && w.Halted() == Running && w.tallied().unfit == nil
	return (always || covered) && (w.isAuto() || w.Cfg.Exhaustive) && w.Cfg.Limits.Executions == 0 &&
		slices.ContainsFunc(w.res.Verdict.Open(), func(a exec.Assumption) bool {
			return a.Kind == sched.AssumeModel && (a.Is(hook.LibraryLock) || a.Is(hook.LibraryState))
		})
}

// withLocks searches anew with these locks as operations. What that finds, or covers, takes the
// place of the result, which stays if there is too much of it for a part of the time.
func (w *phases) withLocks() {
	before := w.record()
	p := w.usual
	p.name = " with locks of the standard library"
	p.Run.Model |= sched.ModelLock
	switch {
	case w.Cfg.Exhaustive:
	case w.Cfg.Limits.Time > 0:
		p.Pause = pause{At: time.Now().Add(w.Cfg.Limits.Time / lookPart)}
	default:
		p.Pause = pause{At: time.Now().Add(DefaultShortTime)}
	}
	always := before.tally.always != nil
	if always { // does one of these pass?
		*w.Findings.Tally = tally{enough: enough}
		w.stop.CompareAndSwap(int32(stopAlways), int32(Running))
	}
	model := w.usual.Run.Model
	w.Executions.Store(0)
	o := w.explore(p, 0)
	w.timed = w.timed || o.timed
	unfit := always && w.Findings.Tally.unfit != nil
	if o.res == nil || o.err == nil && (len(o.res.Failures) > 0 || o.res.Verdict.Covered && !unfit) {
		w.res, w.err = o.res, o.err
		return
	}
	w.usual.Run.Model, w.Phase.Run.Model = model, model
	w.restore(before) // if it could not be done, what was found out before holds as well
}

// standing is what a phase changes of a session, to be put back if the phase has come to nothing.
type standing struct {
	stop       StopReason
	executions int64
	tally      tally
}

// record returns how the session stands.
func (s *Session) record() standing {
	return standing{s.Halted(), s.Executions.Load(), *s.tallied()}
}

// restore lets the session stand as it did. A reason to stop that others have given holds.
func (s *Session) restore(to standing) {
	s.Faults.Doubt, s.Faults.unlike = nil, nil
	for _, why := range []StopReason{stopDoubt, stopAlways} {
		s.stop.CompareAndSwap(int32(why), int32(to.stop))
	}
	s.Executions.Store(to.executions)
	*s.tallied() = to.tally
}

// How many seeds of random numbers are tried, and how many executions are drawn with each.
const (
	otherSeeds   = 16
	drawnForSeed = 16
)

// numbersAreNext reports whether executions with other random numbers are to follow: by
// default, if there is a limit of time, some were drawn, and no option takes them for granted.
func (w *phases) numbersAreNext() bool {
	limits := &w.Cfg.Limits
	return w.numbersMatter(w.res.Verdict.Last().Assumptions) && limits.Time > 0 && limits.Failures == 1 &&
		len(w.res.Failures) == 0 && w.Halted() == Running && w.tallied().unfit == nil
}

// laterNumbersAreNext is numbersAreNext after time by lag.
func (w *phases) laterNumbersAreNext() bool { return (w.all || w.lagged) && w.numbersAreNext() }

// numbersMatter reports whether random numbers were drawn, of which the options want others, too.
func (s *Session) numbersMatter(assumptions []exec.Assumption) bool {
	drawn := slices.ContainsFunc(assumptions, func(a exec.Assumption) bool { return a.Kind == sched.AssumeRandom })
	return drawn && s.isAuto() && !s.Cfg.Says.Numbers && !s.Subject.Borrowed && !s.Cfg.Exhaustive &&
		s.Cfg.Limits.Executions == 0 && !slices.Contains(s.Cfg.Granted, sched.AssumeRandom)
}

// withNumbers draws executions with the numbers of one seed after the other, and adds to the result
// what that has found.
func (w *phases) withNumbers() {
	defer func(before phase) { w.Phase = before }(w.Phase)
	last := w.res.Verdict.Last()
	end := time.Now().Add(w.Cfg.Limits.Time / lookPart)
	p := w.Phase
	p.name, p.Pause = " with other random numbers", pause{At: end}
	for seed := uint64(1); seed <= otherSeeds && w.Halted() == Running && time.Now().Before(end); seed++ {
		p.Run.Seed = seed
		p.engine = engine.Random{Seed: seed, Executions: drawnForSeed}
		o := w.explore(p, w.Executions.Load())
		if o.res == nil || o.err != nil {
			w.err = o.err
			return
		}
		last.Seeds++
		last.Reseeded += o.res.Stats.Executions
		if len(o.res.Failures) > 0 {
			w.res.Failures = o.res.Failures
			w.res.Verdict.Failures, last.Failures = len(w.res.Failures), len(w.res.Failures)
			last.Then = &o.res.Verdict
			return
		}
	}
}

// lagMatters reports whether the options want a search by lag if executions wait for the clock.
func (s *Session) lagMatters() bool {
	return !s.Cfg.Says.Clock && !s.Subject.Borrowed && !s.Cfg.Exhaustive && !slices.Contains(s.Cfg.Granted, sched.AssumeClock)
}

// lagIsLeft reports whether a search in discrete time, which has come to its end, may be followed
// by one by lag: by default, and where no option takes that for granted.
func (w *phases) lagIsLeft() bool {
	return w.lagMatters() && len(w.res.Failures) == 0 && w.Halted() == Running && w.tallied().unfit == nil && !w.spent
}

// lagIsNext reports whether time by lag is next: executions wait for the clock. It is, too, if a
// limit has ended the search after the only execution in discrete time: the verdict says then that
// none by lag was explored.
func (w *phases) lagIsNext() bool {
	return w.timed && (w.lagIsLeft() || w.State.only && w.lagMatters() && len(w.res.Failures) == 0 && w.tallied().always == nil)
}

// lookIsNext reports whether a look at time by lag is next: one at discrete time was left.
func (w *phases) lookIsNext() bool { return w.paused && w.timed && w.lagIsLeft() }

// hasLooked reports whether the search goes on after a look at discrete time, and one at time by
// lag where executions wait for the clock.
func (w *phases) hasLooked() bool {
	alone := w.paused && !w.looked && len(w.res.Failures) == 0 && w.Halted() == Running
	return w.more || w.all || alone
}

// lookByLag looks at time by lag.
func (w *phases) lookByLag() {
	w.looked = true
	before := w.record()
	p := w.usual
	p.Pause = w.glance()
	if a, ok := p.engine.(engine.Auto); ok && a.Alone == 0 {
		a.Alone = lookAlone
		p.engine = a
	}
	w.more = w.addByLag(p)
	w.Phase.engine = w.usual.engine
	if w.err != nil || len(w.res.Failures) > 0 {
		w.more = false
		return
	}
	w.byLagSeen = w.res.Verdict.Then
	w.all = !w.more && w.lagIsLeft() && w.byLagSeen != nil && w.byLagSeen.Covered
	if w.timed = false; w.hasLooked() {
		*w.tallied() = before.tally
	}
}

// resume begins anew in discrete time after looks: with half of the time that is left, or all of it
// if there is nothing more by lag, or no execution waits for the clock.
func (w *phases) resume() {
	seeds, reseeded := w.res.Verdict.Seeds, w.res.Verdict.Reseeded
	p := w.usual
	if w.more || !w.looked && w.lagMatters() {
		p.Pause = pause{At: time.Now().Add((w.timeFor() - time.Since(w.since())) / 2), Timed: true, clock: true}
		if w.State.left {
			p.Pause.first = laterFirst
		}
	}
	w.State.left = false
	w.Executions.Store(0)
	o := w.complete(p)
	w.res, w.timed, w.err = o.res, o.timed, o.err
	if w.res == nil {
		return
	}
	w.res.Verdict.Seeds, w.res.Verdict.Reseeded = seeds, reseeded
	if w.all = w.all && len(w.res.Failures) == 0; w.all {
		w.then(w.byLagSeen)
		w.timed = false
	}
}

// byLag searches once more, by lag.
func (w *phases) byLag() {
	w.addByLag(w.usual)
	w.lagged = true
}

// addByLag searches a phase by lag, and adds to the result what that has found. It reports whether
// the phase was left by its pause.
func (w *phases) addByLag(p phase) (paused bool) {
	p.name, p.Run.Time = " by lag", sched.TimeLag
	o := w.explore(p, w.Executions.Load())
	w.err = o.err
	if o.res == nil {
		return false
	}
	w.res.Failures = o.res.Failures
	w.res.Verdict.Failures = len(w.res.Failures)
	join(&o.res.Verdict, &w.res.Verdict)
	w.res.Verdict.Then = &o.res.Verdict
	return o.paused
}

// leftFirst reports whether a search has no execution in discrete time to tell of because first
// looks have left theirs: none by lag either, or time by lag is covered and time is left.
func (w *phases) leftFirst() bool {
	none := !anyRan(w.res.Verdict.Then)
	return w.State.left && w.res.Stats.Executions == 0 && len(w.res.Failures) == 0 && (w.Halted() == Running || none && w.Halted() == StopTime)
}

// anyRan reports whether executions by lag have come to their end, of which v is the verdict.
func anyRan(v *report.Verdict) bool { return v != nil && v.Stats.Executions > 0 }

// completeOne searches in discrete time until an execution has come to its end. If none does, what
// time by lag has come to stands.
func (w *phases) completeOne() {
	before, last, seen := w.record(), w.Phase, w.res.Verdict.Then
	if !anyRan(seen) {
		w.stop.CompareAndSwap(int32(StopTime), int32(Running))
		w.Sought.Store(false) // a first execution may take its time
	}
	w.State.left = false
	w.Executions.Store(0)
	o := w.complete(w.usual)
	if anyRan(seen) && o.res != nil && o.res.Stats.Executions == 0 && len(o.res.Failures) == 0 {
		w.restore(before)
		w.Phase = last
		return
	}
	if w.res, w.err = o.res, o.err; anyRan(seen) {
		w.then(seen)
	}
}

// then adds to the result, of discrete time, what time by lag has come to, unless that failed.
func (w *phases) then(seen *report.Verdict) {
	if w.res != nil && len(w.res.Failures) == 0 {
		join(seen, &w.res.Verdict)
		w.res.Verdict.Then = seen
	}
}

// tallied returns the tally of the session, or an empty one.
func (s *Session) tallied() *tally {
	if s.Findings.Tally == nil {
		return new(tally)
	}
	return s.Findings.Tally
}

// pause says when a phase is to be left for another one: after so many steps, unless that is
// 0, or at that time. It is not, if executions have failed.
type pause struct {
	steps int64
	first int       // steps of the first execution, if it waits for the clock; 0 for any number
	At    time.Time // zero for never
	Timed bool      // only if there are other ways of searching, see several
	clock bool      // of these, only time by lag is left
}

// takesPause reports whether the phase is to be left after x.
func (s *Session) takesPause(x *trace.Execution) bool {
	p := &s.Phase.Pause
	if s.takesShare(x) {
		s.State.taken = true
	}
	if p.At.IsZero() || s.State.taken {
		return s.State.taken
	}
	enough := p.steps > 0 && x.Stats != nil && x.Stats.Steps+x.Stats.Replayed >= p.steps
	if !enough && time.Now().Before(p.At) {
		return false
	}
	c, ok := x.Run.(*exec.Closure)
	s.State.taken = (!p.Timed || ok && s.several(c)) && s.Executions.Load() > 0 && len(s.Findings.Found) == 0 && s.tallied().always == nil && !parts.IsOnly(x)
	return s.State.taken
}

// several reports whether executions are to be explored in several ways: they wait for the clock,
// read what may be taken for messages, or use Pools.
func (s *Session) several(c *exec.Closure) bool {
	if s.lagMatters() && c.Timed() {
		return true
	}
	return !s.Phase.Pause.clock && (s.streamsMatter() && c.Assumes(isMessage) || s.poolsMatter() && c.Assumes(isOwnPool))
}

// setPatience limits the first execution of a phase, if its pause says so. Later executions have no
// such limit.
func (s *Session) setPatience(p any) {
	c, ok := p.(*exec.Closure)
	switch {
	case !ok:
	case s.Phase.Pause.first > 0 && s.Executions.Load() == s.State.earlier:
		c.SetPatience(s.Phase.Pause.first)
	default:
		c.SetPatience(0)
	}
}

// losesPatience ends a phase of which the first execution was ended by its limit.
func (s *Session) losesPatience(p any) bool {
	c, ok := p.(*exec.Closure)
	left := ok && c.LostPatience() && s.Phase.Pause.first > 0 && s.Executions.Load() == s.State.earlier
	s.State.left = s.State.left || left
	s.State.taken = left && s.Halted() == Running
	return left
}
