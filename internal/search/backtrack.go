package search

import (
	"sync"

	"github.com/gopor/gopor/sched/trace"
)

// backtracking is the search that DPOR and source-DPOR share. It is depth first, with sleep
// sets. Every state has a set of goroutines to explore, which grows as races are found further
// on. The two engines differ in the goroutine that a race adds.
type backtracking struct {
	Trail
	frames Stack[backtrackFrame]
	// notdep selects the events that count when the race of events e and n is reversed: all
	// events that do not depend on e if it is set, else only those before n in the trace.
	notdep bool
}

// backtrackFrame belongs to the state in which event k is to be performed. A goroutine in
// backtrack is explored with all its alternatives. So backtrack is a set of goroutines, while
// sleep is a set of choices.
type backtrackFrame struct {
	sleep     SleepSet
	backtrack IDSet
	forks     Forks
	all       bool  // all goroutines are to be added to backtrack
	blind     bool  // forks and what was pending are not known
	at        int   // index in backtrack of the goroutine being explored
	begun     int32 // the alternative with which that goroutine has begun
}

// backtrackings keeps the frames of finished searches for later ones, since many searches take
// only microseconds.
var backtrackings = sync.Pool{New: func() any { return new(backtracking) }}

// Backtrack visits executions of p, at least one of every Mazurkiewicz trace. To reverse the
// race of events e and n, it explores an event in the place of e that can come first among
// those that count. That event is n or lies between e and n. If notdep is set, the events that
// do not happen after e count, else only those of them that happen before n.
//
// # Footprints
//
// Let w be a continuation of the execution E that no sleeper can begin, and c be explored after
// E. If c cannot begin w, then some event of w depends on c. Let d be the first one, and w'
// what precedes d in w. No event of w' depends on c. So E.c.w'.d was explored, in some order,
// and c was in a race with d there. What was added to backtrack(E) then begins w', or is d
// itself if d depends on nothing before it in w'. If notdep is set, it may instead begin
// neither and be independent of both; the argument then goes on from there, in place of c, with
// a longer w'. (Abdulla et al. 2014 prove this.)
//
// But that race was in E.c, and d may use other objects in E. The added event begins w in E too
// if the program keeps the law of footprints (see trace.Program): what d depends on in E but
// not in E.c depends on c, unlike w'. Where c takes a use from d against the law, every
// goroutine is explored in the place of c, so one that begins w is among them. The use at E
// counts, since d is pending there when nothing precedes it. And notdep does not apply to
// operations of an open footprint, which may break the law: what notdep adds might be
// independent of d in E.c, but not in E.
//
// The exploration of a program that keeps the law is the same as without this provision.
func Backtrack(p trace.Program, visit func(*trace.Execution) bool, notdep bool) (trace.Stats, error) {
	s := backtrackings.Get().(*backtracking)
	s.Trail, s.notdep = NewTrail(p, visit), notdep
	s.leaves, s.only = true, s.isOnly
	s.frames.At(0).sleep = s.frames.At(0).sleep[:0]
	stats, err := s.Finish(s.Explore(s))
	backtrackings.Put(s)
	return stats, err
}

// Enter begins with one goroutine, as Algorithm 1 of Abdulla et al. 2014 does.
func (s *backtracking) Enter(k int, ops []*trace.Op) (trace.Choice, bool) {
	f := s.frames.Get(k)
	p, ok := f.sleep.Pick(ops, s.First(ops, f.sleep), s.Turn())
	if !ok {
		return p, false
	}
	if k == 0 {
		f.forks.Note(ops)
	} else {
		f.forks.Follow(s.frames.Get(k-1).forks, ops, s.Changed(ops))
	}
	s.NotePending(k, ops)
	f.all = false
	f.backtrack.Clear()
	f.backtrack.Add(p.G)
	f.begun, f.at = p.Alt, 0
	return p, true
}

// Record reverses the races of ev and computes what sleeps after it.
func (s *backtracking) Record(ev *trace.Event) bool {
	k := len(s.Events)
	e := s.Track(ev)
	s.countPairs(k, k)
	for _, first := range s.HB.Races(k) {
		s.Stats.Races++
		s.reverse(int(first), k)
	}
	f, next := s.frames.Get(k), s.frames.At(k+1)
	s.Stats.PairChecks += int64(len(f.sleep))
	next.sleep = s.After(f.sleep, next.sleep, e)
	return true
}

// Next turns to a choice that does not sleep, and puts the choice before it to sleep.
func (s *backtracking) Next(k int) (trace.Choice, bool) {
	f := s.frames.Get(k)
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

// addAll adds to backtrack every goroutine that has a pending operation before event k.
func (s *backtracking) addAll(k int) {
	f := s.frames.Get(k)
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

// reverse has the race of event e with the latest event n explored in the other order too. It
// adds to backtrack(pre(e)) the goroutine of an event that comes first among those that count,
// unless backtrack has one already. A goroutine that sleeps there does as well: adding it would
// change nothing.
//
// The events that come first are those before which no event after pre(e) happens. The latest
// of them is added.
func (s *backtracking) reverse(e, n int) {
	f := s.frames.Get(e)
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
	if f.blind && second.mayLose() || s.Takes(e, second) {
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
