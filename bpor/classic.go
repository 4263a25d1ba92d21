package bpor

import (
	"cmp"
	"slices"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// Classic is Classic-BPOR (002, algorithm 7): Coons, Musuvathi and McKinley, "Bounded
// partial-order reduction", OOPSLA 2013. It takes every pending operation of a goroutine p, and
// the latest event of every other goroutine that is in a race with it. It explores p before
// that event. It also explores p conservatively where the block of that event begins, from
// where reaching p costs no preemption. No choice sleeps, so traces are visited many times.
//
// It visits every trace that has an execution within the bound. That needs three things that
// the slides do not print. An operation is also in a race with an event that decides whether it
// has to wait (see meets). With a bound on delays not only p is explored, but every enabled
// goroutine (see add). And the second line that adds, as printed, does so where the event is
// and not where its block begins (see blockOf). One thing that they print is left out: an event
// that happens before the events of p is not in a race with p (see latest).
type Classic struct {
	Bound Bound
}

// Name returns "classic-bpor".
func (Classic) Name() string { return "classic-bpor" }

// Explore visits at least one execution of every trace of p that has one within the bound.
func (e Classic) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	stats, err := eagerly(p, visit, e.Bound, (*bounded).second, (*bounded).second)
	e.Bound.claim(&stats, true, false)
	return stats, err
}

// eagerly searches without sleep sets. The functions candidates and conservative return events.
// One of their goroutines is explored before the first event of a race, and where its block
// begins.
func eagerly(p trace.Program, visit func(*trace.Execution) bool, bound Bound, candidates, conservative candidates) (trace.Stats, error) {
	b, err := newBounded(p, visit, bound)
	if err != nil {
		return trace.Stats{}, err
	}
	s := eager{bounded: b, candidates: candidates, conservative: conservative}
	return s.Finish(s.Trail.Explore(&s))
}

// eager is the search of Classic and of the Complete engines. It looks for races when an
// operation becomes pending, even if the bound forbids to perform it.
type eager struct {
	bounded
	candidates   candidates
	conservative candidates
	loose        bool // an operation has not promised trace.Op.WaitsOnUses
	recent       recent
	races        []int32 // scratch of conflicts
	noted        []int32 // scratch of latest: the noted event of every goroutine that was seen
	// Scratch of conflicts: the last event of the goroutine of the pending operation, or of its
	// spawner.
	before []int32
}

// Enter reverses the races of all pending operations, and begins with the cheapest choice.
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

// Next turns to another choice. No choice sleeps.
func (s *eager) Next(k int) (trace.Choice, bool) { return s.next(k) }

// add is the add of bounded, but with a bound on delays it adds all enabled goroutines: the
// cost of reaching a goroutine depends on the other enabled ones.
func (s *eager) add(f *frame, events []int32, n int, conservative bool) {
	if s.bound.kind == delays {
		f.addAll(conservative)
		return
	}
	s.bounded.add(f, events, n, conservative)
}

// conflicts reverses the races of a pending operation. It takes the latest event of every other
// goroutine on which the operation depends, and the latest that it meets, if the event may come
// after the operation.
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

// pend makes a pending operation the latest event and returns its number n.
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

// latest adds to races the latest event of every other goroutine that find has noted for the
// pending operation n, the latest first. Events that happen before the last event of the
// goroutine of n are not noted.
//
// Algorithm 7 of 002 has no such exception. It requires that the event and the pending
// operation "may be co-enabled", and leaves open how to tell. An event that happens before the
// last event of g is not co-enabled with the next one in any execution of the trace. Neither is
// an earlier event of its goroutine. Algorithm 4, from which 7 is made, leaves them out by the
// same comparison of clocks. The first event of a goroutine comes after the events of its
// spawner.
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

// note notes event e of goroutine g, unless a later event of g was noted.
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

// dependent notes the events on which the pending operation n depends.
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

// met notes the events that have used an object that the pending operation n uses.
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

// meets notes the events that may change the cost of a schedule when a pending operation comes
// before or after them. One goroutine may have to wait for the other because of an object that
// both use, and a goroutine that waits is left for free. (In definition 10 of 002, by Coons,
// Musuvathi and McKinley, that is the dependence on the next transition of last(a).tid, which
// is enabled or not.) All events count if some operation does not promise trace.Op.WaitsOnUses,
// such as a yield, which waits for all enabled goroutines. They also count for a bound on
// delays, since the cost of a delay depends on the enabled goroutines.
func (s *eager) meets(n int, uses *search.Uses) {
	if s.bound.kind == delays || s.loose {
		s.everybody(n)
		return
	}
	for _, a := range uses.List() {
		s.met(n, a.Obj)
	}
}
