package machine

import (
	"github.com/gopor/gopor/internal/room"
	"github.com/gopor/gopor/internal/vector"
	"github.com/gopor/gopor/sched/trace"
)

// memoryModel finds data races by the happens-before relation of the Go memory model, which knows
// synchronisation only. It is kept apart from the happens-before relation by dependence, which
// engines use. Two Lock requests depend on each other, but only an Unlock and the Lock that it
// grants synchronise.
//
// Every goroutine has a vector clock. Its own entry counts what it has published (events, go
// statements). An access belongs to the entry's value at that moment. It happens before all that a
// goroutine does which knows a higher value.
//
// Clocks are kept as package vector does, so it takes no time to publish one, and
// what a goroutine learns takes as much however many have ended before.
type memoryModel struct {
	m      *Machine
	clocks vector.Clocks
	snaps  []snapshot // what was published at every event
	at     []snapshot // at[obj] is what an object carries: atomics, Once
	bears  []int32    // the objects that carry something
	watch  watched
}

// view is what a goroutine knows of accesses by others.
type view struct {
	clock vector.Clock // its own entry may be too low
	time  int32        // its own entry
	epoch int32        // the number of the epoch, see [cellTable]; 0 if nothing was recorded in it
	since int32        // a clock that has this value of its entry has all that it has learnt
}

// snapshot is what goroutine g knew when it published for the time-th time.
type snapshot struct {
	clock vector.Clock
	g     trace.ID
	time  int32
}

// watched is the earlier access of a race, of which only the position is known
// when the race is found. When the same schedule is recorded again, the stack is
// taken as well.
type watched struct {
	access
	on    bool
	stack []uintptr
	// Of the access no more is known than g and time; see [Machine.ToPlace].
	placeless bool
}

// ToPlace reports whether the position of an access by g is wanted, since it may be the earlier one
// of the race that the execution before has had.
func (m *Machine) ToPlace(g *Goroutine) bool {
	mm := m.Memory.Races
	return m.Memory.Places && mm != nil && (mm.watch.on || mm.watch.placeless) && mm.watch.g == g.ID && mm.watch.time == g.view.time
}

// seen takes the stack of g if this is the access that is watched.
func (w *watched) seen(g *Goroutine, time int32, pc uintptr) {
	if w.on && w.g == g.ID && w.time == time && w.pc == pc {
		w.stack = g.M.Exec.Stack(g)
	}
}

func NewMemoryModel(m *Machine) *memoryModel {
	return &memoryModel{m: m, clocks: vector.New()}
}

func (mm *memoryModel) reset() {
	for _, obj := range mm.bears {
		mm.at[obj] = snapshot{}
	}
	mm.bears = mm.bears[:0]
	mm.clocks.Cut(1)
	mm.snaps = mm.snaps[:0]
	mm.watch.stack = nil
}

// knows reports whether what goroutine h did at that time of its own comes before what
// g does now.
func (mm *memoryModel) knows(g *Goroutine, h trace.ID, time int32) bool {
	return h == g.ID || mm.clocks.At(g.view.clock, int32(h)) > time
}

// publish returns what g knows now.
func (mm *memoryModel) publish(g *Goroutine) snapshot {
	g.view.time++
	g.view.epoch = 0
	return snapshot{g.view.clock, g.ID, g.view.time}
}

// learn lets w know all that was known at a snapshot.
func (mm *memoryModel) learn(w *Goroutine, s snapshot) {
	if s.time == 0 || s.g == w.ID || mm.clocks.At(w.view.clock, int32(s.g)) >= s.time {
		return
	}
	mm.clocks.Mark(int32(w.ID), w.view.time+1)
	if mm.clocks.At(s.clock, int32(w.ID)) >= w.view.since {
		w.view.clock = s.clock // all that w knows was known there
	} else {
		w.view.clock = mm.clocks.Join(w.view.clock, s.clock)
	}
	w.view.clock = mm.clocks.Set(w.view.clock, int32(s.g), s.time)
	w.view.since = w.view.time + 1
}

// event keeps what g knows at the event that it performs.
func (mm *memoryModel) event(g *Goroutine) {
	ev := int(mm.m.current())
	for len(mm.snaps) <= ev {
		mm.snaps = append(room.ForOne(mm.snaps), snapshot{})
	}
	mm.snaps[ev] = mm.publish(g)
}

// observe lets w know all that was known at event ev.
func (mm *memoryModel) observe(w *Goroutine, ev int32) { mm.learn(w, mm.snaps[ev]) }

// local lets w know all that g knows now.
func (mm *memoryModel) local(w, g *Goroutine) { mm.learn(w, mm.publish(g)) }

// release makes an object carry what g knows now.
func (mm *memoryModel) release(obj int32, g *Goroutine) {
	for len(mm.at) <= int(obj) {
		mm.at = append(room.ForOne(mm.at), snapshot{})
	}
	if mm.at[obj].time == 0 {
		mm.bears = append(mm.bears, obj)
	}
	mm.at[obj] = mm.publish(g)
}

// carried returns what an object carries.
func (mm *memoryModel) carried(obj int32) snapshot {
	if int(obj) < len(mm.at) {
		return mm.at[obj]
	}
	return snapshot{}
}

// acquire lets g know what an object carries.
func (mm *memoryModel) acquire(obj int32, g *Goroutine) { mm.learn(g, mm.carried(obj)) }

// merge adds what g knows now to a clock.
func (mm *memoryModel) merge(to vector.Clock, g *Goroutine) vector.Clock {
	s := mm.publish(g)
	mm.clocks.Mark(0, 0) // the clock belongs to no goroutine
	return mm.clocks.Set(mm.clocks.Join(to, s.clock), int32(s.g), s.time)
}

// knowsItself lets w know in its own clock what others may know of it, so that a clock with that
// tells it nothing new.
func (mm *memoryModel) knowsItself(w *Goroutine, k vector.Clock) {
	mm.clocks.Mark(int32(w.ID), w.view.time+1)
	if own := mm.clocks.At(k, int32(w.ID)); own > mm.clocks.At(w.view.clock, int32(w.ID)) {
		w.view.clock = mm.clocks.Set(w.view.clock, int32(w.ID), own)
		mm.clocks.Mark(int32(w.ID), w.view.time+1)
	}
}

// knowsAll reports whether w knows what a clock does that several have added to.
func (mm *memoryModel) knowsAll(w *Goroutine, k vector.Clock) bool {
	mm.knowsItself(w, k)
	return mm.clocks.Join(w.view.clock, k) == w.view.clock
}

// learnAll lets w know what a clock does that several have added to, and reports whether that is
// anything new.
func (mm *memoryModel) learnAll(w *Goroutine, from vector.Clock) (new bool) {
	mm.knowsItself(w, from)
	k := mm.clocks.Join(w.view.clock, from)
	if new = k != w.view.clock; new {
		w.view.clock, w.view.since = k, w.view.time+1
	}
	return new
}

// atomic is an atomic operation of g. It learns from the operation that it observes, and publishes
// if it has an effect.
func (mm *memoryModel) atomic(obj int32, g *Goroutine, reads, writes bool) {
	if reads {
		mm.acquire(obj, g)
	}
	if writes {
		mm.release(obj, g)
	}
}

// access is one plain access of a variable.
type access struct {
	g    trace.ID
	time int32
	pc   uintptr
	n    int // events of the execution before it
}

// history is what has to be known of a variable to find the next race on it.
type history struct {
	write access
	reads []access
}

func (h *history) reset() {
	h.write = access{g: -1}
	h.reads = h.reads[:0]
}

// check records an access of g, and fails the execution if it races with an
// earlier one.
func (mm *memoryModel) check(h *history, g *Goroutine, write bool, name string, pc uintptr) {
	now := access{g: g.ID, time: g.view.time, pc: pc, n: mm.m.Events.Count}
	mm.watch.seen(g, now.time, pc)
	ordered := func(a access) bool { return mm.orders(g, a.g, a.time) }
	kind := PlainRead
	if write {
		kind = PlainWrite
	}
	if h.write.g >= 0 && !ordered(h.write) {
		mm.race(name, h.write, PlainWrite, now, kind)
	}
	if !write {
		for i := range h.reads {
			if h.reads[i].g == g.ID {
				h.reads[i] = now
				return
			}
		}
		h.reads = append(h.reads, now)
		return
	}
	for _, r := range h.reads {
		if !ordered(r) {
			mm.race(name, r, PlainRead, now, PlainWrite)
			break
		}
	}
	h.write, h.reads = now, h.reads[:0]
}

// race fails the execution because access b races with the earlier access a.
func (mm *memoryModel) race(name string, a access, aDoes accessKind, b access, bDoes accessKind) {
	m := mm.m
	for _, f := range m.Failures {
		if f.Kind == trace.FailRace {
			return
		}
	}
	r := &trace.Race{Object: name, Later: m.racing(b, bDoes), Earlier: m.racing(a, aDoes)}
	if m.Memory.Places && a.pc == 0 {
		mm.watch = watched{access: a, placeless: true}
	}
	if a.pc != 0 {
		var early []uintptr
		if w := &mm.watch; w.on && w.g == a.g && w.time == a.time && w.pc == a.pc {
			early = w.stack
		}
		mm.watch = watched{access: a, on: true}
		r.Later.At, r.Later.Calls = PositionOf(b.pc), callChain(b.pc, m.Exec.Stack(m.Goroutines[b.g]))
		r.Earlier.At, r.Earlier.Calls = PositionOf(a.pc), callChain(a.pc, early)
	}
	m.Fail(trace.Failure{Kind: trace.FailRace, Msg: r.String(), Race: r}, m.Goroutines[b.g])
}

// racing returns an access as failures have it.
func (m *Machine) racing(a access, does accessKind) trace.RacingAccess {
	return trace.RacingAccess{G: a.g, Name: m.NameOf(m.Goroutines[a.g]), Kind: does.Operation(), Does: does.String()}
}

// callChain returns the calls that have led to the one at pc, which is the first of the stack if
// that is the right one.
func callChain(pc uintptr, stack []uintptr) (calls []trace.Position) {
	if len(stack) == 0 || stack[0] != pc {
		return nil
	}
	for _, pc := range stack[1:] {
		calls = append(calls, PositionOf(pc))
	}
	return calls
}
