package bpor

import (
	"slices"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// kept is a choice after which something was over the bound: the event itself, or
// something further on, which node tells.
type kept struct {
	choice trace.Choice
	asleep int // as in the frame
	node   *node
}

// node is what is kept of a frame.
type node struct {
	sleep     search.SleepSet
	backtrack []branch
	forks     search.Forks
	fickle    search.Fickle
	ready     []trace.ID
	known     int
	latest    trace.Choice
	begun     int32
	kept      []kept
}

// save returns what remains to be done in a frame that is done with, nil if that
// is nothing.
func (f *frame) save() *node {
	if len(f.kept) == 0 {
		return nil
	}
	return &node{slices.Clone(f.sleep), slices.Clone(f.backtrack), slices.Clone(f.forks), slices.Clone(f.fickle), slices.Clone(f.ready), f.known, f.latest, f.begun, f.kept}
}

// load makes f the frame that n was saved from.
func (f *frame) load(n *node) {
	f.sleep = append(f.sleep[:0], n.sleep...)
	f.backtrack = append(f.backtrack[:0], n.backtrack...)
	f.forks = append(f.forks[:0], n.forks...)
	f.fickle = append(f.fickle[:0], n.fickle...)
	f.ready = append(f.ready[:0], n.ready...)
	f.known = n.known
	f.latest, f.begun, f.at = n.latest, n.begun, len(n.backtrack)-1
	f.rest, f.kept = n.kept, nil
}

// keep notes in f that its choice, which is done with, was over the bound or led
// to what is. The frame of the state after it is given, if it was visited.
func (b *bounded) keep(f, below *frame) {
	switch {
	case below != nil:
		if n := below.save(); n != nil {
			f.kept = append(f.kept, kept{f.choice, f.asleep, n})
		}
	case b.end == pruned:
		f.kept = append(f.kept, kept{f.choice, f.asleep, nil})
	}
}

// resume goes on with something that a smaller bound has left in the state of
// event k. What slept there when it was begun sleeps again, and nothing else.
func (b *bounded) resume(k int) {
	f := b.frames.At(k)
	r := f.rest[0]
	f.rest = f.rest[1:]
	f.choice, f.asleep = r.choice, r.asleep
	b.depth = k + 1
	if r.node != nil {
		b.frames.At(k + 1).load(r.node)
		b.resume(k + 1)
	}
}

// again begins a search of what the one before has left. It returns false if that
// is nothing.
func (b *bounded) again() bool {
	f := b.frames.At(0)
	n := f.save()
	if n == nil {
		return false
	}
	b.Cut(0)
	f.load(n)
	b.resume(0)
	return true
}

// Iterative explores with bounds of 0, 1, 2, ... one after the other, so that the
// failures that need least show first. It is [Lazy] without slack, and visits no trace
// twice: what is over one bound is kept and gone on with under the next. That takes
// memory for every execution that was given up, some hundred bytes. As much as is
// [Enough] slack after a bound, all that is within that bound has been visited.
type Iterative struct {
	// UpTo is the last bound to be covered: Preemptions(n) or Delays(n). The search
	// goes on until it is, so with bounds that are larger by the slack.
	UpTo Bound
	// Covered, if not nil, is called when every trace within a bound has been
	// visited; with the zero Bound when every trace has, which ends the search.
	Covered func(Bound, *trace.Stats)
}

// Name returns "iterative-bpor".
func (Iterative) Name() string { return "iterative-bpor" }

// Explore visits every trace of p within the bound UpTo, and some others, none
// twice.
func (e Iterative) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	if err := e.UpTo.valid(); err != nil {
		return trace.Stats{}, err
	}
	b := &bounded{Trail: search.NewTrail(p, visit), rules: rules{lazy: true, keeping: true}}
	l := newLinear(e.UpTo, 0, b.HB)
	b.gauge = l
	return b.Finish(b.iterate(l, e))
}

// iterate searches with one bound after the other. It returns false if the search
// is to stop.
func (b *bounded) iterate(l *linear, e Iterative) bool {
	for n := 0; ; n++ {
		b.bound = e.UpTo.with(n)
		l.bound = b.bound
		if !b.explore() {
			return false
		}
		if !b.again() {
			e.covered(Bound{}, &b.Stats)
			return true
		}
		covered := n - Enough.of(b.most)
		if covered >= 0 {
			e.covered(e.UpTo.with(covered), &b.Stats)
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
