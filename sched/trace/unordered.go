package trace

// Unordered appends to dst the events after event i that do not happen after it, in order. If
// it is called for events from the latest down, it takes time in proportion to the events
// before every present goroutine has learnt of event i.
func (t *Tracker) Unordered(dst []int32, i int) []int32 {
	r := t.Rest(i)
	for !r.Done() {
		dst = r.Append(dst)
	}
	return dst
}

// Rest lists the events after an event that do not happen after it, as [Tracker.Unordered]
// does, a few at a time. It is valid until the next Push, Pop or Rest.
type Rest struct {
	t    *Tracker
	i    int32
	next int32 // the event to look at next
	left int32 // goroutines that go on without knowing of event i
	many bool  // left is used
}

// Rest begins to list the events after event i that do not happen after it.
func (t *Tracker) Rest(i int) Rest {
	if len(t.events)-i > few {
		return t.restOfMany(i)
	}
	return Rest{t: t, i: int32(i), next: int32(i) + 1}
}

// few is the number of events up to which all are looked at.
const few = 64

// Done reports whether no events are left.
func (r *Rest) Done() bool {
	if r.many {
		return r.left == 0
	}
	return int(r.next) >= len(r.t.events)
}

// Append appends the next of the events to dst, in order.
func (r *Rest) Append(dst []int32) []int32 {
	if r.many {
		return r.appendOfMany(dst)
	}
	t := r.t
	events, g, seq := t.events, t.events[r.i].g, t.events[r.i].seq
	for j := int(r.next); j < len(events); j++ {
		if f := &events[j]; f.g != g && t.clocks.At(f.clock, g) < seq {
			dst = append(dst, int32(j))
		}
	}
	r.next = int32(len(events))
	return dst
}

// backward counts the goroutines that go on after an event, from the latest event down.
type backward struct {
	at int32 // its present event, -1 for none
	// Goroutines that have events after it, and began before it, see [Tracker.after].
	alive   int32
	settled []int32 // per goroutine, 1 + the event i that it was found to know
}

// down moves down to event i.
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
		b.alive -= t.events[b.at-1].beginsWithin >> 1
	}
}

// restOfMany is Rest for many events. Once a goroutine has learnt of event i, all its events
// happen after i. So do the events of a goroutine that begins after such an event. So the list
// is complete as soon as no other goroutine goes on.
func (t *Tracker) restOfMany(i int) Rest {
	b := &t.back
	b.down(t, int32(i))
	r := Rest{t: t, i: int32(i), next: int32(i) + 1, left: b.alive, many: true}
	g := t.events[i].g
	if t.lastOf[g] > int32(i) {
		r.left--
	}
	b.settled[g] = int32(i) + 1
	return r
}

// appendOfMany is Append for many events.
func (r *Rest) appendOfMany(dst []int32) []int32 {
	t, i, mark := r.t, r.i, r.i+1
	e, settled := &t.events[i], t.back.settled
	j, end := r.next, r.next+few
	for ; r.left > 0 && j < end; j++ {
		f := &t.events[j]
		switch {
		case settled[f.g] == mark:
		case t.clocks.At(f.clock, e.g) >= e.seq:
			settled[f.g] = mark
			if a := t.after[f.g]; a < i || a > i && !t.Before(int(i), int(a)) {
				r.left--
			}
		default:
			dst = append(dst, j)
			r.left += f.beginsWithin >> 1
			if t.lastOf[f.g] == j {
				r.left--
			}
		}
	}
	r.next = j
	return dst
}
