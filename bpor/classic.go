package bpor

import (
	"cmp"
	"slices"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// Classic is Classic-BPOR (002, algorithm 7): Coons, Musuvathi and McKinley,
// "Bounded partial-order reduction", OOPSLA 2013. For every pending operation of a
// goroutine p, and the latest event of every other goroutine that it is in a race
// with, p is explored before that event, and conservatively where the block of that
// event begins, from where it costs no preemption to come to p. Nothing sleeps, so
// traces are visited many times.
//
// It visits every trace that has an execution within the bound. Three things are
// needed for that which the slides do not print. An operation is also in a race
// with an event that may make it wait, or not (see meet). With a bound on delays not
// only p is explored, but every goroutine that is ready (see add). And the second
// line that adds, as printed, does so where the event is and not where its block
// begins (see reverse). One thing that they print is left out: events that happen
// before what p has done are in no race with it (see latest).
type Classic struct {
	Bound Bound
}

// Name returns "classic-bpor".
func (Classic) Name() string { return "classic-bpor" }

// Explore visits an execution, at least, of every trace of p that has one within
// the bound.
func (e Classic) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	stats, err := eagerly(p, visit, e.Bound, (*bounded).second, (*bounded).second)
	e.Bound.claim(&stats, true, false)
	return stats, err
}

// eagerly searches without sleep sets; candidates and conservative return the events by
// which one of the goroutines is explored before the first event of a race, and where
// its block begins.
func eagerly(p trace.Program, visit func(*trace.Execution) bool, bound Bound, candidates, conservative candidates) (trace.Stats, error) {
	b, err := newBounded(p, visit, bound)
	if err != nil {
		return trace.Stats{}, err
	}
	s := eager{bounded: b, candidates: candidates, conservative: conservative}
	return s.Finish(s.Trail.Explore(&s))
}

// eager is the search of Classic, and of those that are Complete: races are looked for
// when an operation becomes pending, whether the bound allows to perform it or not.
type eager struct {
	bounded
	candidates   candidates
	conservative candidates
	loose        bool // some operation has not promised trace.Op.WaitsOnUses
	recent       recent
	races        []int32 // scratch of conflicts
	noted        []int32 // scratch of latest: the event of every goroutine that was seen
	before       []int32 // scratch of conflicts: what the goroutine of the pending operation has done last, or its spawner
}

// Enter reverses the races of all that is pending, and begins with what costs least.
func (s *eager) Enter(k int, ops []*trace.Op) (trace.Choice, bool) {
	s.begin(k, ops)
	s.recent.cut(k)
	for _, op := range ops {
		s.conflicts(op)
	}
	return s.cheapest(k, ops, -1)
}

// Record makes ev the latest event.
func (s *eager) Record(ev *trace.Event) bool {
	k, e := s.record(ev)
	s.recent.push(k, e)
	return true
}

// Next turns to another choice; nothing sleeps.
func (s *eager) Next(k int) (trace.Choice, bool) { return s.next(k) }

// add is as of bounded, but with a bound on delays everybody is explored: what it costs
// to come to a goroutine depends on which others are ready.
func (s *eager) add(f *frame, events []int32, n int, conservative bool) {
	if s.bound.kind == delays {
		f.addAll(conservative)
		return
	}
	s.bounded.add(f, events, n, conservative)
}

// conflicts reverses the races of a pending operation: with the latest event of
// every other goroutine that it depends on, and the latest that it meets, if they may
// come after it.
func (s *eager) conflicts(op *trace.Op) {
	n, uses := s.pend(op)
	s.loose = s.loose || !op.WaitsOnUses
	s.races = s.latest(s.races[:0], n, func() { s.dependent(n, uses) })
	s.races = s.latest(s.races, n, func() { s.meets(n, uses) })
	for _, e := range s.races {
		s.Stats.Races++
		s.add(s.frames.At(int(e)), s.candidates(&s.bounded, int(e), n), n, false)
		if begin := s.blockOf(int(e)); begin != nil {
			s.add(begin, s.conservative(&s.bounded, int(e), n), n, true)
		}
	}
	s.HB.Pop(n)
	s.Events = s.Events[:n]
}

// pend makes a pending operation the latest event, number n.
func (s *eager) pend(op *trace.Op) (n int, uses *search.Uses) {
	n = len(s.Events)
	uses = &s.Track(&trace.Event{Op: *op}).Uses
	s.before = s.before[:0]
	if prev := s.HB.Prev(n); prev >= 0 {
		s.before = append(s.before, int32(prev))
	} else {
		s.before = append(s.before, s.Spawned(op.G)...)
	}
	return n, uses
}

// latest adds to races the latest event of every other goroutine that find has noted for the pending operation n, the
// latest first. Those that happen before what the goroutine of n has done are not noted.
//
// Algorithm 7 of 002 has no such exception, but says "may be co-enabled" of the event
// and the pending operation, which it leaves open how to tell. Events that happen
// before what g has done are not co-enabled with what it does next in any execution
// of the trace, nor are those of the same goroutine before them; algorithm 4, from
// which 7 is made, leaves them out by the same comparison of clocks. A goroutine that has
// done nothing yet comes after what its spawner had done.
func (s *eager) latest(races []int32, n int, find func()) []int32 {
	s.seen.Clear()
	find()
	from := len(races)
	for _, g := range s.seen.IDs {
		races = append(races, s.noted[g])
	}
	slices.SortFunc(races[from:], func(a, b int32) int { return cmp.Compare(b, a) })
	return races
}

// note notes event e of goroutine g, unless a later one of g was noted.
func (s *eager) note(g trace.ID, e int) {
	for int(g) >= len(s.noted) {
		s.noted = append(s.noted, 0)
	}
	if !s.seen.Has(g) || int(s.noted[g]) < e {
		s.noted[g] = int32(e)
		s.seen.Add(g)
	}
}

// unordered reports whether event e may come after the pending operation.
func (s *eager) unordered(e int) bool {
	return !slices.ContainsFunc(s.before, func(b int32) bool { return e == int(b) || e < int(b) && s.HB.Before(e, int(b)) })
}

// dependent notes events that the pending operation n depends on.
func (s *eager) dependent(n int, uses *search.Uses) {
	g := s.Events[n].G
	for _, a := range uses.List() {
		if a.Obj == trace.Everything {
			s.everybody(n)
			return
		}
		s.recent.of(a.Obj, trace.Dependence.Possible(a.Mode), g, func(of trace.ID, e int, b trace.Access) seen {
			switch s.Stats.Checks++; {
			case !s.unordered(e):
				return ordered
			case !trace.Dependence.Conflict(a, b):
				return more
			}
			s.note(of, e)
			return enough
		})
	}
	s.met(n, trace.Everything)
}

// met notes events that have used an object that the pending operation n uses.
func (s *eager) met(n int, obj int32) {
	s.recent.of(obj, ^uint32(0), s.Events[n].G, func(of trace.ID, e int, _ trace.Access) seen {
		if !s.unordered(e) {
			return ordered
		}
		s.note(of, e)
		return enough
	})
}

// everybody notes the latest event of every other goroutine.
func (s *eager) everybody(n int) {
	for g := range s.recent.most {
		if e := int(s.HB.Last(int32(g))); e >= 0 && g != s.Events[n].G && s.unordered(e) {
			s.note(g, e)
		}
	}
}

// meets notes the events for which what they do to the cost of schedules may depend on
// whether a pending operation comes before or after: because of an object that
// both use, one goroutine may have to wait for the other, and a goroutine that waits
// is left for free. (In definition 10 of 002, by Coons, Musuvathi and McKinley, that
// is the dependence on the next transition of last(a).tid, which is enabled or not.)
// Where some operation does not promise trace.Op.WaitsOnUses, such as a yield, which waits
// for everybody who is ready, any event counts; and so it does for
// a bound on delays, since what a delay costs depends on who is ready.
func (s *eager) meets(n int, uses *search.Uses) {
	if s.bound.kind == delays || s.loose {
		s.everybody(n)
		return
	}
	for _, a := range uses.List() {
		s.met(n, a.Obj)
	}
}
