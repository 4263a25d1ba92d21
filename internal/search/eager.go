package search

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/gopor/gopor/sched/trace"
)

// Sections says which sections [Eager] explores.
type Sections struct {
	// Short limits the search to short sections (Metzler et al. 2016, section 4): no goroutine
	// has two events on which others of the section depend.
	Short bool
	// Adaptive omits sections where they do not pay.
	Adaptive bool
}

// eager is the search of Metzler, Saissi, Bokor, Hesse and Suri, "Efficient Verification
// of Program Fragments: Eager POR" (ATVA 2016), on top of source-DPOR. See [Eager].
type eager struct {
	backtracking
	Sections
	steps     Stack[eagerStep]
	plans     Stack[plan] // indexed by the position at which the section begins
	planning  *plan       // the section under construction, or nil
	until     int         // where the section of the schedule that is followed ends
	chosen    bool        // choice is taken next
	everybody bool        // the state entered next explores all goroutines
	known     int32       // as in eagerStep
	branches  branches
	pay       purse
}

// eagerStep is what the search keeps, beside a backtrackFrame, of the state in which event k is
// to be performed.
type eagerStep struct {
	start int   // where the section of event k begins
	known int32 // objects below this number mean the same in all executions that come here
	// In a state where the schedule of a section goes on:
	scheduled bool   // event k is one of the schedule
	place     Place  // the position in the section
	choices   uint64 // schedule(u) of the paper: the events that come next in some solution
	done      uint64 // the choices that were explored
	pick      int    // the choice that is being explored
	shown     bool   // the backtrackFrame has what is scheduled, and may have more
}

var eagers = sync.Pool{New: func() any { return new(eager) }}

// Eager visits one execution of every Mazurkiewicz trace of p, like [Backtrack], but explores
// sections from schedules made in advance. A section is what the enabled goroutines do next,
// each up to an operation with a result that may decide what it does afterwards. One execution
// of the section is run. Then its events and their dependences are known. All solutions of the
// section are then run without a search for races in it and without sleep sets: see [Section].
//
// # Plans
//
// All executions of a section must have the same events and dependences: (A) and (B) in section
// 3.2 of the paper. No analysis finds that out beforehand. It is assumed, and every step of
// every schedule is compared with the plan. If all agree, (A) and (B) hold: the first event
// that deviated in some execution would be preceded by planned events only, and some schedule
// begins with those and it. The first operations of goroutines are the exception. They are
// pending where the section begins and are steady (see [trace.Footprint]), so they need no
// comparison. A section of such operations only is run without a pause.
//
// If a step deviates, sleep sets alone guide the states from the beginning of the section to
// it: each of them explores all goroutines that do not sleep. That is complete whatever the
// plan was. What was explored before has agreed with the plan as far as its traces begin, so it
// is complete too. From then on the operation before the deviating one counts as a branching
// one, and the next plan ends with it.
//
// A goroutine's part of a section also ends where the goroutine has to wait, at an operation
// with alternatives, and before an operation that is ordered after an event of another
// goroutine ([trace.Event.Order]): the paper has no events that enable events of others.
//
// # Sleep sets
//
// The paper sets sleep(u), lines 12, 19 and 27, where sleep(u.p) is meant, and does not read it
// in lines 10 to 15. Two conditions are needed to explore no trace twice and to miss none.
//
// First, solutions have to be the first ones of their traces in the order in which schedule(u)
// is explored. Otherwise p sleeps after q although what begins with q.p is a solution of
// another trace than those that p begins.
//
// Second, a solution has to be dropped if it could begin with what slept before the section. So
// a sleeper is part of a section only if something in the section wakes it. The remaining
// solutions have, for every beginning, no sleeper that could come first. A sleeper that is not
// part of the section sleeps after it exactly if it depends on no event of the section, after
// every solution alike.
//
// # Races
//
// A race between events of one section is not reversed. All others are, as in Backtrack. Line
// 33 of the paper is read such that scheduled events count as events to backtrack to. Let w be
// a continuation of u that nothing explored at u can begin, and p be what was explored there
// and is independent of most of w. The first event e of w that depends on p is in the section
// of p, or the race had been reversed. The events that happen before e in w are in the section
// then, since e was performed there. So a solution goes on from u with these and e, or with
// something that is independent of e. The latter leads further, as far as w is in the section,
// and then to a race with an event outside. After a backtrack into a section, its performed
// events are not part of a section any more, and the event backtracked to is a section of its
// own.
//
// Happens-before is needed for races only. The first section has no races to look for, so
// happens-before is computed when an event follows that section.
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

// explore is Explore of the paper (figure 3) from the empty execution on. It uses a loop in
// place of recursion, so that an execution runs to its end without unwinding. It returns false
// if the search is to stop.
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

// decide records the latest event and returns the next choice. It returns false if the
// execution goes no further.
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

// enter begins frame k, in a state for which there is no schedule (line 6). It extends the
// section under construction, or begins one (lines 7 and 8) unless that section would have one
// event.
func (s *eager) enter(k int, ops []*trace.Op) (trace.Choice, bool) {
	f, st := s.frames.Get(k), s.steps.At(k)
	f.all, f.blind, s.everybody = s.everybody, false, false
	f.forks.Note(ops)
	s.NotePending(k, ops)
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

// record makes ev the latest event and computes what sleeps after it.
func (s *eager) record(ev *trace.Event) {
	k := len(s.Schedule) - 1
	if k < s.until {
		if s.plan(k).events[s.steps.Get(k).pick].ordered(ev.Order) {
			return
		}
		s.dissolve(k)
	}
	if p := s.planning; p != nil && !p.confirm(ev) {
		s.close() // it is ordered after an event of the section, so it is not part of it
	}
	if len(s.Events) < k {
		s.detect()
	}
	e := s.Track(ev)
	start := k
	if s.planning != nil {
		start = s.planning.start
		s.steps.Get(k).start = start
	}
	s.races(k, start)
	f, next := s.frames.Get(k), s.frames.At(k+1)
	s.Stats.PairChecks += int64(len(f.sleep))
	if f.blind && !f.forks.know(e.G) {
		f.forks = append(f.forks, trace.Choice{G: e.G, Alt: e.Alts})
	}
	next.sleep = s.After(f.sleep, next.sleep, e)
}

// detect tracks the events of schedules that were not tracked when they were performed, and
// reverses their races (line 11). It does nothing if all events belong to the first section,
// which has no races to reverse.
func (s *eager) detect() {
	n := len(s.Schedule)
	if n > 0 && s.planning == nil && s.steps.Get(n-1).start == 0 && s.steps.Get(n-1).scheduled {
		return
	}
	for k := len(s.Events); k < n && s.steps.Get(k).scheduled; k++ {
		e := &s.plan(k).events[s.steps.Get(k).pick]
		s.push(e)
		s.races(k, s.steps.Get(k).start)
	}
}

// push tracks a planned event.
func (s *eager) push(e *planned) {
	before := s.HB.Checks
	s.HB.Push(int32(e.G), e.Uses.List(), e.order)
	s.Stats.Checks += s.HB.Checks - before
	s.Events = append(s.Events, e.Performed)
}

// races is Race_Detection of the paper (lines 29 to 34) for event k. The section of k begins
// with event start.
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

// next turns to the next choice in state k: first the scheduled ones (lines 10 to 15), then
// those to backtrack to (lines 16 to 21). It returns false if none remains.
func (s *eager) next(k int) bool {
	f, st := s.frames.Get(k), s.steps.Get(k)
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
	s.pending.forget(k)
	if k < len(s.Events) {
		s.Cut(k)
		return
	}
	s.Back(k)
}

// plan returns the plan of the section of event k.
func (s *eager) plan(k int) *plan { return s.plans.Get(s.steps.Get(k).start) }

// follow appends the scheduled events to the schedule of the walk, up to the step that has to
// be compared with the plan. It makes the states on the way.
func (s *eager) follow() {
	k := len(s.Schedule)
	s.until = 0
	if s.chosen || !s.steps.At(k).scheduled {
		return
	}
	p := s.plan(k)
	s.until, s.known = p.start+p.Len(), p.known
	for j := k; j+1 < s.until; j++ {
		p.advance(s.steps.Get(j), s.steps.At(j+1))
		s.Stats.PairChecks += int64(bits.OnesCount64(s.steps.Get(j).place.asleep | s.steps.Get(j).done))
	}
	if p.start > 0 {
		s.pay.earn()
	}
	s.Stats.Unsatisfiable--
	end := s.frames.At(s.until)
	end.sleep = append(end.sleep[:0], p.after...)
	for ; k < s.until; k++ {
		e := &p.events[s.steps.Get(k).pick]
		if !e.sure {
			break
		}
		s.Schedule = append(s.Schedule, e.Choice)
		s.Stats.Steps++
		s.Stats.Replayed-- // drive counts it
	}
}

// agrees reports whether the operation scheduled for state k is pending as planned.
func (s *eager) agrees(k int, ops []*trace.Op) (trace.Choice, bool) {
	e := &s.plan(k).events[s.steps.Get(k).pick]
	for _, op := range ops {
		if op.G == e.G {
			return e.Choice, op.Alts == 1 && op.Kind == e.Kind && op.Footprint == e.Footprint && slices.Equal(op.Accesses(), e.Uses.List())
		}
	}
	return e.Choice, false
}

// expose prepares the frame of state k for [backtracking.reverse] if a schedule goes on in that
// state: it lists the scheduled goroutines and the sleepers of the section.
func (s *eager) expose(k int) {
	st := s.steps.Get(k)
	if !st.scheduled || st.shown {
		return
	}
	st.shown = true
	f := s.frames.Get(k)
	f.all, f.blind = false, true
	f.backtrack.Clear()
	p := s.plan(k)
	for m := st.choices | st.place.asleep; m != 0; m &= m - 1 {
		f.backtrack.Add(p.events[bits.TrailingZeros64(m)].G)
	}
	if k > p.start {
		f.sleep, f.forks = f.sleep[:0], f.forks[:0]
	}
}

// leave turns the frame of state k, where a schedule went on, into one without a schedule: it
// computes what sleeps there.
func (s *eager) leave(k int) {
	f, st, p := s.frames.Get(k), s.steps.Get(k), s.plan(k)
	f.sleep = s.sleepers(k, f.sleep)
	f.begun, f.at = 0, -1
	if k > p.start {
		for m := st.place.ready; m != 0; m &= m - 1 {
			f.forks = append(f.forks, trace.Choice{G: p.events[bits.TrailingZeros64(m)].G, Alt: 1})
		}
	}
}

// unknown reports whether a goroutine remains to be explored that has a sleeper and an unknown
// number of alternatives.
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

// lookAgain notes the operations pending in state k, and adds all goroutines to backtrack if
// f.all is set.
func (s *eager) lookAgain(k int) {
	f := s.frames.Get(k)
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

// sleepers computes in dst what sleeps in state k, where a schedule goes on. That is what slept
// at the beginning of the section, is not part of it and was not woken since, and the events of
// the section that sleep or were explored.
func (s *eager) sleepers(k int, dst SleepSet) SleepSet {
	p, st := s.plan(k), s.steps.Get(k)
	dst = dst[:0]
	outer := s.frames.Get(p.start).sleep
next:
	for i := range outer {
		z := &outer[i]
		if p.has(z.G) {
			continue
		}
		for j := p.start; j < k; j++ {
			if s.Dependent(&z.Uses, &p.events[s.steps.Get(j).pick].Uses) {
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

// dissolve drops the plan of the section in state k because its next event, or the event
// performed there, is not as planned. All states of the section up to there explore every
// goroutine that does not sleep.
func (s *eager) dissolve(k int) {
	p := s.plan(k)
	s.branches.blame(p, s.steps.Get(k).pick)
	s.until = 0
	n := len(s.Schedule)
	for j := len(s.Events); j < k; j++ { // the caller records event number k, if there is one
		e := &p.events[s.steps.Get(j).pick]
		s.push(e)
		s.races(j, p.start)
	}
	if k == n {
		f := s.frames.Get(k)
		f.sleep, s.everybody = s.sleepers(k, f.sleep), true
	}
	// The start comes last, since the others read what slept there.
	for j := n - 1; j >= p.start; j-- {
		s.settle(j)
	}
	for j := p.start; j <= k; j++ {
		st := s.steps.Get(j)
		st.scheduled, st.start = false, j
	}
}

// settle makes the frame of state k explore all goroutines, after its plan was dropped.
func (s *eager) settle(k int) {
	f, st := s.frames.Get(k), s.steps.Get(k)
	f.sleep = s.sleepers(k, f.sleep)
	f.backtrack.Clear()
	f.backtrack.Add(s.Schedule[k].G)
	f.begun, f.at, f.all, f.blind = 0, 0, true, true
	st.done = 0
}
