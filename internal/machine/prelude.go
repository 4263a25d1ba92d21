package machine

import "github.com/gopor/gopor/sched/trace"

// This file is about what main does before it starts a goroutine. That comes before all that others
// will do, so no order of it can be another one, and the steps of an execution need not have it.
// Coarser.Prelude is how many of these operations are steps all the same: a reader of a report
// expects them. Those after them count as a part of main's latest event.

// mostPrelude times LockPolls is how many operations of an execution are no steps. A loop without
// end comes to the limit of steps, and shows what it repeats, after that.
const mostPrelude = 10

// preludes has the kinds of operations that may be no steps.
const preludes uint64 = locks | 1<<trace.OpTryLock | 1<<trace.OpTryRLock | 1<<trace.OpMap | 1<<trace.OpPool | 1<<trace.OpLoad | 1<<trace.OpStore |
	1<<trace.OpAdd | 1<<trace.OpSwap | 1<<trace.OpCAS | 1<<trace.OpAnd | 1<<trace.OpOr

// Precedes performs the request of g, which is Alone, if it need not be a step. It reports whether
// it has.
func (g *Goroutine) Precedes() bool {
	m := g.M
	// The latest event is one of the clock where that has just moved on.
	if m.Prelude == 0 || m.Events.Count < m.Prelude || g.last != m.current() || preludes>>(g.Op.Kind&63)&1 == 0 ||
		m.Polls <= longestLoop || m.Events.unnoted/mostPrelude >= int(m.LockPolls) || m.Keys != nil || len(m.nodes) > 0 || m.Model&^ModelLock != 0 || m.repeats.looks || m.Polling.rounds > 0 ||
		m.Polling.looping && len(g.loop.turns.heads) > 0 || !g.mayGoOn() {
		return false
	}
	p := &g.loop.poll
	if p.run >= m.Polls-longestLoop {
		if g.seq-p.looked < p.period {
			return false // what polls has to wait
		}
		p.run = 0 // a loop that only locks ends of itself, as far as is known
	}
	m.Events.unnoted++
	g.Op.Obj, g.Op.Alts = g.Req.Obj.Head().ID, 1
	g.seq++
	before := len(g.order)
	g.Req.Obj.perform(m, g, 0)
	g.order = g.order[:before] // which has only g's events, or none
	if m.Polling.Finding {
		g.loops().found = g.finding()
	}
	if g.seq > m.Polls {
		m.watchPoll(g)
	}
	return true
}

// mayGoOn reports whether g's request, one of preludes, is granted at once, and is no mistake.
func (g *Goroutine) mayGoOn() bool {
	kind := g.Op.Kind
	switch o := g.Req.Obj.(type) {
	case *MutexState:
		return o.Owner < 0 == (kind != trace.OpUnlock)
	case *RwState:
		switch kind {
		case trace.OpUnlock:
			return o.Writer == g.ID
		case trace.OpRUnlock:
			return o.holds(g) >= 0
		case trace.OpRLock, trace.OpTryRLock:
			return o.Writer < 0
		}
		return o.free()
	case *KeyState, *PoolState:
		return true
	case *cell, *Block:
		return kind >= trace.OpLoad && requests>>(kind&63)&1 == 0
	}
	return false
}
