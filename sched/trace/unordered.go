package trace

// Unordered appends to dst the events after event i that do not happen after it, in
// their order. If it is asked of the events from the latest down, it takes time in
// proportion to what comes before every goroutine that is there has learnt of event i.
func (t *Tracker) Unordered(dst []int32, i int) []int32 {
	if len(t.events)-i > few {
		return t.unorderedOfMany(dst, i)
	}
	g, seq := t.events[i].g, t.events[i].seq
	for j := i + 1; j < len(t.events); j++ {
		if f := &t.events[j]; f.g != g && t.clocks.At(f.clock, g) < seq {
			dst = append(dst, int32(j))
		}
	}
	return dst
}

// few is how many events Unordered looks at without thinking of how to do with fewer.
const few = 64

// backward counts goroutines that go on, from the latest event down.
type backward struct {
	at      int32   // the event where it stands, -1 for nowhere
	alive   int32   // goroutines that have events after it, and began before it, see [Tracker.after]
	settled []int32 // of every goroutine, 1 + the event i of which unorderedOfMany has found that it knows
}

// down goes down to event i.
func (b *backward) down(t *Tracker, i int32) {
	if b.at <= i {
		b.at, b.alive = int32(len(t.events)-1), 0
		for len(b.settled) < len(t.lastOf) {
			b.settled = append(b.settled, 0)
		}
		clear(b.settled)
	}
	for ; b.at > i; b.at-- {
		if t.lastOf[t.events[b.at].g] == b.at {
			b.alive++
		}
		b.alive -= t.events[b.at-1].begins
	}
}

// unorderedOfMany is Unordered where there are many events. Once a goroutine has learnt
// of event i all that it does happens after that; so does what a goroutine does that
// begins after such an event. So the rest can be left out as soon as no other goroutine
// goes on.
func (t *Tracker) unorderedOfMany(dst []int32, i int) []int32 {
	b := &t.back
	b.down(t, int32(i))
	e := &t.events[i]
	left, mark := b.alive, int32(i)+1 // goroutines that go on without knowing of event i
	if t.lastOf[e.g] > int32(i) {
		left--
	}
	b.settled[e.g] = mark
	for j := i + 1; left > 0; j++ {
		f := &t.events[j]
		switch {
		case b.settled[f.g] == mark:
		case t.clocks.At(f.clock, e.g) >= e.seq:
			b.settled[f.g] = mark
			if a := t.after[f.g]; a < int32(i) || a > int32(i) && !t.Before(i, int(a)) {
				left--
			}
		default:
			dst = append(dst, int32(j))
			left += f.begins
			if t.lastOf[f.g] == int32(j) {
				left--
			}
		}
	}
	return dst
}
