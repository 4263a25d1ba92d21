package minimise

import (
	"cmp"
	"slices"

	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched/trace"
)

// This file orders the events of an execution anew. All executions with the same events in the same
// happens-before order fail in the same way, so the program need not be searched for that. To find
// the one with the fewest preemptions is a problem of graphs.

// order is the partial order of the events of an execution, by goroutine.
type order struct {
	events [][]event
	past   []int32 // per goroutine, how many of its events happen before the failure
	wanted []int32 // per goroutine, how many of its events have to be in a schedule
	total  int     // the sum of wanted

	stretches int // of one goroutine each, in the execution
}

// event is one of the events of a goroutine.
type event struct {
	trace.Choice
	after []place // of other goroutines: they happen before it, and not before the event before it
	waits []place // of other goroutines: the goroutine is not enabled before they have happened
	block int32   // the next event of the goroutine that has an event in after
	frees []place // of other goroutines, which are enabled only when it has happened
}

// place is an event by its goroutine and its number there.
type place struct {
	g int
	n int32
}

// orderOf runs a trial once more and returns the order of its events. It returns nil if there is no
// time for the run.
func (m *minimiser) orderOf(t *trial.Trial) *order {
	if len(t.Schedule) > trial.LongConflicts || m.spent() {
		return nil
	}
	r := m.p.Start()
	defer r.Close()
	o, hb := new(order), trace.NewTracker(trace.Dependence)
	var known [][]int32 // per goroutine, the clock of its latest event
	for i, c := range t.Schedule {
		if i == 0 || c.G != t.Schedule[i-1].G {
			o.stretches++
		}
		ev, err := r.Step(c)
		if err != nil || i%trial.Glance == trial.Glance-1 && m.over() {
			return nil
		}
		hb.Push(int32(ev.G), ev.Accesses(), ev.Order)
		g := int(ev.G)
		for g >= len(o.events) {
			o.events, known = append(o.events, nil), append(known, nil)
		}
		e := event{Choice: c}
		for _, w := range ev.Order {
			if p := (place{int(hb.G(int(w))), hb.Seq(int(w)) - 1}); p.g != g {
				e.waits = append(e.waits, p)
				by := &o.events[p.g][p.n]
				by.frees = append(by.frees, place{g, int32(len(o.events[g]))})
			}
		}
		clock := hb.Clock(i)
		for h, n := range clock {
			if h != g && n > 0 && (h >= len(known[g]) || n > known[g][h]) {
				e.after = append(e.after, place{h, n - 1})
			}
		}
		known[g] = append(known[g][:0], clock...)
		o.events[g] = append(o.events[g], e)
		if i == t.Steps-1 {
			o.past = slices.Clone(clock)
		}
	}
	for _, events := range o.events {
		block := int32(len(events))
		for n, e := range slices.Backward(events) {
			events[n].block = block
			if len(e.after) > 0 {
				block = int32(n)
			}
		}
	}
	return o
}

// want sets the events that have to be in a schedule: all, or those that happen before the failure
// and the failing one.
func (o *order) want(all bool) {
	o.wanted, o.total = make([]int32, len(o.events)), 0
	for g, events := range o.events {
		if all {
			o.wanted[g] = int32(len(events))
		} else if g < len(o.past) {
			o.wanted[g] = o.past[g]
		}
		o.total += int(o.wanted[g])
	}
}

// cut is a set of events that can come first.
type cut struct {
	done   []int32 // per goroutine, how many of its events it has
	size   int     // the sum of done
	cost   int     // preemptions on the way from the empty cut
	parent *cut    // the cut before the latest move, nil for the empty one
	g      int     // the goroutine that has moved
}

// The limits of a search for the cheapest schedule. The larger one counts.
const (
	mostMoves = 40_000 // questions whether a goroutine can go on from a cut
	mostCuts  = 4      // cuts for every stretch of the known schedule
)

// cheapest returns a schedule of the wanted events with at most so many preemptions, and how many
// it has. If all cuts that cost less could be looked at, no schedule has fewer. The schedule is nil
// if there is none, or if it was not found in time.
//
// The search is by the number of preemptions. A goroutine goes on as long as the order allows: an
// event that can come now need not begin a stretch later. But before an event that another
// goroutine is yet to wait for it may be left, since a goroutine that waits can be left for free.
// If there are too many cuts with the same number of preemptions, those with the most events come
// first, and the others with those that cost more.
func (o *order) cheapest(most int, over func() bool) (s trace.Schedule, preemptions int) {
	seen := make(map[string]bool)
	level := []*cut{{done: make([]int32, len(o.events))}}
	cuts := max(mostCuts*o.stretches, mostMoves/max(1, len(o.events)))
	alike := max(2, cuts/max(1, most+1)) // cuts to look at with the same number of preemptions
	for len(level) > 0 && len(seen) < cuts && !over() {
		var dearer []*cut
		for left := alike; len(level) > 0 && left > 0; {
			c := level[len(level)-1]
			level = level[:len(level)-1]
			key := c.key()
			switch {
			case c.cost > most || seen[key]:
				continue
			case c.size == o.total:
				return o.schedule(c), c.cost
			}
			seen[key] = true
			left--
			for g := range slices.Backward(o.events) { // of equals the first goroutine moves first
				free, paid := o.moves(c, g)
				level, dearer = append(level, free...), append(dearer, paid...)
			}
		}
		level = append(level, dearer...)
		slices.SortStableFunc(level, func(a, b *cut) int { return cmp.Compare(a.size, b.size) })
		level = level[max(0, len(level)-8*alike):]
	}
	return nil, most + 1
}

// moves returns the cuts to which goroutine g can go on from c, by whether the goroutine is left
// there for free or preempted.
func (o *order) moves(c *cut, g int) (free, paid []*cut) {
	from, events := c.done[g], o.events[g]
	to := from
	for to < o.wanted[g] && c.has(events[to].after) {
		to = min(events[to].block, o.wanted[g])
	}
	if to == from {
		return nil, nil
	}
	comes := func(p place) bool { return c.done[p.g] < p.n } // to where it waits
	for n := from + 1; n < to; n++ {
		if slices.ContainsFunc(events[n].frees, comes) {
			paid = append(paid, c.move(g, n, 1))
		}
	}
	d := c.move(g, to, 0)
	if int(to) < len(events) && d.size < o.total && d.has(events[to].waits) {
		d.cost++
		return nil, append(paid, d)
	}
	return []*cut{d}, paid
}

// move returns the cut with the first n events of goroutine g. The move costs so many preemptions.
func (c *cut) move(g int, n int32, cost int) *cut {
	d := &cut{done: make([]int32, len(c.done)), size: c.size + int(n-c.done[g]), cost: c.cost + cost, g: g, parent: c}
	copy(d.done, c.done)
	d.done[g] = n
	return d
}

// has reports whether all of some events are in the cut.
func (c *cut) has(all []place) bool {
	return !slices.ContainsFunc(all, func(p place) bool { return c.done[p.g] <= p.n })
}

// key returns the same text for the same set of events.
func (c *cut) key() string {
	key := make([]byte, 0, 2*len(c.done))
	for _, n := range c.done {
		for ; n >= 1<<7; n >>= 7 {
			key = append(key, byte(n)|1<<7)
		}
		key = append(key, byte(n))
	}
	return string(key)
}

// schedule returns the moves that lead to a cut.
func (o *order) schedule(c *cut) (s trace.Schedule) {
	var path []*cut
	for ; c.parent != nil; c = c.parent {
		path = append(path, c)
	}
	for _, c := range slices.Backward(path) {
		for _, e := range o.events[c.g][c.parent.done[c.g]:c.done[c.g]] {
			s = append(s, e.Choice)
		}
	}
	return s
}

// reorder looks for a schedule of the same events that is simpler: first of those that happen
// before the failure, then of all. It reports whether it has found one.
func (m *minimiser) reorder() bool {
	o := m.orderOf(m.best)
	if o == nil {
		return false
	}
	shows := m.best.Primary.Step >= 0 && trial.Shows(m.best.Primary.Kind)
	for _, all := range []bool{!shows, true} {
		o.want(all)
		most := m.best.Preemptions
		if o.total >= m.best.Steps {
			most-- // the schedule is no shorter
		}
		if s, _ := o.cheapest(most, m.over); s != nil && !m.spent() && m.try(s) {
			return true
		}
		if all {
			break
		}
	}
	return false
}
