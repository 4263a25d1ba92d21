package bpor

import (
	"slices"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// kept is a choice that exceeded the bound. If node is not nil, a later choice did.
type kept struct {
	choice trace.Choice
	asleep int // see frame
	node   *node
}

// node is the part of a frame that is kept.
type node struct {
	sleep     search.SleepSet
	backtrack []branch
	forks     search.Forks
	ready     []trace.ID
	known     int
	latest    trace.Choice
	begun     int32
	kept      []kept
}

// save returns what remains to be done in a finished frame, or nil if nothing remains.
func (f *frame) save() *node {
	if len(f.kept) == 0 {
		return nil
	}
	return &node{slices.Clone(f.sleep), slices.Clone(f.backtrack), slices.Clone(f.forks), slices.Clone(f.ready), f.known, f.latest, f.begun, f.kept}
}

// load restores the frame that n was saved from.
func (f *frame) load(n *node) {
	f.sleep = append(f.sleep[:0], n.sleep...)
	f.backtrack = append(f.backtrack[:0], n.backtrack...)
	f.forks = append(f.forks[:0], n.forks...)
	f.ready = append(f.ready[:0], n.ready...)
	f.known = n.known
	f.latest, f.begun, f.at = n.latest, n.begun, len(n.backtrack)-1
	f.rest, f.kept = n.kept, nil
}

// Iterative explores with bounds of 0, 1, 2, ... in turn, so that the failures that need least
// show first. It is [Lazy] without slack, and visits no trace twice: what exceeds one bound is
// kept and continued under the next. That takes some hundred bytes of memory for every
// execution that was pruned. When the search is [Enough] slack beyond a bound, it has visited
// every trace within that bound.
type Iterative struct {
	// UpTo is the last bound to be covered: Preemptions(n) or Delays(n). To cover it, the
	// search goes on to bounds that are larger by the slack.
	UpTo Bound
	// Covered, if not nil, is called when every trace within a bound has been visited. It is
	// called with the zero Bound when every trace has, which ends the search.
	Covered func(Bound, *trace.Stats)
}

// Name returns "iterative-bpor".
func (Iterative) Name() string { return "iterative-bpor" }

// Explore visits every trace of p within the bound UpTo, and some others, each at most once.
func (e Iterative) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	b, err := newBounded(p, visit, e.UpTo)
	if err != nil {
		return trace.Stats{}, err
	}
	s := iterative{lazy: newLazy(b)}
	l := newLinear(e.UpTo, 0, &s.Trail)
	s.gauge = l
	return s.Finish(s.iterate(l, e))
}

// iterative is the search of Iterative.
type iterative struct {
	lazy
	below *frame // the frame after the one that is being left, if it was begun
}

// iterate searches with one bound after the other. It returns false if the search is to stop.
func (s *iterative) iterate(l *linear, e Iterative) bool {
	for n := 0; ; n++ {
		s.bound = e.UpTo.with(n)
		l.bound = s.bound
		if !s.Trail.Explore(s) {
			return false
		}
		if !s.again() {
			e.covered(Bound{}, &s.Stats)
			return true
		}
		covered := n - Enough.of(s.most)
		if covered >= 0 {
			e.covered(e.UpTo.with(covered), &s.Stats)
		}
		if covered >= e.UpTo.max {
			return true
		}
	}
}

// covered notes that every trace within a bound has been visited.
func (e Iterative) covered(b Bound, stats *trace.Stats) {
	stats.Claim = b.everyTrace()
	if e.Covered != nil {
		e.Covered(b, stats)
	}
}

// Enter continues what a smaller bound has left, or does what lazy does.
func (s *iterative) Enter(k int, ops []*trace.Op) (trace.Choice, bool) {
	if k < s.loaded {
		s.NotePending(k, ops)
		return s.frames.At(k).resumed, true
	}
	return s.lazy.Enter(k, ops)
}

// Ended notes that no frame has been left yet.
func (s *iterative) Ended() bool {
	s.below = nil
	return true
}

// Next keeps what exceeded the bound. It turns to what a smaller bound has left, or does what
// lazy does.
func (s *iterative) Next(k int) (c trace.Choice, ok bool) {
	f := s.frames.At(k)
	s.keep(f, s.Events[k].Choice)
	s.below = f
	if f.asleep == len(f.sleep) {
		f.sleep = append(f.sleep, s.Sleeper(k))
	}
	if len(f.rest) > 0 {
		s.Cut(k)
		s.resume(k)
		return f.resumed, true
	}
	if c, ok = s.next(k); ok {
		s.loaded = k + 1
	}
	return c, ok
}

// keep notes in f that its finished choice exceeded the bound or led to one that did.
func (s *iterative) keep(f *frame, c trace.Choice) {
	switch {
	case s.below != nil:
		if n := s.below.save(); n != nil {
			f.kept = append(f.kept, kept{c, f.asleep, n})
		}
	case s.End == search.Pruned:
		f.kept = append(f.kept, kept{c, f.asleep, nil})
	}
}

// resume continues a choice that a smaller bound has left in the state of event k. Exactly the
// choices that slept there when it was begun sleep again.
func (s *iterative) resume(k int) {
	f := s.frames.At(k)
	r := f.rest[0]
	f.rest = f.rest[1:]
	f.resumed, f.asleep = r.choice, r.asleep
	s.loaded = k + 1
	if r.node != nil {
		s.frames.At(k + 1).load(r.node)
		s.resume(k + 1)
	}
}

// again begins a search of what the one before has left. It returns false if nothing is left.
func (s *iterative) again() bool {
	f := s.frames.At(0)
	n := f.save()
	if n == nil {
		return false
	}
	f.load(n)
	s.resume(0)
	return true
}
