package machine

import (
	"slices"

	"github.com/gopor/gopor/internal/asbytes"
	"github.com/gopor/gopor/sched/trace"
)

// This file has loops that await something. A turn that finds nothing leads back to where it began.
// So a goroutine that has made such a turn waits. It goes on in other executions, in which it has
// looked later. This is the assume statement of Jonsson, Lång and Sagonas (FMCAD 2022) and of
// Kokologiannakis, Marmanis and Vafeiadis (CAV 2023, section 1). What differs is what becomes of
// the goroutines that wait.
//
// A turn is pure if the goroutine has only looked, from one call of [Goroutine.AwaitAt] to another
// at the same place with the same values. It may have loaded, compared in vain, found a lock taken,
// or looked into a map or an empty pool. It may have found nothing in a select. It may have taken
// locks and released them again, if no TryLock could tell that. The caller of Await promises that
// the goroutine is then as it was at the first call. So is everything else, as far as the goroutine
// is concerned.
//
// Take a finite execution, and leave out all pure turns. What is left is an execution: nothing of
// it depends on what was left out. It comes to the same final state, and to the same failures. So
// nothing is lost if a search leaves out the executions in which a goroutine goes on after a pure
// turn. Whether a turn is pure follows from what happens before its end. So the executions of a
// trace agree on which goroutines wait, and no operation uses more than it does otherwise.
//
// When no other goroutine can go on, the goroutines that wait are asked whether they would still do
// the same. Each makes another turn, one after the other, after everything, in the order of their
// numbers. If one of them does something else, it had looked too early, and the execution is
// futile: without that look it is another one. If none does, they would go on like this for ever,
// and that is a livelock. CAV 2023 (Awamoche) takes the look back on the spot, and has no futile
// executions. Here there are as many of them as what is awaited has other states.
//
// In discrete time the clock does not move on while a goroutine can run. It moves on when all
// goroutines wait and those that await something have been asked. Otherwise a timeout would come
// before a look that is in time. A look before the clock moves cannot be made up for by a look
// after it. So a goroutine that awaits something goes on when the clock has moved, as does one that
// polls without saying so, see polling.go. By lag the clock also moves on early, see lagclock.go,
// and no goroutine awaits anything.
//
// It is for searches that explore all orders. Within a bound, and of a part that is explored in
// one order only, the execution may be left out that looks later.

// turns is what a goroutine has done since it has last done more than look.
type turns struct {
	heads  []head // the calls of AwaitAt since then
	held   []hold // the locks that it has taken since then
	waits  bool   // its latest turn was pure
	rounds int32  // pure turns in a row that it has made because it was asked
	since  int32  // how many events the goroutine had performed before the first of these
}

// head is a call of AwaitAt.
type head struct {
	place  uintptr
	loop   int32 // the number of this loop among those that the goroutine has begun, 0 if unknown
	values string
	seq    int32 // how many events the goroutine had performed
}

// like reports whether both are of one loop, and with the same values.
func (h *head) like(k *head) bool {
	return h.place == k.place && h.loop == k.loop && h.values == k.values
}

// hold is a lock that was taken.
type hold struct {
	o      Object
	shared bool
	tries  int32 // how many TryLocks had come before
}

const (
	// mostHeads is how many calls of AwaitAt are kept. A turn is as long as there are loops
	// within one another; of a loop that counts each has another state.
	mostHeads = 64
	// mostRounds is how many turns each waiting goroutine makes in the end. One turn shows that it
	// will make no other. The rest show the reader of a report that the goroutines repeat.
	mostRounds = 10
)

// AwaitAt says that a turn of a loop begins at place, and returns when g is to go on. What g does
// from here on depends on values, as [sched.Loop] has it, and on nothing else that g has done.
func (g *Goroutine) AwaitAt(place uintptr, values []any) {
	g.awaitAt(head{place: place, seq: g.seq}, values)
}

func (g *Goroutine) awaitAt(h head, values []any) {
	m, t := g.M, &g.loops().turns
	g.turnsAt(&h, values)
	if !m.Awaits || m.Keys != nil || m.Time == TimeLag || m.apart(g) {
		return
	}
	m.Polling.Loops, m.Polling.looping = true, true
	m.hearsAgain(g)
	if len(t.held) > 0 {
		g.acts()
	}
	if len(values) > 0 {
		var b []byte
		for _, v := range values {
			var plain bool
			if b, plain = asbytes.Append(b, v); !plain {
				return
			}
		}
		h.values = string(b)
	}
	for _, was := range t.heads {
		if was.like(&h) {
			if was.seq < h.seq {
				m.awaits(g, h, was.seq)
			}
			return
		}
	}
	if len(t.heads) == mostHeads {
		t.heads = append(t.heads[:0], t.heads[1:]...)
	}
	t.heads = append(t.heads, h)
}

// TurnAt says that a turn begins of the loop at place of rewritten code, as AwaitAt does. The first
// turn of a loop has number 0, and TurnAt returns the number for the turns that follow. The number
// tells a loop that goes on from one that g has begun anew: after it has left the loop, or by a
// call from within. Where states are told apart, g forgets the turns before, and is not taken for a
// goroutine that polls.
func (g *Goroutine) TurnAt(place uintptr, values []any, loop int32) int32 {
	m, first := g.M, loop == 0
	g.loops()
	if first {
		m.Polling.Loops = true
		g.loop.number++
		loop = g.loop.number
		g.loop.turns.heads = slices.DeleteFunc(g.loop.turns.heads, func(h head) bool { return h.place == place })
	}
	if !m.Keyed {
		g.awaitAt(head{place: place, loop: loop, seq: g.seq}, values)
		return loop
	}
	m.hearsAgain(g)
	g.loop.head, g.loop.began = g.seq+1, g.begins(values)
	if g.loop.round || first {
		g.loop.turn, g.loop.poll = g.seq, poll{}
		g.forgetNaps()
	}
	g.loop.round = true
	if m.Keys != nil {
		m.Keys.turn(g, round{place: place, loop: loop}, values)
	}
	return loop
}

// begins returns a number for what a turn begins with.
func (g *Goroutine) begins(values []any) uint64 {
	if len(values) == 0 {
		return 0
	}
	b := make([]byte, 0, 64)
	for _, v := range values {
		var plain bool
		if b, plain = asbytes.Append(b, v); !plain {
			return uint64(g.seq) // no turn is like another
		}
	}
	return trace.HashKey(b)[0]
}

// hearsAgain has g's accesses of memory in this turn told, even those that are like earlier ones.
func (m *Machine) hearsAgain(g *Goroutine) {
	if m.Memory.Races != nil {
		m.Memory.Races.publish(g)
	}
}

// awaits lets g wait, which has made a pure turn up to h, after so many events.
func (m *Machine) awaits(g *Goroutine, h head, since int32) {
	t := &g.loop.turns
	if m.Polling.Asked == g && !t.heads[0].like(&h) {
		m.Polling.Futile = true // it goes round in another way than it did
	}
	t.heads, t.waits = append(t.heads[:0], h), true
	if m.Polling.Asked == g {
		m.Polling.Asked = nil
		t.rounds++
	} else {
		t.rounds, t.since = 0, since
	}
	g.State = StateWaiting
	m.Polling.Awaiting = append(m.Polling.Awaiting, g)
	m.Exec.Park(g)
}

// goesOn lets g, which waits after a pure turn, make another one because of the present event.
func (m *Machine) goesOn(g *Goroutine) {
	g.loop.turns.waits = false
	m.resume(g, m.current())
}

// acts notes that g does more than look.
func (g *Goroutine) acts() {
	if g.M.Polling.Asked == g {
		g.M.Polling.Futile = true
	}
	g.loop.turns.heads, g.loop.turns.held = g.loop.turns.heads[:0], g.loop.turns.held[:0]
}

// Acts is acts for what g does without an event.
func (g *Goroutine) Acts() {
	if g.M.repeats.looks {
		g.M.isNew()
	}
	if g.M.Polling.looping && len(g.loop.turns.heads) > 0 {
		g.acts()
	}
	if g.loop.round {
		g.loop.round = false
	}
	if g.M.Keys != nil {
		g.M.Keys.acts(g)
	}
}

// watchTurn looks at the event of g, which is in a loop. The executions in which g has looked later
// have to be explored, so a look is no business of a library alone.
func (m *Machine) watchTurn(g *Goroutine) {
	if g.onlyLooks() {
		m.Events.Latest.Within = 0
	} else {
		g.acts()
	}
}

// onlyLooks reports whether g's event leaves everything as it was, in the end.
func (g *Goroutine) onlyLooks() bool {
	if g.Op.Alts > 1 || g.Reply.Fault != "" {
		return false
	}
	switch g.Op.Kind {
	case trace.OpLock, trace.OpRLock:
		return g.loop.turns.takes(g.Req.Obj, g.Op.Kind == trace.OpRLock)
	case trace.OpTryLock, trace.OpTryRLock:
		return !g.Reply.Ok || g.loop.turns.takes(g.Req.Obj, g.Op.Kind == trace.OpTryRLock)
	case trace.OpUnlock, trace.OpRUnlock:
		return g.loop.turns.releases(g.Req.Obj, g.Op.Kind == trace.OpRUnlock)
	case trace.OpLoad, trace.OpRead, trace.OpLen, trace.OpCtxErr, trace.OpYield:
		return true
	case trace.OpCAS:
		return !g.Reply.Ok
	case trace.OpMap, trace.OpPool:
		return g.finding().only
	case trace.OpSelect:
		return g.findsNothing()
	case trace.OpRecv:
		return g.findsClosed()
	}
	return false
}

// takes notes that a lock was asked for, and will be granted.
func (t *turns) takes(o Object, shared bool) bool {
	t.held = append(t.held, hold{o, shared, triesOf(o)})
	return true
}

// releases reports whether the lock was taken in the turn, and no TryLock has come since.
func (t *turns) releases(o Object, shared bool) bool {
	for i, h := range t.held {
		if h.o == o && h.shared == shared {
			t.held = append(t.held[:i], t.held[i+1:]...)
			return h.tries == triesOf(o)
		}
	}
	return false
}

func triesOf(o Object) int32 {
	switch o := o.(type) {
	case *MutexState:
		return o.tries
	case *RwState:
		return o.tries
	}
	return 0
}

// mayAsk reports whether a goroutine that awaits something is to be asked, now that no other can go
// on. The argument moves says whether the clock can move on.
func (m *Machine) mayAsk(moves bool) bool {
	most := int32(mostRounds)
	if moves {
		most = 1
	}
	return len(m.Polling.Awaiting) > 0 && !m.Polling.Futile && m.Polling.Awaiting[m.nextToAsk()].loop.turns.rounds < most
}

// nextToAsk returns the index in Awaiting of the goroutine with the fewest turns, of several that
// with the lowest number: since when they wait is not the same in all executions of a trace.
func (m *Machine) nextToAsk() (next int) {
	for i, g := range m.Polling.Awaiting {
		if n := m.Polling.Awaiting[next]; g.loop.turns.rounds < n.loop.turns.rounds || g.loop.turns.rounds == n.loop.turns.rounds && g.ID < n.ID {
			next = i
		}
	}
	return next
}

// ask lets one of the awaiting goroutines make another turn.
func (m *Machine) ask() {
	i := m.nextToAsk()
	g := m.Polling.Awaiting[i]
	m.Polling.Awaiting = append(m.Polling.Awaiting[:i], m.Polling.Awaiting[i+1:]...)
	m.Polling.Asked, m.Polling.asks = g, false
	m.goesOn(g)
}

// wakeAwaiting lets all goroutines go on that await something, since the clock has moved on.
func (m *Machine) wakeAwaiting() {
	for _, g := range m.Polling.Awaiting {
		m.goesOn(g)
	}
	m.Polling.Awaiting = m.Polling.Awaiting[:0]
}

// LooksSince returns how many events g, which awaits something, performed before its pure turns.
func (g *Goroutine) LooksSince() int32 { return g.loop.turns.since }

// Awaiting returns the goroutines that make the same turns of a loop for ever, now that no other
// can go on.
func (m *Machine) Awaiting() []*Goroutine {
	if m.Polling.Futile {
		return nil
	}
	return m.Polling.Awaiting
}
