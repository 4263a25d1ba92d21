package search

import (
	"sync"

	"github.com/gopor/gopor/sched/trace"
)

// backtracking is the search that DPOR and source-DPOR have in common: depth
// first, with sleep sets, and in every state a set of goroutines to explore that
// grows as races are found further on. They differ in which goroutine a race
// adds.
type backtracking struct {
	Trail
	frames Stack[backtrackFrame]
	// notdep says that all events that do not depend on e count when the race of
	// events e and n is to be reversed, and not only those before n in the trace.
	notdep bool
}

// backtrackFrame belongs to the state in which event k is to be performed. A
// goroutine in backtrack is explored with all its alternatives, so backtrack is
// a set of goroutines, while sleep is one of choices.
type backtrackFrame struct {
	sleep          SleepSet
	backtrack      IDSet
	forks          Forks
	stateDependent StateDependent // see NoteLosers
	all            bool           // everybody is to be added to backtrack
	blind          bool           // stateDependent is not known
	at             int            // the place in backtrack of what is being explored
	begun          int32          // the alternative that the goroutine at that place has begun with
}

// backtrackings keeps the frames of finished searches for later ones, since many
// searches are over within microseconds.
var backtrackings = sync.Pool{New: func() any { return new(backtracking) }}

// Backtrack visits executions of p, at least one of every Mazurkiewicz trace. When
// the race of events e and n is to be reversed, one of the events between them is
// explored in the place of e, or n itself, that can come first among those that
// count: all that do not happen after e if notdep is set, else those of them that
// happen before n.
//
// # Footprints
//
// Let w be a continuation of the execution E that no sleeper can begin, and c be
// explored after E. If c cannot begin w, then an event d of w depends on it, the
// first one, and what comes before d in w, w', does not. So E.c.w'.d was explored, in
// some order, and c was in a race with d there. What was added to backtrack(E) then
// begins w', or is d itself, with nothing before it in w' that it depends on; or, if
// notdep is set, begins neither and is independent of both, so that one can argue on
// from there, in place of c, with a longer w'. (Abdulla et al. 2014 prove it so.)
//
// But that was in E.c, and d may use other objects in E. It begins w there too if the
// program keeps to the law of footprints (see trace.Program): what it depends on in
// E but not in E.c, depends on c, unlike w'. Where c takes a use from d against the
// law, every goroutine is explored in the place of c, so one that begins w. It is the
// use at E that counts, since with nothing before it d is pending there. And notdep
// does not go for operations of an open footprint, of which it is not known whether
// they keep to the law: what it adds might be independent of d in E.c, but not in E.
//
// A program that keeps to the law is explored as if there were no such provision.
func Backtrack(p trace.Program, visit func(*trace.Execution) bool, notdep bool) (trace.Stats, error) {
	s := backtrackings.Get().(*backtracking)
	s.Trail, s.notdep = NewTrail(p, visit), notdep
	s.frames.At(0).sleep = s.frames.At(0).sleep[:0]
	stats, err := s.Finish(s.Explore(s))
	backtrackings.Put(s)
	return stats, err
}

// Enter begins with one goroutine, as Algorithm 1 of Abdulla et al. 2014 does.
func (s *backtracking) Enter(k int, ops []*trace.Op) (trace.Choice, bool) {
	f := s.frames.At(k)
	p, ok := f.sleep.Pick(ops, s.First(ops, f.sleep), s.Turn())
	if !ok {
		return p, false
	}
	if k == 0 {
		f.forks.Note(ops)
	} else {
		f.forks.Follow(s.frames.At(k-1).forks, ops, s.Changed(ops))
	}
	f.stateDependent.NoteLosers(ops)
	f.all = false
	f.backtrack.Clear()
	f.backtrack.Add(p.G)
	f.begun, f.at = p.Alt, 0
	return p, true
}

// Record reverses the races of ev, and says what sleeps after it.
func (s *backtracking) Record(ev *trace.Event) bool {
	k := len(s.Events)
	e := s.Track(ev)
	s.countPairs(k, k)
	for _, first := range s.HB.Races(k) {
		s.Stats.Races++
		s.reverse(int(first), k)
	}
	f, next := s.frames.At(k), s.frames.At(k+1)
	s.Stats.PairChecks += int64(len(f.sleep))
	next.sleep = s.After(f.sleep, next.sleep, e)
	return true
}

// Next turns to a choice that does not sleep, and puts the one before to sleep.
func (s *backtracking) Next(k int) (trace.Choice, bool) {
	f := s.frames.At(k)
	if f.all {
		f.all = false
		s.addAll(k)
	}
	c, ok := f.next(s.Events[k].Choice)
	if ok {
		f.sleep = append(f.sleep, s.Sleeper(k))
		s.Cut(k)
	}
	return c, ok
}

// mayLose reports whether the operation of e might lose a use against the law of
// footprints: see NoteLosers.
func (e *Performed) mayLose() bool {
	return e.Footprint == trace.OpenFootprint || e.Footprint == trace.LawfulFootprint && e.Uses.n > 1
}

// addAll adds everybody who is ready before event k to backtrack.
func (s *backtracking) addAll(k int) {
	f := s.frames.At(k)
	for _, op := range s.PendingAfter(s.Schedule[:k]) {
		f.backtrack.Add(op.G)
	}
}

// next returns the choice of the frame after c that does not sleep.
func (f *backtrackFrame) next(c trace.Choice) (trace.Choice, bool) {
	for {
		var more bool
		if c.Alt, more = f.forks.Next(c.G, c.Alt, f.begun); !more {
			if f.at++; f.at == len(f.backtrack.IDs) {
				return c, false
			}
			c, f.begun = trace.Choice{G: f.backtrack.IDs[f.at]}, 0
		}
		if !f.sleep.Has(c) {
			return c, true
		}
	}
}

// reverse sees to it that the race of event e with the latest event n is
// explored in the other order too: it adds to backtrack(pre(e)) a goroutine
// whose event comes first among those that count, unless one is there. One that
// sleeps there does as well: adding it would change nothing.
//
// Those that come first are the events before which nothing happens that comes after pre(e).
// The latest of them is added.
func (s *backtracking) reverse(e, n int) {
	f := s.frames.At(e)
	second := &s.Events[n]
	notdep := s.notdep && second.Footprint != trace.OpenFootprint
	if s.isThere(f, e, n, notdep) {
		return
	}
	if s.HB.Latest(n) != e {
		j := n - 1
		for !s.isFirst(j, e, n, notdep) {
			j--
		}
		f.backtrack.Add(s.Events[j].G)
		return
	}
	if f.blind && second.mayLose() || s.Takes(&s.Events[e].Uses, f.stateDependent, second) {
		f.all = true
		return
	}
	if (!f.blind || f.forks.know(second.G)) && f.sleep.Covers(second, true, f.forks) {
		return
	}
	f.backtrack.Add(second.G)
}

// isFirst reports whether event j, which is not event n, comes first among those that count
// for the race of events e and n.
func (s *backtracking) isFirst(j, e, n int, notdep bool) bool {
	return s.HB.Latest(j) < e && (notdep || s.HB.Before(j, n))
}

// isThere reports whether one of the events before n that come first is explored from pre(e)
// already, or sleeps there.
func (s *backtracking) isThere(f *backtrackFrame, e, n int, notdep bool) bool {
	for _, g := range f.backtrack.IDs {
		if j := s.firstAfter(g, e); j >= 0 && j < n && s.isFirst(j, e, n, notdep) {
			return true
		}
	}
	for i := range f.sleep {
		z := &f.sleep[i]
		if j := s.firstAfter(z.G, e); j >= 0 && j < n && s.Events[j].Choice == z.Choice && s.isFirst(j, e, n, notdep) {
			return true
		}
	}
	return false
}
