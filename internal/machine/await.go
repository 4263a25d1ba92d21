package machine

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// This file has loops that await something. A turn of one that finds nothing leads back to
// where it began, so a goroutine that has made one waits, and goes on in other executions,
// in which it has looked later. This is the assume statement of Jonsson, Lång and Sagonas
// (FMCAD 2022) and of Kokologiannakis, Marmanis and Vafeiadis (CAV 2023, section 1), but for
// what becomes of those who wait.
//
// A turn is pure if, from one call of [Goroutine.AwaitAt] to another at the same place with the
// same values, the goroutine has only looked: it has loaded, has compared in vain, has found a lock
// taken, has looked into a map or an empty pool, has found nothing in a select, or has taken locks
// which it has released again, while nobody could tell that from TryLock. By the promise of who
// calls Await it is then as it was at the first call, and so is everything else, as far as it is
// concerned.
//
// Take a finite execution, and leave out all pure turns. What is left is an execution: nothing
// of it depends on what was left out. It comes to the same final state, and to the same
// failures. So nothing is lost if those executions are left out in which somebody goes on after
// a pure turn. Whether a turn is pure follows from what happens before its end, so the
// executions of a trace agree on who waits, and no operation uses more than it does otherwise.
//
// When nobody else can go on, those who wait are asked whether they would still do the same: each
// makes another turn, one after the other, after everything, in the order of their numbers. If one
// of them does something else it had looked too early, and the execution is futile: without that
// look it is another one. If nobody does they would go on like this for ever, and that is a
// livelock. In CAV 2023 (Awamoche) the look is taken back on the spot instead, which spares the
// futile executions: as many as there are states of what is awaited that it is not.
//
// In discrete time nobody waits for the clock who could run. So it moves on when all wait, and
// those who await something have been asked, or a timeout would come before a look that is in time.
// A look before that cannot be made up for by one after it: whoever awaits something goes on then,
// as do those who poll without saying so, see polling.go. By lag time moves on for both reasons,
// and nobody awaits anything.
//
// It is for searches that explore all orders. Within a bound, and of a part that is explored in
// one order only, the execution may be left out that looks later.

// turns is what a goroutine has done since it has last done more than look.
type turns struct {
	heads  []head // the calls of AwaitAt since then
	held   []hold // the locks that it has taken since then
	waits  bool   // its latest turn was pure
	rounds int32  // pure turns that it has made since nobody else could go on
}

// head is a call of AwaitAt.
type head struct {
	place  uintptr
	loop   int32 // which time it is that the goroutine has begun such a loop, 0 where that is not known
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
	tries  int32 // how often somebody had tried to take it
}

const (
	// mostHeads is how many calls of AwaitAt are kept. A turn is as long as there are loops
	// within one another; of a loop that counts each has another state.
	mostHeads = 64
	// mostRounds is how many turns each of those who wait makes in the end. One is enough to know
	// that it will make no other; who reads of it is to see them repeat.
	mostRounds = 10
)

// AwaitAt says that a turn of a loop begins at place, and that what g does from here on depends
// on nothing that it has done but on values, as [sched.Loop] has it. It returns when g is to go on.
func (g *Goroutine) AwaitAt(place uintptr, values []any) {
	g.awaitAt(head{place: place, seq: g.seq}, values)
}

func (g *Goroutine) awaitAt(h head, values []any) {
	m, t := g.M, &g.turns
	g.turnsAt(&h, values)
	if !m.Awaits || m.Keys != nil || m.Time == TimeLag || m.apart(g) {
		return
	}
	m.Loops, m.looping = true, true
	m.hearsAgain(g)
	if len(t.held) > 0 {
		g.acts()
	}
	if len(values) > 0 {
		var b []byte
		for _, v := range values {
			var plain bool
			if b, plain = appendPlain(b, v); !plain {
				return
			}
		}
		h.values = string(b)
	}
	for _, was := range t.heads {
		if was.like(&h) {
			if was.seq < h.seq {
				m.awaits(g, h)
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
// one of a loop has number 0, and TurnAt returns the one for those that follow: it tells whoever
// has begun the loop from who has left it and comes again, or has come to the place by a call from
// within. Where states are told apart g forgets the turns before, and is not taken for one that
// polls.
func (g *Goroutine) TurnAt(place uintptr, values []any, loop int32) int32 {
	m, first := g.M, loop == 0
	if first {
		m.Loops = true
		g.loops++
		loop = g.loops
		g.turns.heads = slices.DeleteFunc(g.turns.heads, func(h head) bool { return h.place == place })
	}
	if !m.Keyed {
		g.awaitAt(head{place: place, loop: loop, seq: g.seq}, values)
		return loop
	}
	m.hearsAgain(g)
	g.head, g.began = g.seq+1, g.begins(values)
	if g.round || first {
		g.turn, g.poll, g.naps = g.seq, poll{asked: g.poll.asked}, 0
	}
	g.round = true
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
		if b, plain = appendPlain(b, v); !plain {
			return uint64(g.seq) // no turn is like another
		}
	}
	return trace.HashKey(b)[0]
}

// hearsAgain has g's accesses of memory in this turn told, although some may be like those before
// it.
func (m *Machine) hearsAgain(g *Goroutine) {
	if m.Mm != nil {
		m.Mm.publish(g)
	}
}

// awaits lets g wait, which has made a pure turn up to h.
func (m *Machine) awaits(g *Goroutine, h head) {
	t := &g.turns
	if m.asked == g && !t.heads[0].like(&h) {
		m.Futile = true // it goes round in another way than it did
	}
	t.heads, t.waits = append(t.heads[:0], h), true
	if m.asked == g {
		m.asked = nil
		t.rounds++
	} else {
		t.rounds = 0
	}
	g.State = StateWaiting
	m.awaiting = append(m.awaiting, g)
	m.Ex.Park(g)
}

// goesOn lets g, which waits after a pure turn, make another one because of the present event.
func (m *Machine) goesOn(g *Goroutine) {
	g.turns.waits = false
	m.resume(g, m.current())
}

// acts notes that g does more than look.
func (g *Goroutine) acts() {
	if g.M.asked == g {
		g.M.Futile = true
	}
	g.turns.heads, g.turns.held = g.turns.heads[:0], g.turns.held[:0]
}

// Acts is acts for what is no event.
func (g *Goroutine) Acts() {
	if g.M.repeats.looks {
		g.M.isNew()
	}
	if g.M.looping && len(g.turns.heads) > 0 {
		g.acts()
	}
	if g.round = false; g.M.Keys != nil {
		g.M.Keys.acts(g)
	}
}

// watchTurn looks at the event of g, which is in a loop.
func (m *Machine) watchTurn(g *Goroutine) {
	if !g.onlyLooks() {
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
		return g.turns.takes(g.Req.Obj, g.Op.Kind == trace.OpRLock)
	case trace.OpTryLock, trace.OpTryRLock:
		return !g.Reply.Ok || g.turns.takes(g.Req.Obj, g.Op.Kind == trace.OpTryRLock)
	case trace.OpUnlock, trace.OpRUnlock:
		return g.turns.releases(g.Req.Obj, g.Op.Kind == trace.OpRUnlock)
	case trace.OpLoad, trace.OpRead, trace.OpLen, trace.OpCtxErr, trace.OpYield:
		return true
	case trace.OpCAS:
		return !g.Reply.Ok
	case trace.OpMap, trace.OpPool:
		return g.finding().only
	case trace.OpSelect:
		return g.findsNothing()
	}
	return false
}

// takes notes that a lock was asked for, and will be granted.
func (t *turns) takes(o Object, shared bool) bool {
	t.held = append(t.held, hold{o, shared, triesOf(o)})
	return true
}

// releases reports whether a lock was taken in the turn that is released, and nobody has tried
// to take it in between.
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

// mayAsk reports whether somebody who awaits something is to be asked, now that nobody else can
// go on, and whether the clock can move on.
func (m *Machine) mayAsk(moves bool) bool {
	most := int32(mostRounds)
	if moves {
		most = 1
	}
	return len(m.awaiting) > 0 && !m.Futile && m.awaiting[m.nextToAsk()].turns.rounds < most
}

// nextToAsk returns the place of the one among those who wait who has made the fewest turns, the
// first by number of several: since when they wait is not the same in all executions of a trace.
func (m *Machine) nextToAsk() (next int) {
	for i, g := range m.awaiting {
		if n := m.awaiting[next]; g.turns.rounds < n.turns.rounds || g.turns.rounds == n.turns.rounds && g.Id < n.Id {
			next = i
		}
	}
	return next
}

// ask lets one who waits make another turn.
func (m *Machine) ask() {
	i := m.nextToAsk()
	g := m.awaiting[i]
	m.awaiting = append(m.awaiting[:i], m.awaiting[i+1:]...)
	m.asked, m.asks = g, false
	m.goesOn(g)
}

// wakeAwaiting lets all go on who await something, since the clock has moved on.
func (m *Machine) wakeAwaiting() {
	for _, g := range m.awaiting {
		m.goesOn(g)
	}
	m.awaiting = m.awaiting[:0]
}

// Awaiting returns who makes the same turns of a loop for ever, now that nobody can go on.
func (m *Machine) Awaiting() []*Goroutine {
	if m.Futile {
		return nil
	}
	return m.awaiting
}
