package bpor

import (
	"github.com/gopor/gopor/sched/trace"
)

// Nidhugg is Nidhugg-BPOR (002, algorithm 8). For a race of e with an event of p, it explores
// before e a goroutine that can come first in notdep(e, E).p and happen before p's event, and
// conservatively another one where the block of e begins. An explored choice sleeps afterwards,
// unless it was explored conservatively.
//
// As printed it misses some traces that have executions within the bound. In some of them two
// independent events have to be exchanged, since one then makes a goroutine wait. Others are
// needed because of a race with a second event that the bound forbids. See the package
// documentation.
//
// In the slides the second test of a race looks at backtrack(E'), but means the state E” in
// which the block begins. Here it looks at that state (see blockOf).
//
// The slides say that a conservative choice does not sleep afterwards, and leave open what
// sleeps while it is explored. Here no choice does that was explored in the same state.
// Otherwise the conservative choice would often be useless: after the block that it begins, the
// goroutine is wanted that had begun there before.
type Nidhugg struct {
	Bound Bound
	// Complete visits every trace that has an execution within the bound, at a price: no choice
	// sleeps, and races are found as in Classic.
	Complete bool
}

// Name returns "nidhugg-bpor", or "nidhugg-bpor-complete".
func (e Nidhugg) Name() string {
	if e.Complete {
		return "nidhugg-bpor-complete"
	}
	return "nidhugg-bpor"
}

// Explore visits executions of p within the bound.
func (e Nidhugg) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	stats, err := conservatively(p, visit, e.Bound, e.Complete, (*bounded).causes)
	e.Bound.claim(&stats, e.Complete, false)
	return stats, err
}

// conservatively searches with conservative branches. The function candidates returns events;
// one of their goroutines is explored before the first event of a race.
func conservatively(p trace.Program, visit func(*trace.Execution) bool, bound Bound, complete bool, candidates candidates) (trace.Stats, error) {
	if complete {
		return eagerly(p, visit, bound, candidates, (*bounded).causes)
	}
	b, err := newBounded(p, visit, bound)
	if err != nil {
		return trace.Stats{}, err
	}
	s := conservative{b, candidates}
	return s.Finish(s.Trail.Explore(&s))
}

// candidates returns events that may be explored before event e, because of its race with event
// n.
type candidates func(b *bounded, e, n int) []int32

// conservative is the search of Nidhugg and of Source.
type conservative struct {
	bounded
	candidates candidates
}

// Enter begins with the cheapest choice, if that is within the bound.
func (s *conservative) Enter(k int, ops []*trace.Op) (trace.Choice, bool) {
	s.begin(k, ops)
	return s.cheapest(k, ops, -1)
}

// Record reverses the races of ev.
func (s *conservative) Record(ev *trace.Event) bool {
	k, e := s.record(ev)
	for _, first := range s.HB.Races(k) {
		s.Stats.Races++
		s.reverse(int(first), k, s.candidates(&s.bounded, int(first), k))
		if begin := s.blockOf(int(first)); begin != nil {
			s.add(begin, s.causes(int(first), k), k, true)
		}
	}
	f, next := s.frames.At(k), s.frames.At(k+1)
	next.sleep = s.After(f.sleep[:f.asleep], next.sleep, e)
	return true
}

// Next puts the explored choice to sleep, unless it was a conservative one. In a conservative
// branch only those choices sleep that slept when the state was entered.
func (s *conservative) Next(k int) (c trace.Choice, ok bool) {
	f := s.frames.At(k)
	if f.asleep == len(f.sleep) && !f.backtrack[f.at].conservative {
		f.sleep = append(f.sleep, s.Sleeper(k))
	}
	if c, ok = s.next(k); ok && f.backtrack[f.at].conservative {
		f.asleep = f.inherited
	}
	return c, ok
}

// blockOf returns the state in which the block of event e begins. It returns nil if there is no
// bound, since no schedule is too expensive then.
//
// Conservative branches differ from what 002 prints. Its algorithm 7 finds the event j that
// begins the block of event i, and then adds to backtrack(pre(E, i)) a second time. Its
// algorithms 8 and 9 look into backtrack(E') where E” is the state at hand. All of them mean
// the state where the block begins (Coons, Musuvathi and McKinley 2013), and it is used here.
// Algorithm 9 has no else between its two additions; here one goroutine is added. A block
// begins with j = 0 or an event that follows one of another goroutine. That may be e itself,
// which the printed j < i leaves out: then nothing is added that the race has not added.
func (b *bounded) blockOf(e int) *frame {
	if b.bound.kind == unbounded {
		return nil
	}
	return b.frames.At(b.frames.At(e).block)
}
