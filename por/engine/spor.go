package engine

import (
	"slices"

	"github.com/gopor/gopor/internal/states"
	"github.com/gopor/gopor/sched/trace"
)

// SPOR is S-POR: Cirisci, Enea, Farzan and Mutluergil, "A Pragmatic Approach to Stateful
// Partial Order Reduction", Algorithm 1. It is [Stateful], but where an operation is
// pending that is invisible it explores that alone.
//
// Invisible is what depends on nothing that others may ever do. The paper finds that in
// the code. Here it is learnt: an operation is taken for invisible as long as no
// operation of the program was met that uses objects in a mode that could conflict with
// its own, as an Unlock is until there is a TryLock; when one is met the search begins
// again. What the paper calls invisible are mostly steps that are no operations here,
// so S-POR is not far from stateful depth-first search.
type SPOR struct{ Stateful }

// Name returns "s-por".
func (SPOR) Name() string { return "s-por" }

// About implements [trace.About].
func (e SPOR) About() trace.About {
	return trace.About{Title: "S-POR", Counts: "final states", WithKeying: func(k trace.Keying) trace.Engine {
		e.Keying = k
		return e
	}}
}

// Explore visits every final state of p once.
func (e SPOR) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	return e.exploreStates(e.About().Title, p, visit, func(s *states.States) func(states.State) {
		s.Safe = true
		d := &spor{s}
		return d.explore
	})
}

type spor struct{ *states.States }

// explore is Explore of Algorithm 1.
func (d *spor) explore(s states.State) {
	n, offers := len(d.Schedule), d.Enter(s)
	safe := len(offers) // how many are safeSet(s)
	if i := slices.IndexFunc(offers, func(t states.Offer) bool { return t.Invisible }); i >= 0 {
		offers[0], offers[i], safe = offers[i], offers[0], 1
	}
	for i := 0; i < safe; i++ {
		t := &offers[i]
		for alt := range t.Alts {
			next, _, fresh := d.Go(s, n, trace.Choice{G: t.G, Alt: alt})
			if fresh {
				d.explore(next)
			}
			if d.Err != nil {
				return
			}
			if d.OnStack(next) { // a cycle, in which others must not be overlooked
				safe = len(offers)
			}
		}
	}
	d.Leave(s, d.later)
}

// later explores what time leads to.
func (d *spor) later(s states.State, fresh bool) {
	if fresh {
		d.explore(s)
	}
}

// threads is a set of goroutines, in ascending order.
type threads []trace.ID

func (s *threads) add(g trace.ID) {
	if i, ok := slices.BinarySearch(*s, g); !ok {
		*s = slices.Insert(*s, i, g)
	}
}

func (s threads) has(g trace.ID) bool {
	_, ok := slices.BinarySearch(s, g)
	return ok
}

// within reports whether all of s are in t.
func (s threads) within(t threads) bool {
	return !slices.ContainsFunc(s, func(g trace.ID) bool { return !t.has(g) })
}

// sourceSet is what the algorithms know of a state on the stack (figure 2 of the paper).
type sourceSet struct {
	offers    []states.Offer
	safe      threads // safeSet(s)
	done      threads
	backtrack threads
	current   map[trace.ID]threads
	// label is the transition that is being explored, and its goroutine.
	label int32
	g     trace.ID
	full  bool // all of safe have to be explored
}

func newSourceSet(offers []states.Offer) *sourceSet {
	f := &sourceSet{offers: offers, current: make(map[trace.ID]threads), label: -1}
	for i := range offers {
		if offers[i].Invisible {
			f.safe = threads{offers[i].G}
			return f
		}
	}
	f.expand()
	return f
}

// expand makes the safe set all that is enabled.
func (f *sourceSet) expand() {
	for i := range f.offers {
		f.safe.add(f.offers[i].G)
	}
}

// open says that the future is not known, since a state on the stack is part of it:
// everything has to be explored. So all states of a cycle are explored with everything
// that is enabled in them, as reductions of cyclic graphs need it; the paper has none.
func (f *sourceSet) open() {
	f.full = true
	f.expand()
}

// offer returns what t can do.
func (f *sourceSet) offer(t trace.ID) *states.Offer {
	i := slices.IndexFunc(f.offers, func(o states.Offer) bool { return o.G == t })
	return &f.offers[i]
}

// choose returns a goroutine to explore: one of backtrack, else of the safe set.
func (f *sourceSet) choose() (trace.ID, bool) {
	if t, ok := f.next(); ok {
		return t, true
	}
	for i := range f.offers {
		if t := f.offers[i].G; f.safe.has(t) && !f.done.has(t) {
			return t, true
		}
	}
	return 0, false
}

// next returns a goroutine of backtrack, and of the safe set, that was not explored.
func (f *sourceSet) next() (trace.ID, bool) {
	for i := range f.offers {
		if t := f.offers[i].G; f.backtrack.has(t) && f.safe.has(t) && !f.done.has(t) {
			return t, true
		}
	}
	return 0, false
}

// updateBack is UpdateBack(s, a) of figure 2. Its first case, a goroutine with a transition that
// depends on a and is not enabled, is for a that was explored last; but what an earlier one calls
// for is not done with. So it is for all, and comes after the second.
func (f *sourceSet) updateBack() threads {
	switch {
	case f.full:
		return f.safe
	case f.persistent():
		return f.done
	}
	var all threads
	for _, u := range f.done {
		for _, g := range f.current[u] {
			all.add(g)
		}
	}
	if !all.within(f.safe) {
		return f.safe
	}
	return all
}

// persistent reports whether there is T within done, which must not be empty or it would
// always be there, that is the union of what current says of its elements. The least of
// those with t in it is what t leads to.
func (f *sourceSet) persistent() bool {
	for _, t := range f.done {
		T := threads{t}
		for i := 0; i < len(T) && T.within(f.done); i++ {
			if more := f.current[T[i]]; !more.within(T) {
				for _, g := range more {
					T.add(g)
				}
				i = -1 // the order has changed
			}
		}
		if T.within(f.done) {
			return true
		}
	}
	return false
}
