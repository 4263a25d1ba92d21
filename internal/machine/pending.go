package machine

import (
	"github.com/gopor/gopor/internal/oplist"
	"github.com/gopor/gopor/sched/trace"
)

// pendingSet is which goroutines are ready, and what has changed of that. What takes time in
// proportion to changes, and not to goroutines, depends on it.
type pendingSet struct {
	ops []*trace.Op // of the goroutines that were ready when Ready was last called, by ID
	// Those that may be ready or not otherwise than then, and those that are not static.
	altered   []*Goroutine
	changed   []*trace.Op  // what [Machine.Changed] returns
	changedAt int          // the number of events for which changed holds, -1 for none
	alone     [1]*trace.Op // the clock's, where no goroutine is ready
	used      oplist.Used  // what events have used since Ready was last called
	yielding  []*Goroutine // wait until the others have moved
}

// Pending returns the operations that can be performed, as [trace.Run.Pending] does. It takes time
// in proportion to what has changed since the last call, and to the operations with accesses that
// depend on the state.
func (m *Machine) Pending() []*trace.Op {
	if m.Time == TimeLag {
		m.offerMove()
	}
	if len(m.Ready()) > 0 {
		return m.pending.ops
	}
	moves := m.Time == TimeDiscrete && (m.clockUseful() || m.onlyPolls())
	if m.Polling.asks = m.mayAsk(moves); m.Polling.asks || moves {
		return m.onlyClock()
	}
	return m.pending.ops
}

// Ready is Pending without the operations that can be performed only if there are no others.
func (m *Machine) Ready() []*trace.Op {
	p := &m.pending
	if p.changedAt != m.Events.Count {
		p.changed, p.changedAt = p.changed[:0], m.Events.Count
	}
	altered, left := p.altered, 0
	for i, g := range altered {
		if g.State != stateReady {
			g.altered = false
			if g.listed {
				g.listed, p.ops = false, oplist.Remove(p.ops, g.ID)
			}
			continue
		}
		if !g.listed {
			g.listed, p.ops = true, oplist.Insert(p.ops, &g.Op)
		} else if m.isAsBefore(g) {
			altered[left] = g
			left++
			continue
		}
		if !g.static {
			m.describe(g)
		}
		p.changed = append(p.changed, &g.Op)
		if g.altered = !g.static; g.altered {
			if left != i {
				altered[left] = g
			}
			left++
		}
	}
	p.altered, p.used = altered[:left], oplist.Used{}
	return p.ops
}

// isAsBefore reports whether g's operation is as it was when Ready was last called: a select or a
// compare-and-swap of a cell that was pending and described, and no event since depends on it.
// A compare-and-swap of the program's own memory may have changed by what is no event.
func (m *Machine) isAsBefore(g *Goroutine) bool {
	switch g.Op.Kind {
	case trace.OpSelect:
		if !m.pending.used.KnownApart(&g.Op) {
			return false
		}
	case trace.OpCAS:
		if _, ok := g.Req.Obj.(*cell); !ok || !m.pending.used.KnownLacks(&g.Op) {
			return false
		}
	default:
		return false
	}
	return len(m.nodes) == 0 && (g.seq < m.Polls || !g.mayPoll())
}

// onlyClock returns the next move of the clock, where no goroutine is ready.
func (m *Machine) onlyClock() []*trace.Op {
	m.prepareClock()
	m.pending.alone[0] = &m.Clock.G.Op
	m.pending.changed = append(m.pending.changed, m.pending.alone[0])
	return m.pending.alone[:]
}

// Changed returns those of the operations that Pending has returned that may be others than
// in the state before, if it was called there. It may name an operation twice.
func (m *Machine) Changed() []*trace.Op { return m.pending.changed }

// alter notes that g may have become ready, or be ready no longer.
func (p *pendingSet) alter(g *Goroutine) {
	if !g.altered {
		g.altered = true
		p.altered = append(p.altered, g)
	}
}

// reset empties the set for the next execution.
func (p *pendingSet) reset() {
	p.ops, p.altered, p.yielding, p.changed, p.changedAt = p.ops[:0], p.altered[:0], p.yielding[:0], p.changed[:0], -1
	p.used = oplist.Used{}
}
