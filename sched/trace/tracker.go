package trace

import (
	"math/bits"
	"slices"

	"github.com/gopor/gopor/internal/room"
	"github.com/gopor/gopor/internal/vector"
)

// Tracker has the happens-before relation of an execution that grows and shrinks at its end, as
// in a depth-first search. Events are numbered from 0. The zero Tracker is not usable: use
// [NewTracker].
//
// Every object keeps, per mode, a chain of the accesses in that mode, latest first. A chain leaves
// out an access where the same goroutine has a later one that is not far from it. An event finds
// its dependences at the heads of the chains that its own modes conflict with. Accesses with a mask
// have a chain for every mode and mask. Pop undoes a Push by moving heads back, so a search that
// backtracks pays only for the events that it removes. Clocks share their common parts (see package
// vector). So an event costs about as much in a long execution as in a short one, with any number
// of goroutines.
type Tracker struct {
	rel    *Relation
	events []event
	acc    []link        // accesses of all events, in order
	heads  []*heads      // of every object, nil for one without accesses
	masked [][]chain     // masked[obj] has the chains of accesses with a mask
	lastOf []int32       // lastOf[g] is the number of g's latest event, or -1
	after  []int32       // after[g] is the latest event in the order of g's first one, or -1
	all    int32         // latest event that depends on everything, or -1
	clocks vector.Clocks // of every event, without the entry of its own goroutine
	causes []int32       // of all events, in order: see event.causeStart
	cands  []int32       // scratch of Push
	front  []int32       // scratch of Causes
	flat   []int32       // scratch of Clock
	back   backward      // the latest position of Unordered
	short  int32         // chains of the events before this one are kept whole: see shortTrace

	// Checks counts the dependence checks made so far: pairs of events that
	// Push compared.
	Checks int64
}

type event struct {
	g        int32
	seq      int32 // it is the seq-th event of g, from 1
	prev     int32 // g's event before this one, or -1
	prevAll  int32 // Tracker.all before this event
	accStart int32
	// The events that it comes after, besides prev and what precedes those. From causeStart on
	// they are the event that started its goroutine and those that granted something. From
	// raceStart on they are the events that it races with, latest first.
	causeStart int32
	raceStart  int32
	nodeStart  int32
	latest     int32 // of all that it comes after, or -1
	// The lowest bit says that it is within a library, see PushWithin. The rest is the number of
	// goroutines g of which it is after[g]. An engine keeps as many events as its trail is deep.
	beginsWithin int32
	// What it knows of other goroutines; its own entry may be too low.
	clock vector.Clock
}

// NewTracker returns a Tracker of the empty execution under relation rel.
func NewTracker(rel *Relation) *Tracker {
	return &Tracker{rel: rel, all: -1, clocks: vector.New(), short: shortTrace}
}

// Len returns the number of events.
func (t *Tracker) Len() int { return len(t.events) }

// G returns the goroutine of event i.
func (t *Tracker) G(i int) int32 { return t.events[i].g }

// Seq returns the position of event i in its goroutine, from 1.
func (t *Tracker) Seq(i int) int32 { return t.events[i].seq }

// Prev returns the event before event i in its goroutine, or -1.
func (t *Tracker) Prev(i int) int { return int(t.events[i].prev) }

// Clock returns the vector clock of event i: entry g counts the events of goroutine g that
// happen before event i, including i itself. The slice is valid until the next call of Clock,
// and may be shorter than the number of goroutines. Unlike [Tracker.Before] it takes time in
// proportion to its length.
func (t *Tracker) Clock(i int) []int32 {
	e := &t.events[i]
	t.flat = t.clocks.List(t.flat[:0], e.clock, len(t.lastOf))
	for len(t.flat) <= int(e.g) {
		t.flat = append(t.flat, 0)
	}
	t.flat[e.g] = e.seq
	return t.flat
}

// Before reports whether event i happens before event j, for i < j.
func (t *Tracker) Before(i, j int) bool {
	e, f := &t.events[i], &t.events[j]
	return e.g == f.g || t.clocks.At(f.clock, e.g) >= e.seq
}

// Races returns the events e that race with event i: e depends on i, is of another goroutine,
// and nothing else orders e before i. They are listed latest first. The slice is valid until
// the next Push or Pop.
func (t *Tracker) Races(i int) []int32 {
	return t.causes[t.events[i].raceStart:t.causesEnd(i)]
}

// causesEnd returns the end of the causes of event i.
func (t *Tracker) causesEnd(i int) int {
	if i+1 < len(t.events) {
		return int(t.events[i+1].causeStart)
	}
	return len(t.causes)
}

// Latest returns the latest of the events that happen before event i, or -1.
func (t *Tracker) Latest(i int) int { return int(t.events[i].latest) }

// Causes appends to dst the given events of, which are in order, and the events after event i
// that happen before one of them. They are appended latest first. It takes time in proportion
// to what it appends.
func (t *Tracker) Causes(dst []int32, i int, of ...int32) []int32 {
	front := append(t.front[:0], of...)
	add := func(c int32) {
		if int(c) <= i {
			return
		}
		if at, there := slices.BinarySearch(front, c); !there {
			front = slices.Insert(front, at, c)
		}
	}
	for n := len(front); n > 0; n = len(front) {
		c := front[n-1]
		front = front[:n-1]
		dst = append(dst, c)
		e := &t.events[c]
		add(e.prev)
		for _, d := range t.causes[e.causeStart:t.causesEnd(int(c))] {
			add(d)
		}
	}
	t.front = front
	return dst
}

// Last returns the latest event of goroutine g, or -1.
func (t *Tracker) Last(g int32) int32 {
	if int(g) >= len(t.lastOf) {
		return -1
	}
	return t.lastOf[g]
}

// Push appends an event of goroutine g with the given accesses. The events in order happen
// before it without being in a race with it: the event that started its goroutine, and the one
// that granted the request for which it waited.
func (t *Tracker) Push(g int32, accesses []Access, order []int32) {
	for int(g) >= len(t.lastOf) {
		t.lastOf, t.after = append(t.lastOf, -1), append(t.after, -1)
	}
	i, prev := len(t.events), t.lastOf[g]
	// The event is written where it stays, and part by part: a copy would wait for its parts to be
	// written, and what is known of it would have to be kept meanwhile.
	t.events = room.ForOne(t.events)[:i+1]
	e := &t.events[i]
	e.g, e.seq, e.prev, e.prevAll, e.beginsWithin = g, 1, prev, t.all, 0
	e.accStart, e.causeStart = int32(len(t.acc)), int32(len(t.causes))
	k := knowledge{g: g, of: prev}
	if prev >= 0 {
		p := &t.events[prev]
		e.seq, k.clock = p.seq+1, p.clock
	}
	e.nodeStart = t.clocks.Mark(g, e.seq)
	latest := prev
	for _, o := range order {
		if t.learn(&k, o) {
			t.causes = append(t.causes, o)
			latest = max(latest, o)
		}
	}
	if prev < 0 {
		t.begin(g, order)
	}
	raceStart := len(t.causes)

	t.cands = t.cands[:0]
	if t.all >= 0 {
		t.cands = append(t.cands, t.all)
	}
	for a := range accesses {
		if a := &accesses[a]; a.Obj == Everything {
			t.dependOnAll(g)
		} else {
			t.dependOn(*a, &k)
		}
	}
	t.resolve(&k)
	if len(t.causes) > raceStart {
		latest = max(latest, t.causes[raceStart])
	}
	t.back.at = -1
	e = &t.events[i]
	e.raceStart, e.latest, e.clock = int32(raceStart), latest, k.clock
	t.lastOf[g] = int32(i)
	for a := range accesses {
		if accesses[a].Obj == Everything {
			t.all = int32(i)
		}
		t.link(accesses[a], int32(i))
	}
}

// PushWithin is Push for an event that is within a library (see [Op.Within]). Earlier events that
// are within one happen before it without being in a race with it. PushWithin returns those that
// would be in a race with it otherwise, latest first. The slice is valid until the next Push or
// Pop.
func (t *Tracker) PushWithin(g int32, accesses []Access, order []int32) (left []int32) {
	t.Push(g, accesses, order)
	e := &t.events[len(t.events)-1]
	e.beginsWithin |= 1
	n := t.leave(t.causes[e.raceStart:])
	e.raceStart += n
	return t.causes[e.raceStart-n : e.raceStart]
}

// leave moves the events that are within a library to the front of the races of another such
// event, and returns how many there are.
func (t *Tracker) leave(races []int32) (n int32) {
	for i, c := range races {
		if t.events[c].beginsWithin&1 != 0 {
			copy(races[n+1:i+1], races[n:i])
			races[n] = c
			n++
		}
	}
	return n
}

// begin notes that the next event is the first one of goroutine g.
func (t *Tracker) begin(g int32, order []int32) {
	t.after[g] = -1
	for _, o := range order {
		t.after[g] = max(t.after[g], o)
	}
	if o := t.after[g]; o >= 0 {
		t.events[o].beginsWithin += 2
	}
}

// dependOnAll collects the latest event of every goroutine other than g. It omits events before
// the latest one that depends on everything.
func (t *Tracker) dependOnAll(g int32) {
	if n := len(t.events) - int(t.all) - 1; n < len(t.lastOf) {
		for j := int(t.all) + 1; j < len(t.events); j++ {
			if e := &t.events[j]; e.g != g && t.lastOf[e.g] == int32(j) {
				t.cands = append(t.cands, int32(j))
			}
		}
		return
	}
	for h, e := range t.lastOf {
		if int32(h) != g && e > t.all {
			t.cands = append(t.cands, e)
		}
	}
}

// dependOn collects the events that access a depends on, without those that come before another
// collected one. The event of a knows k.
func (t *Tracker) dependOn(a Access, k *knowledge) {
	conflict := t.rel.conflict[a.Mode]
	if conflict&t.rel.masks != 0 && int(a.Obj) < len(t.masked) {
		t.dependOnMasked(a, k)
	}
	if int(a.Obj) >= len(t.heads) || t.heads[a.Obj] == nil {
		return
	}
	heads := t.heads[a.Obj]
	for m := conflict &^ t.rel.masks & heads.used; m != 0; m &= m - 1 {
		mode := Mode(bits.TrailingZeros32(m))
		n := heads.of[mode]
		if n == 0 {
			continue
		}
		// Everything in this chain up to the latest access that covers it, and that a also
		// depends on, happens before that access.
		floor := int32(-1)
		for c := t.rel.conflict[a.Mode] & t.rel.covers[mode]; c != 0; c &= c - 1 {
			if cm := Mode(bits.TrailingZeros32(c)); cm != mode && heads.of[cm] != 0 {
				floor = max(floor, t.acc[heads.of[cm]-1].event)
			}
		}
		self := t.rel.conflict[mode]>>(mode&31)&1 == 1
		for far := 0; n != 0; far++ {
			if far == tooFar {
				floor = max(floor, t.latestKnown(a, k))
			}
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
			n = l.next
		}
	}
}

// dependOnMasked is dependOn for the chains of accesses with a mask. All accesses of a chain
// depend on the same accesses.
func (t *Tracker) dependOnMasked(a Access, k *knowledge) {
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
		far := 0
		for n := c.head; n != 0 && t.acc[n-1].event >= floor; n = t.acc[n-1].next {
			if far++; far == tooFar {
				floor = max(floor, t.latestKnown(a, k))
			}
			t.Checks++
			t.cands = append(t.cands, t.acc[n-1].event)
			if self {
				break
			}
		}
	}
}

// tooFar is how many accesses of a chain are collected before latestKnown is asked, which looks at
// as many.
const tooFar = 8

// latestKnown returns a late event that k knows and that has access a, too, or -1. What a depends
// on happens before that event, if it comes before it in the execution.
//
// Many goroutines may count, and each look at the counter. No count covers another, and no look
// does.
func (t *Tracker) latestKnown(a Access, k *knowledge) int32 {
	n := *t.head(a)
	for far := 0; n != 0 && far < tooFar; far++ {
		l := &t.acc[n-1]
		if e := &t.events[l.event]; l.Access == a && (e.g == k.g || t.clocks.At(k.clock, e.g) >= e.seq) {
			return l.event
		}
		n = l.next
	}
	return -1
}

// meet is Conflict for accesses of one object, of which the first has a mask.
func (r *Relation) meet(a, b *Access) bool {
	return r.conflict[a.Mode]>>b.Mode&1 == 1 && (a.Idx&b.Idx != 0 || r.masked[a.Mode]>>b.Mode&1 == 0)
}

// knowledge is what an event of goroutine g comes after, as far as that is known.
type knowledge struct {
	clock vector.Clock
	g     int32
	// The event that knows the same, itself included; -1 if nothing is known, mixed if there is
	// no such event.
	of int32
}

const mixed = -2

// resolve lets k know of the collected events and records as races those that nothing else
// orders before the new event.
func (t *Tracker) resolve(k *knowledge) {
	if len(t.cands) > 16 {
		sortDown(t.cands)
		for _, c := range t.cands {
			if t.learn(k, c) {
				t.causes = append(t.causes, c)
			}
		}
		return
	}
	for len(t.cands) > 1 {
		at := 0
		for j, c := range t.cands {
			if c > t.cands[at] {
				at = j
			}
		}
		c := t.cands[at]
		t.cands[at] = t.cands[len(t.cands)-1]
		t.cands = t.cands[:len(t.cands)-1]
		if t.learn(k, c) {
			t.causes = append(t.causes, c)
		}
	}
	if len(t.cands) > 0 && t.learn(k, t.cands[0]) {
		t.causes = append(t.causes, t.cands[0])
	}
}

// sortDown sorts events, the latest first. They come as a few runs in this order, one of each
// chain. Package slices sorts no faster, and in a test binary under control its functions may be
// those that announce their accesses.
func sortDown(events []int32) {
	for n := 1; n < len(events); n++ {
		if events[n-1] >= events[n] {
			continue
		}
		heapDown(events)
		return
	}
}

// heapDown is sortDown for events in any order.
func heapDown(events []int32) {
	sink := func(i, n int) {
		for {
			least := 2*i + 1
			if least >= n {
				return
			}
			if least+1 < n && events[least+1] < events[least] {
				least++
			}
			if events[i] <= events[least] {
				return
			}
			events[i], events[least] = events[least], events[i]
			i = least
		}
	}
	for i := len(events)/2 - 1; i >= 0; i-- {
		sink(i, len(events))
	}
	for n := len(events) - 1; n > 0; n-- {
		events[0], events[n] = events[n], events[0]
		sink(0, n)
	}
}

// learn lets k know of event c and all that happens before it. It returns false if k knows that
// already.
//
// Most often the event knows all that k does, as when a lock is handed on. Then k takes over
// its clock, and nothing needs to be joined.
func (t *Tracker) learn(k *knowledge, c int32) bool {
	e := &t.events[c]
	if e.g == k.g || t.clocks.At(k.clock, e.g) >= e.seq {
		return false
	}
	if k.of == -1 || k.of >= 0 && t.Before(int(k.of), int(c)) {
		k.clock, k.of = e.clock, c
	} else {
		k.clock, k.of = t.clocks.Join(k.clock, e.clock), mixed
	}
	k.clock = t.clocks.Set(k.clock, e.g, e.seq)
	return true
}

// Pop removes the events from number n on.
func (t *Tracker) Pop(n int) {
	t.back.at = -1
	for i := len(t.events) - 1; i >= n; i-- {
		ev := &t.events[i]
		for k := len(t.acc) - 1; k >= int(ev.accStart); k-- {
			if l := &t.acc[k]; l.Obj != Everything {
				*t.head(l.Access) = l.next
			}
		}
		t.acc = t.acc[:ev.accStart]
		t.causes = t.causes[:ev.causeStart]
		t.all = ev.prevAll
		t.clocks.Cut(ev.nodeStart)
		t.lastOf[ev.g] = ev.prev
		if ev.prev < 0 && t.after[ev.g] >= 0 {
			t.events[t.after[ev.g]].beginsWithin -= 2
		}
		t.events = t.events[:i]
	}
}

// Fingerprint returns a number that two executions share exactly if they are linearisations of
// one trace, up to a collision in 64 bits: they have the same events (goroutine, position,
// alternative alt(i) taken) in the same happens-before order.
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
