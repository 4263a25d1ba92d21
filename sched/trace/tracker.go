package trace

import "math/bits"

// Tracker holds the happens-before relation of an execution that grows and
// shrinks at its end, as a depth-first search makes it do. Events are numbered
// from 0. The zero Tracker is not ready: use [NewTracker].
//
// Every object keeps, per mode, a chain of the accesses made in that mode,
// latest first; an event finds what it depends on by looking at the heads of
// the chains that its own modes conflict with. Accesses with a mask have a chain
// for every mode and mask. Pop undoes a Push by moving heads back, so a search
// that backtracks pays for the events it removes only.
type Tracker struct {
	rel    *Relation
	events []event
	acc    []link    // accesses of all events, in order
	heads  [][]int32 // heads[obj][mode] is 1 + index into acc, 0 for none
	masked [][]chain // masked[obj] are the chains of accesses with a mask
	lastOf []int32   // lastOf[g] is the number of g's latest event, or -1
	all    int32     // latest event that depends on everything, or -1
	clocks [][]int32 // of every event, and of those that there were, for their room
	width  int       // goroutines that a new clock has room for
	slab   []int32   // room for new clocks
	races  []int32   // races of all events, in order
	cands  []int32   // scratch of Push

	// Checks counts the dependence checks made so far: pairs of events that
	// Push compared.
	Checks int64
}

type event struct {
	g         int32
	seq       int32 // this is g's seq-th event, from 1
	prev      int32 // g's event before this one, or -1
	prevAll   int32 // Tracker.all before this event
	accStart  int32
	raceStart int32
}

type link struct {
	Access
	event int32
	prev  int32 // the access before this one in the same chain, as in heads
}

// chain is the chain of an object's accesses with one mode and mask.
type chain struct {
	Access
	head int32 // as in heads
}

// NewTracker returns a Tracker of the empty execution under relation rel.
func NewTracker(rel *Relation) *Tracker {
	return &Tracker{rel: rel, all: -1}
}

// Len returns the number of events.
func (t *Tracker) Len() int { return len(t.events) }

// G returns the goroutine of event i.
func (t *Tracker) G(i int) int32 { return t.events[i].g }

// Seq returns the position of event i among its goroutine's events, from 1.
func (t *Tracker) Seq(i int) int32 { return t.events[i].seq }

// Prev returns the event of event i's goroutine before it, or -1.
func (t *Tracker) Prev(i int) int { return int(t.events[i].prev) }

// Clock returns the vector clock of event i: entry g counts the events of
// goroutine g that happen before event i, i itself included. The slice is
// valid until the next Push, and may be shorter than the number of goroutines.
func (t *Tracker) Clock(i int) []int32 { return t.clocks[i] }

// Before reports whether event i happens before event j, for i < j.
func (t *Tracker) Before(i, j int) bool {
	e := &t.events[i]
	clock := t.clocks[j]
	return int(e.g) < len(clock) && clock[e.g] >= e.seq
}

// Races returns the events e that race with event i: e depends on i, is of
// another goroutine, and nothing else orders e before i. The slice is valid
// until the next Push or Pop. Latest event first.
func (t *Tracker) Races(i int) []int32 {
	end := len(t.races)
	if i+1 < len(t.events) {
		end = int(t.events[i+1].raceStart)
	}
	return t.races[t.events[i].raceStart:end]
}

// Last returns the latest event of goroutine g, or -1.
func (t *Tracker) Last(g int32) int32 {
	if int(g) >= len(t.lastOf) {
		return -1
	}
	return t.lastOf[g]
}

// Push appends an event of goroutine g with the given accesses. The events in
// order happen before it without being in a race with it: what spawned its
// goroutine, what granted the request that it waited for.
func (t *Tracker) Push(g int32, accesses []Access, order []int32) {
	t.grow(int(g) + 1)
	i := len(t.events)
	ev := event{g: g, seq: 1, prev: t.lastOf[g], prevAll: t.all,
		accStart: int32(len(t.acc)), raceStart: int32(len(t.races))}
	clock, known := t.room(i), 0
	if ev.prev >= 0 {
		ev.seq = t.events[ev.prev].seq + 1
		known = copy(clock, t.clocks[ev.prev])
	}
	clear(clock[known:])
	for _, o := range order {
		t.join(clock, o)
	}
	t.events = append(t.events, ev)
	t.lastOf[g] = int32(i)

	t.cands = t.cands[:0]
	if t.all >= 0 {
		t.cands = append(t.cands, t.all)
	}
	for _, a := range accesses {
		if a.Obj == Everything {
			t.dependOnAll(g)
		} else {
			t.dependOn(a)
		}
	}
	t.resolve(clock, g)
	clock[g] = ev.seq
	for _, a := range accesses {
		if a.Obj == Everything {
			t.all = int32(i)
		}
		t.link(a, int32(i))
	}
}

// dependOnAll collects the latest event of every goroutine other than g.
func (t *Tracker) dependOnAll(g int32) {
	for h, e := range t.lastOf {
		if int32(h) != g && e >= 0 {
			t.cands = append(t.cands, e)
		}
	}
}

// dependOn collects the events that access a depends on, leaving out those that
// come before another one collected.
func (t *Tracker) dependOn(a Access) {
	conflict := t.rel.conflict[a.Mode]
	if conflict&t.rel.masks != 0 && int(a.Obj) < len(t.masked) {
		t.dependOnMasked(a)
	}
	if int(a.Obj) >= len(t.heads) || t.heads[a.Obj] == nil {
		return
	}
	heads := t.heads[a.Obj]
	for m := conflict &^ t.rel.masks; m != 0; m &= m - 1 {
		mode := Mode(bits.TrailingZeros32(m))
		n := heads[mode]
		if n == 0 {
			continue
		}
		// Everything in this chain up to the latest access that covers it, and
		// that a depends on too, happens before that access.
		floor := int32(-1)
		for c := t.rel.conflict[a.Mode] & t.rel.covers[mode]; c != 0; c &= c - 1 {
			if cm := Mode(bits.TrailingZeros32(c)); cm != mode && heads[cm] != 0 {
				floor = max(floor, t.acc[heads[cm]-1].event)
			}
		}
		self := t.rel.conflict[mode]>>mode&1 == 1
		for n != 0 {
			l := &t.acc[n-1]
			if l.event < floor {
				break
			}
			t.Checks++
			if t.rel.Conflict(l.Access, a) {
				t.cands = append(t.cands, l.event)
				if self {
					break
				}
			}
			n = l.prev
		}
	}
}

// dependOnMasked is dependOn for the chains of accesses with a mask. All of a chain
// depend on the same accesses, whichever of them it is.
func (t *Tracker) dependOnMasked(a Access) {
	chains := t.masked[a.Obj]
	for i := range chains {
		c := &chains[i]
		if c.head == 0 || !t.rel.meet(&c.Access, &a) {
			continue
		}
		floor := int32(-1)
		for k := range chains {
			if d := &chains[k]; k != i && d.head != 0 && t.rel.meet(&d.Access, &a) && t.rel.meet(&d.Access, &c.Access) {
				floor = max(floor, t.acc[d.head-1].event)
			}
		}
		self := t.rel.meet(&c.Access, &c.Access)
		for n := c.head; n != 0 && t.acc[n-1].event >= floor; n = t.acc[n-1].prev {
			t.Checks++
			t.cands = append(t.cands, t.acc[n-1].event)
			if self {
				break
			}
		}
	}
}

// meet is Conflict for accesses of one object, of which the first has a mask.
func (r *Relation) meet(a, b *Access) bool {
	return r.conflict[a.Mode]>>b.Mode&1 == 1 && (a.Idx&b.Idx != 0 || r.masked[a.Mode]>>b.Mode&1 == 0)
}

// resolve joins the clocks of the collected events into clock and records as
// races those which nothing else orders before the new event.
func (t *Tracker) resolve(clock []int32, g int32) {
	for len(t.cands) > 0 {
		k := 0
		for j, c := range t.cands {
			if c > t.cands[k] {
				k = j
			}
		}
		c := t.cands[k]
		t.cands[k] = t.cands[len(t.cands)-1]
		t.cands = t.cands[:len(t.cands)-1]
		e := &t.events[c]
		if e.g == g || clock[e.g] >= e.seq {
			continue
		}
		t.races = append(t.races, c)
		t.join(clock, c)
	}
}

func (t *Tracker) join(clock []int32, i int32) {
	for g, n := range t.clocks[i] {
		if n > clock[g] {
			clock[g] = n
		}
	}
}

func (t *Tracker) link(a Access, i int32) {
	if a.Obj == Everything {
		t.acc = append(t.acc, link{Access: a, event: i})
		return
	}
	h := t.head(a)
	t.acc = append(t.acc, link{Access: a, event: i, prev: *h})
	*h = int32(len(t.acc))
}

// head returns the head of the chain that an access belongs to. It is valid until
// the next call.
func (t *Tracker) head(a Access) *int32 {
	if t.rel.masks>>a.Mode&1 == 1 {
		return t.maskedHead(a)
	}
	for int(a.Obj) >= len(t.heads) {
		t.heads = append(t.heads, nil)
	}
	if t.heads[a.Obj] == nil {
		t.heads[a.Obj] = make([]int32, MaxModes)
	}
	return &t.heads[a.Obj][a.Mode]
}

// maskedHead is head for an access with a mask. A new chain takes the place of an
// empty one, so an object has no more than were ever in use at a time.
func (t *Tracker) maskedHead(a Access) *int32 {
	for int(a.Obj) >= len(t.masked) {
		t.masked = append(t.masked, nil)
	}
	chains, empty := t.masked[a.Obj], -1
	for i := range chains {
		if c := &chains[i]; c.Access == a {
			return &c.head
		} else if c.head == 0 {
			empty = i
		}
	}
	if empty < 0 {
		empty = len(chains)
		chains = append(chains, chain{})
		t.masked[a.Obj] = chains
	}
	chains[empty].Access = a
	return &chains[empty].head
}

// Pop removes events until n are left.
func (t *Tracker) Pop(n int) {
	for i := len(t.events) - 1; i >= n; i-- {
		ev := &t.events[i]
		for k := len(t.acc) - 1; k >= int(ev.accStart); k-- {
			if l := &t.acc[k]; l.Obj != Everything {
				*t.head(l.Access) = l.prev
			}
		}
		t.acc = t.acc[:ev.accStart]
		t.races = t.races[:ev.raceStart]
		t.all = ev.prevAll
		t.lastOf[ev.g] = ev.prev
		t.events = t.events[:i]
	}
}

// grow makes room for n goroutines. Clocks that there are already stay as short
// as they are: their events come before whatever the new goroutines do.
func (t *Tracker) grow(n int) {
	for len(t.lastOf) < n {
		t.lastOf = append(t.lastOf, -1)
	}
	if n > t.width {
		t.width = max(8, n, t.width*3/2)
	}
}

// slabLen is the room that is made for clocks at once, unless one takes more.
const slabLen = 1 << 12

// room returns the clock of the new event i, with anything in it.
func (t *Tracker) room(i int) []int32 {
	if i == len(t.clocks) {
		t.clocks = append(t.clocks, nil)
	}
	clock := t.clocks[i]
	if cap(clock) < t.width {
		if len(t.slab) < t.width {
			t.slab = make([]int32, max(slabLen, t.width))
		}
		clock, t.slab = t.slab[:t.width:t.width], t.slab[t.width:]
	}
	clock = clock[:t.width]
	t.clocks[i] = clock
	return clock
}

// Fingerprint returns a number that two executions share exactly if they are
// linearisations of one trace, up to the chance of a collision in 64 bits: the
// same events (goroutine, position, alternative alt(i) taken) in the same
// happens-before order.
func (t *Tracker) Fingerprint(alt func(i int) int32) uint64 {
	var sum uint64
	for i := range t.events {
		e := &t.events[i]
		h := mix(uint64(e.g)<<32 | uint64(e.seq))
		h = mix(h ^ uint64(alt(i)))
		for g, n := range t.Clock(i) {
			if n != 0 {
				h = mix(h ^ (uint64(g)<<32 | uint64(n)))
			}
		}
		sum += h
	}
	return mix(sum ^ uint64(len(t.events)))
}

// mix is the finaliser of the splitmix64 generator: a bijection that spreads
// every input bit over the output.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
