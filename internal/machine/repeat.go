package machine

import (
	"slices"

	"github.com/gopor/gopor/internal/asbytes"
	"github.com/gopor/gopor/sched/trace"
)

// This file finds out that nothing but ticking is left. A goroutine that serves a ticker, or sleeps
// in a loop, goes on for ever. If all others wait, and what it does changes nothing, they wait for
// ever, so the execution hangs. To go on to the limit of time would take a step for every tick.
//
// This is claimed only if it is certain. From some event on the following has to hold:
//
//   - Every event leaves everything as it was, such as to receive a tick and drop it, to sleep, to
//     look, to lock and unlock.
//   - Nothing is written without an event, no goroutine is started, and none asks for the time.
//   - There was no choice in any event.
//   - Each goroutine that has moved is in a loop that says where its turns begin, and with what
//     (see [Goroutine.TurnAt]). Its turns have begun with the same values and have done the same.
//   - Everything that the clock will move on to, within the limit of time, belongs to one of these
//     goroutines, or to a ticker that has ticked meanwhile.
//
// Then each turn follows from the one before in the same way, for ever. A loop that counts its
// turns has other values in each, so it goes on to the limit of time. By lag the clock's events do
// not come after all others, and may not tell what these have done: there an execution goes on to
// the limit as well.

const (
	// fewMoves is how often the clock has to move before the events are looked at. It doubles if
	// that comes to nothing, so looking takes a small part of the time.
	fewMoves = 32
	// sameTurns is how many turns in a row a goroutine has to make that are like each other.
	sameTurns = 3
)

// repeats says how far it is known that nothing but ticking is left.
type repeats struct {
	looks  bool  // at events
	stuck  bool  // nothing but ticking is left
	moves  int32 // of the clock, since something new was done
	needed int32 // moves before events are looked at
	epoch  int32 // how often that has begun
}

// repetition is what a goroutine has done while events are looked at.
type repetition struct {
	epoch  int32  // for which the rest holds
	turns  bool   // a turn has begun
	same   int32  // turns in a row that were like the one before
	head   uint64 // what the turn is of, and has begun with, as a number
	sum    uint64 // for what was done in this turn
	before uint64 // for what was done in the turn before
	told   bool   // the outcome of the latest event is a part of sum
	kind   trace.Kind
}

// neutral has the kinds of events that leave everything as it was, perhaps after others of the same
// turn.
const neutral uint64 = requests | 1<<trace.OpUnlock | 1<<trace.OpRUnlock | 1<<trace.OpLoad | 1<<trace.OpRead |
	1<<trace.OpLen | 1<<trace.OpYield | 1<<trace.OpSleep | 1<<trace.OpRecv | 1<<trace.OpSelect | 1<<trace.OpCtxErr

// repeating returns what g has done since events are looked at.
func (g *Goroutine) repeating() *repetition {
	if r := &g.loops().repetition; r.epoch != g.M.repeats.epoch {
		*r = repetition{epoch: g.M.repeats.epoch, told: true}
	}
	return &g.loop.repetition
}

// isNew notes that something was done that may change what comes.
func (m *Machine) isNew() {
	w := &m.repeats
	if w.looks {
		w.looks, w.needed = false, min(2*w.needed, 1<<20)
	}
	w.moves = 0
}

// looksAtRepeats looks at the event that g is about to perform. Timers tick, and the clock moves
// on.
func (m *Machine) looksAtRepeats(g *Goroutine) {
	switch r := g.repeating(); {
	case g == m.Clock.G:
	case g.Pseudo:
		if t, ok := g.Req.Obj.(*TimerState); !ok || !t.onlyTicks() {
			m.isNew()
		}
		r.turns = true
	case neutral>>g.Op.Kind&1 == 0 || g.Op.Alts > 1 || !g.dropsTicks():
		m.isNew()
	default:
		r.tell(g)
		r.told, r.kind = false, g.Op.Kind
		r.add(uint64(g.Op.Kind))
		r.add(uint64(uint32(g.Op.Obj)))
		r.add(g.Req.Arg)
	}
}

// onlyTicks reports whether t is a ticker that sends, and does nothing else.
func (t *TimerState) onlyTicks() bool { return t.Period > 0 && t.Ch != nil && t.Ctx == nil }

// dropsTicks reports whether g's request, if it is to receive, is to receive ticks of which it
// keeps no time.
func (g *Goroutine) dropsTicks() bool {
	ticks := func(c *ChanState, which int) bool { return c.timer != nil && c.timer.onlyTicks() && g.drops(which) }
	switch g.Op.Kind {
	case trace.OpRecv:
		c, ok := g.Req.Obj.(*ChanState)
		return ok && ticks(c, 0)
	case trace.OpSelect:
		for i := range g.Req.Cases {
			// Nothing comes of another channel as long as nothing new is done.
			if k := &g.Req.Cases[i]; k.Ch != nil && (k.Send || k.Ch.timer != nil && !ticks(k.Ch, i)) {
				return false
			}
		}
	}
	return true
}

// tell adds what has come of g's latest event to what was done in its turn.
func (r *repetition) tell(g *Goroutine) {
	if r.told {
		return
	}
	r.told = true
	switch r.kind {
	case trace.OpLoad, trace.OpRead, trace.OpLen, trace.OpCtxErr:
		r.add(uint64(g.Reply.Val))
	case trace.OpSelect:
		r.add(uint64(g.Reply.Chosen))
		if int(g.Reply.Chosen) < len(g.Req.Cases) && g.Req.Cases[g.Reply.Chosen].Ch.timer == nil {
			g.M.isNew() // the channel was closed, or a goroutine has sent
		}
	}
}

func (r *repetition) add(x uint64) { r.sum = (r.sum ^ x) * prime }

// turnsAt notes that g begins a turn of the loop at h.
func (g *Goroutine) turnsAt(h *head, values []any) {
	m := g.M
	if !m.repeats.looks {
		return
	}
	b := asbytes.Number(asbytes.Number(make([]byte, 0, 64), int64(h.place)), int64(h.loop))
	for _, v := range values {
		var plain bool
		if b, plain = asbytes.Append(b, v); !plain {
			m.isNew()
			return
		}
	}
	r, begins := g.repeating(), trace.HashKey(b)[0]
	r.tell(g)
	if r.turns && begins == r.head && r.sum == r.before {
		r.same++
	} else {
		r.same = 0
	}
	r.turns, r.head, r.before, r.sum = true, begins, r.sum, 0
}

// repeatsForEver reports whether nothing but ticking is left, now that the clock is to move on: it
// is called once for every such move.
func (m *Machine) repeatsForEver() bool {
	w := &m.repeats
	if m.MaxClock == 0 || m.Keyed || m.Time != TimeDiscrete || m.Goroutines[MainID].State == StateEnded || len(m.Polling.pollers)+len(m.Polling.Awaiting) > 0 {
		return false
	}
	if w.moves++; !w.looks {
		if w.moves >= max(w.needed, fewMoves) {
			w.looks, w.needed = true, max(w.needed, fewMoves)
			w.epoch++
		}
		return false
	}
	return !slices.ContainsFunc(m.Goroutines, func(g *Goroutine) bool { return !m.isRepeating(g) }) && m.isAllRepeating()
}

// isRepeating reports whether g has done nothing, or the same in every turn.
func (m *Machine) isRepeating(g *Goroutine) bool {
	if g.Pseudo || g.State != StateWaiting || g.loop.repetition.epoch != m.repeats.epoch {
		return true
	}
	return g.loop.repetition.turns && g.loop.repetition.same >= sameTurns
}

// isAllRepeating reports whether the clock moves on only to what has come already.
func (m *Machine) isAllRepeating() bool {
	for i := range m.Clock.deadlines {
		d := &m.Clock.deadlines[i]
		if d.stopped || !m.counts(d) {
			continue
		}
		g := d.g
		if d.t != nil {
			g = d.t.g
		}
		if g.loop.repetition.epoch != m.repeats.epoch || !g.loop.repetition.turns {
			return false
		}
	}
	return true
}

// Repeats reports whether the execution has ended since nothing but ticking was left.
func (m *Machine) Repeats() bool { return m.repeats.stuck }
