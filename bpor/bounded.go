package bpor

import (
	"slices"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// bounded is the base of the searches of this package. It is depth first. Every state has a set
// of goroutines to explore, which grows as races are found further on. Each search begins a
// frame, records an event and reverses a race in its own way.
type bounded struct {
	search.Trail
	bound  Bound // determines the cost of schedules
	limit  Bound // limits the schedules that are run; no bound where traces are bounded instead
	frames search.Stack[frame]
	most   int          // the largest number of goroutines of an execution
	seen   search.IDSet // scratch of initials and latest: goroutines
	begins []int32      // scratch of initials: events that begin blocks
	free   []int32      // scratch of initials: its result
}

// frame belongs to the state in which event k is to be performed.
type frame struct {
	sleep     search.SleepSet
	asleep    int // how many of sleep count for what is being explored
	backtrack []branch
	forks     search.Forks
	ready     []trace.ID   // the enabled goroutines, in ascending order
	cost      int          // of the schedule up to here
	stretch   int          // steps since another goroutine moved
	moved     int          // goroutines that have moved
	known     int          // goroutines that have moved or are enabled
	latest    trace.Choice // the latest choice of backtrack that was begun
	begun     int32        // the alternative with which its goroutine began
	at        int          // its index in backtrack
	// How many of sleep slept when the state was entered, for conservative branches.
	inherited int
	// The event that begins the block of event k, a run of events of one goroutine.
	block int

	// The rest is for Iterative.
	resumed trace.Choice // the choice with which the search goes on
	rest    []kept       // the choices that a smaller bound has left
	kept    []kept       // the choices that remain for a larger bound
}

// branch is a goroutine to be explored with all its alternatives. A conservative branch begins
// a block in the place of another goroutine. It does not sleep afterwards, and a choice
// explored earlier in the same state does not sleep in it. The next event of such a choice may
// be independent of all that follows, and would never be woken, although it is wanted after the
// new block.
type branch struct {
	g            trace.ID
	conservative bool
}

// newBounded begins a search of schedules within a bound.
func newBounded(p trace.Program, visit func(*trace.Execution) bool, b Bound) (bounded, error) {
	if err := b.valid(); err != nil {
		return bounded{}, err
	}
	return bounded{Trail: search.NewTrail(p, visit), bound: b, limit: b}, nil
}

// begin begins frame k.
func (b *bounded) begin(k int, ops []*trace.Op) *frame {
	f := b.frames.At(k)
	f.ready = f.ready[:0]
	for _, op := range ops {
		f.ready = append(f.ready, op.G)
	}
	return f
}

// cheapest chooses what frame k explores first: goroutine first if it is awake, else the awake
// choice of least cost, which is to go on with the same goroutine if that is enabled.
func (b *bounded) cheapest(k int, ops []*trace.Op, first trace.ID) (c trace.Choice, ok bool) {
	f := b.frames.At(k)
	least := 0
	for _, op := range ops {
		alt := f.sleep.Awake(op, b.Turn())
		if alt < 0 {
			continue
		}
		price := b.price(k, op.G)
		switch {
		case !b.limit.Allows(f.cost + price):
			b.End = search.Pruned
		case !ok || price < least && c.G != first || op.G == first:
			c, ok, least = trace.Choice{G: op.G, Alt: alt}, true, price
		}
	}
	if !ok {
		return c, false
	}
	f.forks.Note(ops)
	b.NotePending(k, ops)
	f.backtrack = append(f.backtrack[:0], branch{g: c.G})
	f.latest, f.begun, f.at, f.asleep = c, c.Alt, 0, len(f.sleep)
	f.rest, f.kept = nil, nil
	f.inherited = len(f.sleep)
	f.known = b.goroutines(f)
	b.most = max(b.most, f.known)
	return c, true
}

// goroutines returns how many goroutines have moved or are enabled in the current state.
func (b *bounded) goroutines(f *frame) int {
	n := f.moved
	for _, g := range f.ready {
		if b.HB.Last(int32(g)) < 0 {
			n++
		}
	}
	return n
}

// price returns the cost of an event of goroutine g as event k.
func (b *bounded) price(k int, g trace.ID) int {
	ready := b.frames.At(k).ready
	if k == 0 {
		return b.bound.cost(ready, 0, g, true)
	}
	return b.bound.cost(ready, b.Events[k-1].G, g, false)
}

// record makes ev the latest event.
func (b *bounded) record(ev *trace.Event) (k int, e *search.Performed) {
	k = len(b.Events)
	f, next := b.frames.At(k), b.frames.At(k+1)
	next.cost, next.moved = f.cost+b.price(k, ev.G), f.moved
	if next.stretch = 1; k > 0 && b.Events[k-1].G == ev.G {
		next.stretch = f.stretch + 1
	}
	e = b.Track(ev)
	if b.HB.Seq(k) == 1 {
		next.moved++
	}
	if f.block = k; k > 0 && b.Events[k-1].G == ev.G {
		f.block = b.frames.At(k - 1).block
	}
	return k, e
}

// next takes back event k and all later ones. It returns the next choice in the state of event
// k that does not sleep and is within the bound.
func (b *bounded) next(k int) (trace.Choice, bool) {
	b.Cut(k)
	f := b.frames.At(k)
	c := f.latest
	for {
		var more bool
		if c.Alt, more = f.forks.Next(c.G, c.Alt, f.begun); !more {
			if f.at+1 == len(f.backtrack) {
				return c, false
			}
			f.at++
			c, f.begun = trace.Choice{G: f.backtrack[f.at].g}, 0
		}
		f.latest = c
		if !f.sleep.Has(c) && b.limit.Allows(f.cost+b.price(k, c.G)) {
			f.asleep = len(f.sleep)
			return c, true
		}
	}
}

// reverse has the race of event e with event n, the latest, explored in the other order too. If
// the bound allows, it explores before e the goroutine of one of the given events. See
// search.Backtrack on operations that may use other objects where e has not happened.
func (b *bounded) reverse(e, n int, events []int32) {
	f := b.frames.At(e)
	if slices.Contains(events, int32(n)) && b.Takes(e, &b.Events[n]) {
		events = nil // so that all goroutines are explored
	}
	b.add(f, events, n, false)
}

// sources returns the events that can come first in notdep(e, E).n. These are the events after
// e that do not happen after it, and n.
func (b *bounded) sources(e, n int) []int32 {
	return b.initials(e, n, b.Events[n].Footprint == trace.OpenFootprint)
}

// causes returns those of the sources that happen before n, and n.
func (b *bounded) causes(e, n int) []int32 { return b.initials(e, n, true) }

// second returns n.
func (b *bounded) second(_, n int) []int32 {
	b.free = append(b.free[:0], int32(n))
	return b.free
}

// initials returns n and the first events of goroutines after e that can come first. If causal
// is set, these have to happen before n. Each such event begins a block.
func (b *bounded) initials(e, n int, causal bool) []int32 {
	begins := b.begins[:0]
	for j := n; j > e+1; {
		if j = b.frames.At(j - 1).block; j > e {
			begins = append(begins, int32(j))
		}
	}
	slices.Reverse(begins)
	begins = append(begins, int32(n))
	b.seen.Clear()
	free := b.free[:0]
	for _, i := range begins {
		j := int(i)
		g := b.Events[j].G
		if b.seen.Has(g) || j < n && b.HB.Before(e, j) {
			continue
		}
		latest := b.HB.Latest(j) // what happens before j, and not e, is among these events
		if (latest < e || j == n && latest == e) && (!causal || j == n || b.HB.Before(j, n)) {
			free = append(free, i)
		}
		b.seen.Add(g)
	}
	b.begins, b.free = begins, free
	return free
}

// add has the goroutine of one of the events explored in a state, unless one of them is
// explored already. If none of them is enabled, it adds all enabled goroutines.
func (b *bounded) add(f *frame, events []int32, n int, conservative bool) {
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
	if g < 0 {
		f.addAll(conservative)
		return
	}
	f.backtrack = append(f.backtrack, branch{g, conservative})
}

// addAll has all enabled goroutines explored.
func (f *frame) addAll(conservative bool) {
	for _, g := range f.ready {
		if f.branch(g) == nil {
			f.backtrack = append(f.backtrack, branch{g, conservative})
		}
	}
}

// branch returns the branch of goroutine g, or nil if it has none.
func (f *frame) branch(g trace.ID) *branch {
	for i := range f.backtrack {
		if f.backtrack[i].g == g {
			return &f.backtrack[i]
		}
	}
	return nil
}
