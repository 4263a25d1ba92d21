package bpor

import (
	"slices"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// linear finds out whether a trace has a linearisation within a bound. That is the minimum of
// the cost over all executions that differ from the present one only in the order of
// independent events (002, algorithm 10).
//
// A goroutine counts as enabled where its next event of the trace could be performed, and not
// after its last one. For a maximal trace that is right: the goroutine has ended, or waits. For
// a prefix it may be wrong, but then makes the minimum smaller, never larger. So the minimum
// does not fall when the trace is extended: leave the new event out of the cheapest order, and
// the rest costs no more. If a trace is over the bound, so are all its extensions.
//
// The minimum itself is not needed. A linearisation within the bound is kept, and grows with
// the trace at its end. Another one is looked for only when it gets too expensive.
type linear struct {
	bound  Bound
	slack  Slack
	hb     *trace.Tracker
	events []linearEvent
	firsts []int32 // per goroutine, its first event, or -1
	lasts  []int32 // per goroutine, its latest event, or -1
	order  []int32 // a linearisation
	at     []int32 // per event, its index in order
	// The cost of order without the later events, by number of events, from taken on.
	costs []int
	// The number of events when order was changed elsewhere than at its end.
	taken  int
	finder finder
	walk   *search.Walk // the search that linear belongs to, which may have to end; or nil
}

// linearEvent is the part of an event that linear keeps.
type linearEvent struct {
	g     trace.ID // the event before it of the same goroutine, or -1
	prev  int32    // the event of the same goroutine before it, -1 if there is none
	next  int32    // the event after it of the same goroutine, or -1
	waits []int32  // the events that it waits for: trace.Event.Order
	// releases is the number of events of other goroutines that wait for it.
	releases int
}

func newLinear(b Bound, s Slack, t *search.Trail) *linear {
	l := &linear{bound: b, slack: s, hb: t.HB, walk: &t.Walk, costs: []int{0}}
	l.finder.over = t.Over
	return l
}

// push makes ev event n. The tracker has it already.
func (l *linear) push(n int, ev *trace.Event) {
	l.pop(n)
	i, g, waits := int32(n), ev.G, ev.Order
	for int(g) >= len(l.firsts) {
		l.firsts, l.lasts = append(l.firsts, -1), append(l.lasts, -1)
	}
	prev := l.lasts[g]
	if prev < 0 {
		l.firsts[g] = i
	} else {
		l.events[prev].next = i
	}
	l.lasts[g] = i
	l.events = slices.Grow(l.events, 1)[:i+1]
	e := &l.events[i]
	*e = linearEvent{g: g, prev: prev, next: -1, waits: append(e.waits[:0], waits...)}
	for _, w := range waits {
		if l.events[w].g != g {
			l.events[w].releases++
		}
	}
	l.at = append(l.at, int32(len(l.order)))
	l.order = append(l.order, i)
	l.costs = append(l.costs[:n+1], l.costs[n]+l.added(i))
}

// pop removes the events from number n on.
func (l *linear) pop(n int) {
	if n == len(l.events) {
		return
	}
	for i := len(l.events) - 1; i >= n; i-- {
		e := &l.events[i]
		for _, w := range e.waits {
			if l.events[w].g != e.g {
				l.events[w].releases--
			}
		}
		l.lasts[e.g] = e.prev
		if e.prev < 0 {
			l.firsts[e.g] = -1
		} else {
			l.events[e.prev].next = -1
		}
	}
	l.events, l.at = l.events[:n], l.at[:n]
	if n < l.taken {
		l.take(slices.DeleteFunc(l.order, func(i int32) bool { return int(i) >= n }))
		return
	}
	l.order = l.order[:n]
}

// take replaces the known linearisation by order.
func (l *linear) take(order []int32) {
	l.order = order
	for place, i := range order {
		l.at[i] = int32(place)
	}
	l.taken = len(l.events)
	l.costs = append(slices.Grow(l.costs[:0], l.taken+1)[:l.taken], l.count())
}

// within reports whether some linearisation is within the bound.
func (l *linear) within(goroutines int) bool {
	limit := l.bound.max + l.slack.of(goroutines)
	if l.bound.kind == unbounded || l.cost() <= limit {
		return true
	}
	if !l.finder.find(l, limit) {
		if l.finder.ended {
			l.walk.Interrupt()
		}
		return false
	}
	l.take(append(l.order[:0], l.finder.order...))
	return true
}

// spent uses the known linearisation, which need not be the cheapest.
func (l *linear) spent(goroutines, left int) bool {
	return l.bound.kind != unbounded && l.cost()+left+1 > l.bound.max+l.slack.of(goroutines)
}

// minimum returns the cost of the cheapest linearisation. It returns false if the search had to
// end before.
func (l *linear) minimum() (n int, known bool) {
	if l.bound.kind == unbounded || len(l.events) == 0 {
		return 0, true
	}
	for !l.finder.find(l, n) {
		if l.finder.ended {
			return 0, false
		}
		n++
	}
	return n, true
}

// Minimum returns the least cost, in the units of a bound, of an execution that differs from
// the one of schedule s only in the order of independent events. It runs p, which must not be
// running, and must number its goroutines as the program that s was made for. Time and memory
// grow with the number of linearisations of the trace, which is exponential in the number of
// goroutines at worst. So over is asked now and then, unless it is nil. If it returns true, the
// error is [trace.ErrInterrupted].
func Minimum(p trace.Program, s trace.Schedule, b Bound, over func() bool) (int, error) {
	if b.kind == unbounded {
		return 0, nil
	}
	run := p.Start()
	defer run.Close()
	l := &linear{bound: b, hb: trace.NewTracker(trace.Dependence), costs: []int{0}}
	l.finder.over = over
	for i, c := range s {
		if i%often == often-1 && over != nil && over() {
			return 0, trace.ErrInterrupted
		}
		ev, err := run.Step(c)
		if err != nil {
			return 0, err
		}
		l.hb.Push(int32(ev.G), ev.Accesses(), ev.Order)
		l.push(i, ev)
	}
	n, known := l.minimum()
	if !known {
		return 0, trace.ErrInterrupted
	}
	return n, nil
}

// cost returns the cost of the known linearisation.
func (l *linear) cost() int { return l.costs[len(l.events)] }

// added returns the cost that event i, the last one of the linearisation, adds. Its goroutine
// might have gone on in the places of others since its event before.
func (l *linear) added(i int32) (n int) {
	e := &l.events[i]
	from := 0
	if e.prev >= 0 {
		from = int(l.at[e.prev]) + 1
	}
	switch end := int(l.at[i]); l.bound.kind {
	case preemptions:
		if e.prev >= 0 && from < end && l.readyAt(i, from) {
			n++
		}
	case delays:
		for place := from; place < end; place++ {
			last := trace.ID(0)
			if place > 0 {
				last = l.events[l.order[place-1]].g
			}
			if before(last, e.g, l.events[l.order[place]].g) && l.readyAt(i, place) {
				n++
			}
		}
	}
	return n
}

// count computes the cost of the known linearisation from the beginning.
func (l *linear) count() int {
	switch l.bound.kind {
	case preemptions:
		return l.preemptions()
	case delays:
		return l.delays()
	}
	return 0
}

func (l *linear) preemptions() (n int) {
	for place := 1; place < len(l.order); place++ {
		last := &l.events[l.order[place-1]]
		if last.next != l.order[place] && last.next >= 0 && l.readyAt(last.next, place) {
			n++
		}
	}
	return n
}

// readyAt reports whether all events that event i waits for precede a place in the
// linearisation.
func (l *linear) readyAt(i int32, place int) bool {
	for _, w := range l.events[i].waits {
		if int(l.at[w]) >= place {
			return false
		}
	}
	return true
}

func (l *linear) delays() (n int) {
	next := append(l.finder.next[:0], l.firsts...)
	last := trace.ID(0)
	for place, i := range l.order {
		e := &l.events[i]
		for g, j := range next {
			if j >= 0 && before(last, trace.ID(g), e.g) && l.readyAt(j, place) {
				n++
			}
		}
		last, next[e.g] = e.g, e.next
	}
	l.finder.next = next
	return n
}
