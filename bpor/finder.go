package bpor

import (
	"github.com/gopor/gopor/sched/trace"
)

// finder looks for a linearisation of a trace that costs no more than a limit, by depth-first
// search over the sets of events that can come first (cuts). It remembers the cuts that do not
// lead there.
type finder struct {
	*linear
	order []int32 // the linearisation so far
	next  []int32 // per goroutine, its first event that is not in order, or -1
	// Per cut, the most that could be left to spend there without success.
	failed map[string]int32
	key    []byte
	over   func() bool // asked now and then whether the search has to end, or nil
	tried  int         // the number of cuts that were looked at
	ended  bool        // over has returned true
}

// often is the number of cuts after which over is asked.
const often = 1 << 10

// goesOn reports whether one more cut may be looked at.
func (f *finder) goesOn() bool {
	if f.tried++; f.tried%often == 0 && f.over != nil && f.over() {
		f.ended = true
	}
	return !f.ended
}

// find reports whether there is such a linearisation, and leaves it in order.
func (f *finder) find(l *linear, limit int) bool {
	f.linear = l
	f.order = f.order[:0]
	f.next = append(f.next[:0], l.firsts...)
	if f.failed == nil {
		f.failed = make(map[string]int32)
	}
	clear(f.failed)
	if l.bound.kind == delays {
		return f.delayed(0, limit)
	}
	return f.leave(limit)
}

// block completes the linearisation by a block, that is a run of events of one goroutine, and
// then others. The block may be as long as the trace allows: an event that would come later,
// alone in a block or at the beginning of one, can come now. But an event that others wait for
// may have to come later, since a goroutine that waits can be left for free.
func (f *finder) block(g trace.ID, left int) bool {
	n := len(f.order)
	for i := f.next[g]; i >= 0 && f.possible(i); i = f.next[g] {
		f.perform(i)
	}
	price := 0
	if i := f.next[g]; i >= 0 && f.ready(i) {
		price = 1
	}
	if f.leave(left - price) {
		return true
	}
	for k := len(f.order) - 1; k > n && left > 0; k-- {
		if f.events[f.order[k]].releases == 0 {
			continue
		}
		f.undo(k)
		if f.leave(left - 1) {
			return true
		}
	}
	f.undo(n)
	return false
}

// leave completes the linearisation where a block has ended.
func (f *finder) leave(left int) bool {
	if len(f.order) == len(f.events) {
		return left >= 0
	}
	if left < 0 || !f.goesOn() || f.hopeless(-1, left) {
		return false
	}
	for g, i := range f.next {
		if i >= 0 && f.possible(i) && f.block(trace.ID(g), left) {
			return true
		}
	}
	f.fails(-1, left)
	return false
}

// delayed completes the linearisation event by event.
func (f *finder) delayed(last trace.ID, left int) bool {
	if len(f.order) == len(f.events) {
		return true
	}
	if !f.goesOn() || f.hopeless(last, left) {
		return false
	}
	n := len(f.order)
	passed, g := 0, last
	for range f.next {
		if int(g) >= len(f.next) {
			g = 0
		}
		if i := f.next[g]; i >= 0 {
			if f.possible(i) {
				f.perform(i)
				if f.delayed(g, left-passed) {
					return true
				}
				f.undo(n)
			}
			if f.ready(i) {
				if passed++; passed > left {
					break
				}
			}
		}
		g++
	}
	f.fails(last, left)
	return false
}

func (f *finder) perform(i int32) {
	e := &f.events[i]
	f.order = append(f.order, i)
	f.next[e.g] = e.next
}

func (f *finder) undo(n int) {
	for k := len(f.order) - 1; k >= n; k-- {
		i := f.order[k]
		f.next[f.events[i].g] = i
	}
	f.order = f.order[:n]
}

// done reports whether event i is in the linearisation.
func (f *finder) done(i int32) bool {
	next := f.next[f.events[i].g]
	return next < 0 || i < next
}

// possible reports whether all events that happen before event i are done.
func (f *finder) possible(i int32) bool {
	for g, seq := range f.hb.Clock(int(i)) {
		if g >= len(f.next) {
			break
		}
		if next := f.next[g]; next >= 0 && f.hb.Seq(int(next)) <= seq && g != int(f.events[i].g) {
			return false
		}
	}
	return true
}

// ready reports whether all events that event i waits for are done.
func (f *finder) ready(i int32) bool {
	for _, w := range f.events[i].waits {
		if !f.done(w) {
			return false
		}
	}
	return true
}

// hopeless reports whether the linearisation is known to fail when left remains to be spent.
// The goroutine last has moved, or any if last is -1.
func (f *finder) hopeless(last trace.ID, left int) bool {
	f.key = append(f.key[:0], byte(last), byte(last>>8), byte(last>>16))
	for _, i := range f.next {
		f.key = append(f.key, byte(i), byte(i>>8), byte(i>>16))
	}
	spent, ok := f.failed[string(f.key)]
	return ok && left <= int(spent)
}

// fails notes that the linearisation cannot be completed with left to spend.
func (f *finder) fails(last trace.ID, left int) {
	f.hopeless(last, 0) // sets the key
	f.failed[string(f.key)] = int32(left)
}
