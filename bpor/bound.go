package bpor

import (
	"fmt"

	"github.com/gopor/gopor/sched/trace"
)

// Bound limits the cost of the schedules that an engine runs. The zero value is no bound: every
// schedule is allowed.
type Bound struct {
	kind kind
	max  int
}

type kind uint8

const (
	unbounded kind = iota
	preemptions
	delays
)

// Preemptions is a bound of n preemptions, n >= 0. A preemption is an event of another
// goroutine than the one before, although that one is enabled (002, definition 8). Leaving a
// goroutine that waits or has ended is free.
func Preemptions(n int) Bound { return Bound{preemptions, n} }

// Delays is a bound of n delays, n >= 0. The scheduler goes on with the goroutine that moved
// last. When that is not enabled, it takes the next enabled one, round robin in the order of
// creation. Every enabled goroutine that is passed over is a delay (Emmi, Qadeer and Rakamarić,
// "Delay-bounded scheduling", POPL 2011).
func Delays(n int) Bound { return Bound{delays, n} }

// String returns the text of the bound, such as "at most 2 preemptions".
func (b Bound) String() string {
	noun := ""
	switch b.kind {
	case unbounded:
		return "no bound"
	case preemptions:
		noun = "preemption"
	case delays:
		noun = "delay"
	}
	if b.max != 1 {
		noun += "s"
	}
	return fmt.Sprintf("at most %d %s", b.max, noun)
}

// valid returns an error if the bound is negative.
func (b Bound) valid() error {
	if b.max < 0 {
		return fmt.Errorf("bpor: a bound of %s: it must not be negative; the zero Bound is none", b)
	}
	return nil
}

// Max returns the largest cost that the bound allows.
func (b Bound) Max() int { return b.max }

// After returns the bound of b's kind that allows one more than done. It allows 0 if done is
// nil.
func (b Bound) After(done *Bound) Bound {
	if done == nil {
		return b.with(0)
	}
	return b.with(done.max + 1)
}

// with returns the bound of the same kind that allows n.
func (b Bound) with(n int) Bound { return Bound{b.kind, n} }

// Allows reports whether a schedule of this cost is within the bound.
func (b Bound) Allows(cost int) bool { return b.kind == unbounded || cost <= b.max }

// cost returns the cost of an event of goroutine next, when the goroutines of ready are enabled
// and last moved before. At the beginning, last is the first goroutine, which can be left for
// free.
func (b Bound) cost(ready []trace.ID, last, next trace.ID, beginning bool) int {
	switch b.kind {
	case preemptions:
		return preempts(ready, last, next, beginning)
	case delays:
		return passed(ready, last, next)
	}
	return 0
}

// preempts returns 1 if last is enabled and next is another goroutine.
func preempts(ready []trace.ID, last, next trace.ID, beginning bool) int {
	if last == next || beginning {
		return 0
	}
	for _, g := range ready {
		if g == last {
			return 1
		}
	}
	return 0
}

// passed returns how many of the enabled goroutines, in ascending order, come before next,
// round robin from last on.
func passed(ready []trace.ID, last, next trace.ID) (n int) {
	for _, g := range ready {
		if before(last, g, next) {
			n++
		}
	}
	return n
}

// before reports whether goroutine g comes before next, round robin from last on.
func before(last, g, next trace.ID) bool {
	if next >= last {
		return last <= g && g < next
	}
	return g >= last || g < next
}
