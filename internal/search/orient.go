package search

import "math/bits"

// MaxSection is the number of events that a section may have.
const MaxSection = 64

// Section stands for the trace constraint systems of a section (Metzler et al. 2016, section
// 3.3). It has events, numbered from 0, the order of the events of one goroutine, and the pairs
// of other events that depend on each other. A constraint system orders every pair. A solution
// is a sequence of all events that keeps this order. It exists if the order makes no cycle with
// the order of goroutines. The solutions of a system are one Mazurkiewicz trace, and every
// trace of the section is one system.
//
// The paper writes down all systems, 2^n of n pairs, and sorts each topologically to see
// whether it has a solution. Here the solutions are found event by event, and nothing is tried
// that leads to none. Of every system the solution is found that comes first in the order of
// numbers. Solutions come in that order, and none is kept.
//
// The search takes at every place the next events in the order of numbers, and each of them
// sleeps afterwards until an event comes that it depends on. A sequence is the first of its
// trace exactly if none of its events sleeps where it comes. So a [Place] has events that
// sleep. It can be completed if all of them can be woken.
//
// To find that out, let every event run that can. An event that wakes a sleeper in some
// completion does so then, since more has run, or the event is at least not asleep itself. To
// take the first event that is awake never makes a difference to that, because what is enabled
// before it sleeps already. To put one to sleep may. So the numbers that can come next are the
// lowest ones that are awake, up to some number.
type Section struct {
	depend []uint64 // per event, the events of other goroutines that it depends on
	rest   []uint64 // per event, the event itself and the later events of its goroutine
	next   []uint64 // per event, the next event of its goroutine, if any
	prev   []int8   // per event, the one before of its goroutine, or -1
	first  uint64   // the first event of every goroutine
}

// Place is a position in the solutions of a section.
type Place struct {
	ready  uint64 // the next event of every goroutine
	asleep uint64 // those of them that must not come next
}

// Clear makes s a section of no events.
func (s *Section) Clear() {
	s.depend, s.rest, s.next, s.prev, s.first = s.depend[:0], s.rest[:0], s.next[:0], s.prev[:0], 0
}

// Len returns the number of events.
func (s *Section) Len() int { return len(s.depend) }

// Add adds an event and returns its number. A section has at most [MaxSection] events. The
// event before it of its goroutine is prev, or -1. It depends on depend, a set of events of
// other goroutines.
func (s *Section) Add(prev int, depend uint64) int {
	i := len(s.depend)
	bit := uint64(1) << i
	s.depend, s.rest, s.next, s.prev = append(s.depend, depend), append(s.rest, bit), append(s.next, 0), append(s.prev, int8(prev))
	if prev < 0 {
		s.first |= bit
	} else {
		s.next[prev] = bit
	}
	for ; prev >= 0; prev = int(s.prev[prev]) {
		s.rest[prev] |= bit
	}
	for m := depend; m != 0; m &= m - 1 {
		s.depend[bits.TrailingZeros64(m)] |= bit
	}
	return i
}

// Remove removes the event that was added last.
func (s *Section) Remove() {
	i := len(s.depend) - 1
	bit := uint64(1) << i
	for m := s.depend[i]; m != 0; m &= m - 1 {
		s.depend[bits.TrailingZeros64(m)] &^= bit
	}
	prev := int(s.prev[i])
	if prev >= 0 {
		s.next[prev] = 0
	}
	for ; prev >= 0; prev = int(s.prev[prev]) {
		s.rest[prev] &^= bit
	}
	s.first &^= bit
	s.depend, s.rest, s.next, s.prev = s.depend[:i], s.rest[:i], s.next[:i], s.prev[:i]
}

// Pairs returns the number of pairs of events that depend on each other.
func (s *Section) Pairs() (n int) {
	for _, d := range s.depend {
		n += bits.OnesCount64(d)
	}
	return n / 2
}

// Begin returns the place before all events. The events of asleep sleep there, each of them the
// first of its goroutine.
func (s *Section) Begin(asleep uint64) Place { return Place{s.first, asleep} }

// Choices returns the set of events that can come next. Taken in the order of their numbers,
// and followed by [Section.After], they lead to all solutions. The set is empty if the place
// cannot be completed, or is complete.
func (s *Section) Choices(p Place) (next uint64) {
	awake := p.ready &^ p.asleep
	for awake != 0 {
		bit := awake & -awake
		next |= bit
		awake &^= bit
		p.asleep |= bit
		if !s.wakes(p) {
			break
		}
	}
	return next
}

// wakes reports whether every sleeper wakes if all events run that can.
func (s *Section) wakes(p Place) bool {
	left := p.asleep
	if left == 0 {
		return true
	}
	var runs uint64
	for m := p.ready &^ p.asleep; m != 0; m &= m - 1 {
		runs |= s.rest[bits.TrailingZeros64(m)]
	}
	for woken := true; woken; {
		woken = false
		for m := left; m != 0; m &= m - 1 {
			if i := bits.TrailingZeros64(m); s.depend[i]&runs != 0 {
				runs |= s.rest[i]
				left &^= 1 << i
				woken = true
			}
		}
		if left == 0 {
			return true
		}
	}
	return false
}

// After returns the place after event i at p, when the events of before were taken earlier.
func (s *Section) After(p Place, before uint64, i int) Place {
	return Place{
		ready:  p.ready&^(1<<i) | s.next[i],
		asleep: (p.asleep | before) &^ s.depend[i],
	}
}
