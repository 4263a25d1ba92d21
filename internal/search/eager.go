package search

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/gopor/gopor/sched/trace"
)

// Sections says which sections [Eager] explores.
type Sections struct {
	// Short is for short sections (Metzler et al. 2016, section 4): no goroutine has two
	// events that others of the section depend on.
	Short bool
	// Adaptive gives up sections where they do not pay.
	Adaptive bool
}

// eager is the search of Metzler, Saissi, Bokor, Hesse and Suri, "Efficient Verification
// of Program Fragments: Eager POR" (ATVA 2016), on top of source-DPOR. See [Eager].
type eager struct {
	backtracking
	Sections
	steps     Stack[eagerStep]
	plans     Stack[plan] // by the place where their section begins
	planning  *plan       // the section that is being made, nil if none is
	until     int         // where the section ends whose schedule is followed
	chosen    bool        // choice is to be next
	everybody bool        // all goroutines are to be explored in the state that is entered next
	known     int32       // as in eagerStep
	branches  branches
	pay       purse
}

// eagerStep is what is kept, beside a backtrackFrame, of the state in which event k is to
// be performed.
type eagerStep struct {
	start int   // where the section of event k begins
	known int32 // the objects below this number have it in all executions that come here
	// In a state where the schedule of a section goes on:
	scheduled bool   // event k is one of the schedule
	place     Place  // of the section
	choices   uint64 // schedule(u) of the paper: what comes next in some solution
	done      uint64 // those that were explored
	pick      int    // the one that is being explored
	shown     bool   // the backtrackFrame has what is scheduled, and may have more
}

var eagers = sync.Pool{New: func() any { return new(eager) }}

// Eager visits one execution of every Mazurkiewicz trace of p, as [Backtrack] does, but
// explores sections from schedules made in advance: what the goroutines that are ready do
// next, each up to an operation after which what it does may be up to others. An
// execution of the section is run. Then it is known which events there are and which of
// them depend on each other, and all that can come of the section is run without
// looking for races in it, or at what sleeps: see [Section].
//
// # Plans
//
// That all executions of a section have the same events and dependences, (A) and (B) in
// section 3.2 of the paper, is not found out beforehand by an analysis. It is taken for
// granted, and every step of every schedule is compared with the plan. If all agree, (A)
// and (B) hold: the first event that deviated in some execution would have only events
// before it that are planned, and a schedule begins with those and it. The first
// operations of goroutines are the exception. They are pending where the section begins
// and are steady (see [trace.Footprint]), so there is nothing to compare, and a section
// of no others is run without a pause.
//
// If a step deviates, the states from the beginning of the section to it are left to
// sleep sets alone: everybody is explored in each of them who does not sleep there. That
// is complete whatever the plan was. What was explored before has agreed with the plan,
// so far as its traces begin, and is complete too. The operation before the one that
// deviates is taken for a branching one from then on, and the next plan ends with it.
//
// A goroutine's part of a section ends also where it has to wait, at what has
// alternatives, and before what is ordered after an event of another goroutine
// ([trace.Event.Order]): the paper has no events that enable those of others.
//
// # Sleep sets
//
// The paper sets sleep(u), lines 12, 19 and 27, where sleep(u.p) is meant, and does
// not look at it in lines 10 to 15. For that to explore no trace twice and to miss none
// it takes two things. Solutions have to be the first ones of their traces in the order
// in which schedule(u) is explored. If not, p sleeps after q though what begins with q.p
// is another trace's solution than those that p begins. And a solution has to be dropped
// that could begin with what slept before the section: so that is part of a section only
// if something there wakes it. Then solutions remain, for every beginning in which no
// sleeper could come first. What sleeps on is not part of the section, and sleeps
// after it exactly if it depends on no event of it, the same after every solution.
//
// # Races
//
// A race of events of one section is not reversed. All others are, as in Backtrack, line
// 33 of the paper being meant so that what is scheduled counts as what is to be
// backtracked to. Let w be a continuation of u that nothing explored at u can begin,
// and p be what has been explored there and is independent of most of w. Its first event
// e that depends on p is in the section of p, or the race had been reversed. What
// happens before e in w is in the section then, since e was performed there. So a
// solution goes on from u with this and e, or with something that is independent of it;
// and the latter leads further, as far as w is in the section, and then to a race with what
// is not. After a backtrack into a section, what was performed of it is not part of a
// section any more, and the one that is backtracked to is a section of its own.
//
// Happens-before is needed for races only. In the first section there is none to look
// for, so it is computed when something follows that section.
func Eager(p trace.Program, visit func(*trace.Execution) bool, o Sections) (trace.Stats, error) {
	s := eagers.Get().(*eager)
	s.Trail, s.notdep, s.Sections = NewTrail(p, visit), true, o
	s.planning, s.until, s.chosen, s.everybody, s.known = nil, 0, false, false, 0
	s.branches.clear()
	s.pay = purse{content: purseBegin}
	s.frames.At(0).sleep = s.frames.At(0).sleep[:0]
	s.steps.At(0).scheduled = false
	stats, err := s.Finish(s.explore())
	eagers.Put(s)
	return stats, err
}

// explore is Explore of the paper (figure 3) from the empty execution on, without
// recursion, so that an execution can be run to its end in one go. It returns false if
// the search is to stop.
func (s *eager) explore() bool {
	decide := s.decide
	for {
		s.follow()
		s.drive(decide)
		if s.Err != nil {
			return false
		}
		s.close()
		s.detect()
		if !s.show() {
			return false
		}
		if !s.retreat() {
			return s.Err == nil
		}
	}
}

// decide has the latest event recorded and returns the choice to make then. It returns
// false if the execution goes no further.
func (s *eager) decide(ev *trace.Event) (trace.Choice, bool) {
	if ev != nil {
		s.note(s.choice)
		s.record(ev)
	}
	if s.chosen {
		s.chosen = false
		return s.choice, true
	}
	k := len(s.Schedule)
	ops := s.Run.Pending()
	if k < s.until {
		if c, ok := s.agrees(k, ops); ok {
			s.choice = c
			return c, true
		}
		s.dissolve(k)
	}
	if len(ops) == 0 {
		s.End = Maximal
		return trace.Choice{}, false
	}
	s.End = Blocked
	var ok bool
	s.choice, ok = s.enter(k, ops)
	return s.choice, ok
}

// enter begins frame k, in a state for which there is no schedule (line 6): it goes on
// with the section that is being made, or begins one (lines 7 and 8), unless that would be
// of one event.
func (s *eager) enter(k int, ops []*trace.Op) (trace.Choice, bool) {
	f, st := s.frames.At(k), s.steps.At(k)
	f.all, f.blind, s.everybody = s.everybody, false, false
	f.forks.Note(ops)
	f.stateDependent.NoteLosers(ops)
	st.start, st.scheduled = k, false
	var c trace.Choice
	ok := false
	if s.planning != nil {
		if c, ok = s.extend(f.sleep, ops); !ok {
			s.close()
		}
	}
	if !ok {
		if c, ok = f.sleep.Pick(ops, s.First(ops, f.sleep), s.Turn()); !ok {
			return c, false
		}
		if !s.Adaptive || k == 0 || s.pay.worth() {
			s.open(k, ops, c)
		}
	}
	st.known = s.known
	f.backtrack.Clear()
	f.backtrack.Add(c.G)
	f.begun, f.at = c.Alt, 0
	return c, true
}

// record makes ev the latest event, and says what sleeps after it.
func (s *eager) record(ev *trace.Event) {
	k := len(s.Schedule) - 1
	if k < s.until {
		if s.plan(k).events[s.steps.At(k).pick].ordered(ev.Order) {
			return
		}
		s.dissolve(k)
	}
	if p := s.planning; p != nil && !p.confirm(ev) {
		s.close() // it is ordered after an event of the section, so it is none of it
	}
	if len(s.Events) < k {
		s.detect()
	}
	e := s.Track(ev)
	start := k
	if s.planning != nil {
		start = s.planning.start
		s.steps.At(k).start = start
	}
	s.races(k, start)
	f, next := s.frames.At(k), s.frames.At(k+1)
	s.Stats.PairChecks += int64(len(f.sleep))
	if f.blind && !f.forks.know(e.G) {
		f.forks = append(f.forks, trace.Choice{G: e.G, Alt: e.Alts})
	}
	next.sleep = s.After(f.sleep, next.sleep, e)
}

// detect tracks the events of schedules that were not tracked when they were performed,
// and reverses their races, unless there is none: line 11. That is so if all are of the
// first section.
func (s *eager) detect() {
	n := len(s.Schedule)
	if n > 0 && s.planning == nil && s.steps.At(n-1).start == 0 && s.steps.At(n-1).scheduled {
		return
	}
	for k := len(s.Events); k < n && s.steps.At(k).scheduled; k++ {
		e := &s.plan(k).events[s.steps.At(k).pick]
		s.push(e)
		s.races(k, s.steps.At(k).start)
	}
}

// push tracks an event as planned.
func (s *eager) push(e *planned) {
	before := s.HB.Checks
	s.HB.Push(int32(e.G), e.Uses.List(), e.order)
	s.Stats.Checks += s.HB.Checks - before
	s.Events = append(s.Events, e.Performed)
}

// races is Race_Detection of the paper for event k, whose section begins with event
// start: lines 29 to 34.
func (s *eager) races(k, start int) {
	s.countPairs(k, start)
	for _, first := range s.HB.Races(k) {
		if int(first) < start {
			s.Stats.Races++
			s.expose(int(first))
			s.reverse(int(first), k)
		}
	}
}

// retreat goes back to the latest state in which something remains to be explored.
func (s *eager) retreat() bool {
	for k := len(s.Schedule) - 1; k >= 0 && s.Err == nil; k-- {
		if s.next(k) {
			return true
		}
	}
	return false
}

// next turns to what is to be explored in state k after what was, if anything: what is
// scheduled (lines 10 to 15), and then what is to be backtracked to (lines 16 to 21).
func (s *eager) next(k int) bool {
	f, st := s.frames.At(k), s.steps.At(k)
	c := trace.Choice{G: -1}
	if st.scheduled {
		st.done |= 1 << st.pick
		if left := st.choices &^ st.done; left != 0 {
			s.cut(k)
			st.pick = bits.TrailingZeros64(left)
			return true
		}
		if !st.shown {
			return false
		}
		s.leave(k)
	} else {
		c = s.Events[k].Choice
	}
	if f.all || f.blind && f.unknown() {
		s.lookAgain(k)
	}
	c, ok := f.next(c)
	if !ok {
		return false
	}
	if !st.scheduled {
		f.sleep = append(f.sleep, s.Sleeper(k))
	}
	st.scheduled = false
	s.cut(k)
	st.start, s.known = k, st.known
	s.choice, s.chosen = c, true
	return true
}

// cut takes back all events from number k on.
func (s *eager) cut(k int) {
	if k < len(s.Events) {
		s.Cut(k)
		return
	}
	s.Back(k)
}

// plan returns the plan of the section of event k.
func (s *eager) plan(k int) *plan { return s.plans.At(s.steps.At(k).start) }

// follow appends to the schedule of the walk what is scheduled from its end on, up to
// where a step has to be compared with the plan, and makes the states on the way.
func (s *eager) follow() {
	k := len(s.Schedule)
	s.until = 0
	if s.chosen || !s.steps.At(k).scheduled {
		return
	}
	p := s.plan(k)
	s.until, s.known = p.start+p.Len(), p.known
	for j := k; j+1 < s.until; j++ {
		p.advance(s.steps.At(j), s.steps.At(j+1))
		s.Stats.PairChecks += int64(bits.OnesCount64(s.steps.At(j).place.asleep | s.steps.At(j).done))
	}
	if p.start > 0 {
		s.pay.earn()
	}
	s.Stats.Unsatisfiable--
	end := s.frames.At(s.until)
	end.sleep = append(end.sleep[:0], p.after...)
	for ; k < s.until; k++ {
		e := &p.events[s.steps.At(k).pick]
		if !e.sure {
			break
		}
		s.Schedule = append(s.Schedule, e.Choice)
		s.Stats.Steps++
		s.Stats.Replayed-- // drive counts it
	}
}

// agrees reports whether the operation that is scheduled for state k is pending, as
// it is planned.
func (s *eager) agrees(k int, ops []*trace.Op) (trace.Choice, bool) {
	e := &s.plan(k).events[s.steps.At(k).pick]
	for _, op := range ops {
		if op.G == e.G {
			return e.Choice, op.Alts == 1 && op.Kind == e.Kind && op.Footprint == e.Footprint && slices.Equal(op.Accesses(), e.Uses.List())
		}
	}
	return e.Choice, false
}

// expose makes the frame of state k fit for [backtracking.reverse], if it is one where a
// schedule goes on: it lists what is scheduled there, and what sleeps in the section.
func (s *eager) expose(k int) {
	st := s.steps.At(k)
	if !st.scheduled || st.shown {
		return
	}
	st.shown = true
	f := s.frames.At(k)
	f.all, f.blind = false, true
	f.backtrack.Clear()
	p := s.plan(k)
	for m := st.choices | st.place.asleep; m != 0; m &= m - 1 {
		f.backtrack.Add(p.events[bits.TrailingZeros64(m)].G)
	}
	if k > p.start {
		f.sleep, f.forks, f.stateDependent = f.sleep[:0], f.forks[:0], f.stateDependent[:0]
	}
}

// leave makes the frame of state k, where a schedule went on, one that knows of none: it
// computes what sleeps there.
func (s *eager) leave(k int) {
	f, st, p := s.frames.At(k), s.steps.At(k), s.plan(k)
	f.sleep = s.sleepers(k, f.sleep)
	f.begun, f.at = 0, -1
	if k > p.start {
		for m := st.place.ready; m != 0; m &= m - 1 {
			f.forks = append(f.forks, trace.Choice{G: p.events[bits.TrailingZeros64(m)].G, Alt: 1})
		}
	}
}

// unknown reports whether a goroutine is to be explored of which something sleeps, and
// of which it is not known how many alternatives it has.
func (f *backtrackFrame) unknown() bool {
	for _, g := range f.backtrack.IDs[f.at+1:] {
		if !f.forks.know(g) && slices.ContainsFunc(f.sleep, func(z Sleeper) bool { return z.G == g }) {
			return true
		}
	}
	return false
}

// know reports whether f has the number of alternatives of goroutine g.
func (f Forks) know(g trace.ID) bool {
	return slices.ContainsFunc(f, func(c trace.Choice) bool { return c.G == g })
}

// lookAgain notes what is pending in state k, and adds everybody to backtrack if that is
// to be done.
func (s *eager) lookAgain(k int) {
	f := s.frames.At(k)
	ops := s.PendingAfter(s.Schedule[:k])
	f.forks = f.forks[:0]
	for _, op := range ops {
		f.forks = append(f.forks, trace.Choice{G: op.G, Alt: op.Alts})
		if f.all {
			f.backtrack.Add(op.G)
		}
	}
	f.all = false
}

// sleepers computes in dst what sleeps in state k, where a schedule goes on: what slept at
// the beginning of the section and is not part of it, unless something has woken it
// since; and of the section what sleeps, or was explored.
func (s *eager) sleepers(k int, dst SleepSet) SleepSet {
	p, st := s.plan(k), s.steps.At(k)
	dst = dst[:0]
	outer := s.frames.At(p.start).sleep
next:
	for i := range outer {
		z := &outer[i]
		if p.has(z.G) {
			continue
		}
		for j := p.start; j < k; j++ {
			if s.Dependent(&z.Uses, &p.events[s.steps.At(j).pick].Uses) {
				continue next
			}
		}
		dst = append(dst, *z)
	}
	for m := st.place.asleep | st.done; m != 0; m &= m - 1 {
		e := &p.events[bits.TrailingZeros64(m)]
		dst = append(dst, Sleeper{Choice: e.Choice, Uses: e.Uses})
	}
	return dst
}

// dissolve gives up the plan of the section in state k, whose next event, or the one that
// was performed there, is not as planned: in all states of the section up to there
// everybody is to be explored who does not sleep.
func (s *eager) dissolve(k int) {
	p := s.plan(k)
	s.branches.blame(p, s.steps.At(k).pick)
	s.until = 0
	n := len(s.Schedule)
	for j := len(s.Events); j < k; j++ { // an event number k is recorded by whoever calls
		e := &p.events[s.steps.At(j).pick]
		s.push(e)
		s.races(j, p.start)
	}
	if k == n {
		f := s.frames.At(k)
		f.sleep, s.everybody = s.sleepers(k, f.sleep), true
	}
	for j := n - 1; j >= p.start; j-- { // what slept at the start last, since the others ask for it
		s.settle(j)
	}
	for j := p.start; j <= k; j++ {
		st := s.steps.At(j)
		st.scheduled, st.start = false, j
	}
}

// settle makes the frame of state k, where the plan is given up, one in which everybody
// is to be explored.
func (s *eager) settle(k int) {
	f, st := s.frames.At(k), s.steps.At(k)
	f.sleep = s.sleepers(k, f.sleep)
	f.backtrack.Clear()
	f.backtrack.Add(s.Schedule[k].G)
	f.stateDependent = f.stateDependent[:0]
	f.begun, f.at, f.all, f.blind = 0, 0, true, true
	st.done = 0
}
