package bpor

import (
	"slices"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// reverse sees to it that the race of event e with event n is explored in the
// other order too, if the bound allows. See search.Backtrack on operations that may
// use other objects where e has not happened.
//
// Conservative branches differ from what 002 prints. Its algorithm 7 finds the event j
// that begins the block of event i, and then adds to backtrack(pre(E, i)) a second
// time; its algorithms 8 and 9 look into backtrack(E') where E” is the state at hand.
// Meant is the state where the block begins in all of them (Coons, Musuvathi and
// McKinley 2013), and so it is here. Algorithm 9 has no else between its two additions;
// here one goroutine is added. What begins a block is j = 0 or an event whose
// predecessor is of another goroutine, e itself included, which the printed j < i
// leaves out: then nothing is added that the race has not. And without a bound
// there are no conservative branches, since no schedule is dear.
func (b *bounded) reverse(e, n int) {
	second := &b.Events[n]
	f, causal := b.frames.At(e), b.causal || second.Open
	events := b.initials(e, n, causal)
	if !b.eager && slices.Contains(events, int32(n)) && b.Takes(&b.Events[e].Uses, f.fickle, second) {
		events = nil // so that everybody is explored
	}
	b.add(f, events, n, false)
	if b.conservative && b.bound.kind != unbounded {
		begin := b.frames.At(e).block
		b.add(b.frames.At(begin), b.initials(e, n, true), n, true)
	}
}

// initials returns the events that can come first in notdep(e, E).n, the events
// after e that do not happen after it; if causal, only those that happen before n,
// or are n.
func (b *bounded) initials(e, n int, causal bool) []int32 {
	if b.itself {
		b.free = append(b.free[:0], int32(n))
		return b.free
	}
	b.seen.Clear()
	firsts, free := b.firsts[:0], b.free[:0]
	for j := e + 1; j <= n; j++ {
		g := b.Events[j].G
		if b.seen.Has(g) || j < n && b.HB.Before(e, j) {
			continue
		}
		if b.IsInitial(j, firsts) && (!causal || j == n || b.HB.Before(j, n)) {
			free = append(free, int32(j))
		}
		b.seen.Add(g)
		firsts = append(firsts, int32(j))
	}
	b.firsts, b.free = firsts, free
	return free
}

// add lets one of the goroutines whose events are given be explored in a state,
// unless one is. Where none of them is ready, all that are have to be. With a
// bound on delays all have to be where the search is eager: what it costs to come
// to a goroutine depends on which others are ready.
func (b *bounded) add(f *frame, events []int32, n int, conservative bool) {
	if !b.eager || b.bound.kind != delays {
		g := trace.ID(-1)
		for _, j := range events {
			ev := &b.Events[j]
			if there := f.branch(ev.G); there != nil {
				there.conservative = there.conservative || conservative
				return
			}
			if f.sleep.Covers(ev, int(j) == n, f.forks) {
				return
			}
			if _, ready := slices.BinarySearch(f.ready, ev.G); ready {
				g = ev.G
			}
		}
		if g >= 0 {
			f.backtrack = append(f.backtrack, branch{g, conservative})
			return
		}
	}
	for _, g := range f.ready {
		if f.branch(g) == nil {
			f.backtrack = append(f.backtrack, branch{g, conservative})
		}
	}
}

// branch returns the branch of goroutine g, nil if there is none.
func (f *frame) branch(g trace.ID) *branch {
	for i := range f.backtrack {
		if f.backtrack[i].g == g {
			return &f.backtrack[i]
		}
	}
	return nil
}

// conflicts reverses the races of a pending operation: with the latest event of
// every other goroutine that it depends on, and the latest that it meets, if they may
// come after it.
func (b *bounded) conflicts(op *trace.Op) {
	n := len(b.Events)
	b.Track(trace.Choice{G: op.G}, &trace.Event{Op: *op})
	uses := &b.Events[n].Uses
	b.loose = b.loose || op.Kind == trace.OpYield || op.Kind == trace.OpCondAdd
	b.races = b.latest(b.races[:0], op.G, func(e *search.Performed) bool { return b.Dependent(&e.Uses, uses) })
	b.races = b.latest(b.races, op.G, func(e *search.Performed) bool { return b.meet(e, uses) })
	for _, e := range b.races {
		b.Stats.Races++
		b.reverse(e, n)
	}
	b.HB.Pop(n)
	b.Events = b.Events[:n]
}

// latest adds to races the latest event of every goroutine other than g that
// counts, unless it happens before what g has done.
//
// Algorithm 7 of 002 has no such exception, but says "may be co-enabled" of the event
// and the pending operation, which it leaves open how to tell. Events that happen
// before what g has done are not co-enabled with what it does next in any execution
// of the trace, nor are those of the same goroutine before them; algorithm 4, from
// which 7 is made, leaves them out by the same comparison of clocks.
func (b *bounded) latest(races []int, g trace.ID, counts func(*search.Performed) bool) []int {
	n := len(b.Events) - 1
	last := n - 1 // event of g
	for last >= 0 && b.Events[last].G != g {
		last--
	}
	b.seen.Clear()
	b.seen.Add(g)
	for i := n - 1; i >= 0; i-- {
		e := &b.Events[i]
		if b.seen.Has(e.G) || !counts(e) {
			continue
		}
		b.seen.Add(e.G)
		if last < i || !b.HB.Before(i, last) {
			races = append(races, i)
		}
	}
	return races
}

// meet reports whether what event e does to the cost of schedules may depend on
// whether a pending operation comes before it or after it: because of an object that
// both use, one goroutine may have to wait for the other, and a goroutine that waits
// is left for free. (In definition 10 of 002, by Coons, Musuvathi and McKinley, that
// is the dependence on the next transition of last(a).tid, which is enabled or not.)
// Where somebody yields, and so waits for everybody who is ready, or waits for a
// Cond, and so for a signal and then for a mutex, any event counts; and so it does for
// a bound on delays, since what a delay costs depends on who is ready.
func (b *bounded) meet(e *search.Performed, uses *search.Uses) bool {
	if b.bound.kind == delays || b.loose {
		return true
	}
	for _, x := range e.Uses.List() {
		for _, y := range uses.List() {
			if x.Obj == y.Obj {
				return true
			}
		}
	}
	return false
}
