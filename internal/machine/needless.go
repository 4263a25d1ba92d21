package machine

import "github.com/gopor/gopor/sched/trace"

// This file finds waits that are needless. A select that finds nothing ready waits, and another
// operation completes it. In another execution that operation comes first, and the select right
// after it finds one case ready and takes that. Nothing else tells the two apart. So a search need
// not reverse a race between the two: [trace.Needless] says so. The same holds for a receive
// that waits, on a channel at which something has looked. Receives on other channels do not depend
// on sends at all. docs/design/waits.md has the reasons.

// tellsNeedless reports whether engines are told: not if goroutines are alike, or faults come.
func (m *Machine) tellsNeedless() bool {
	return m.Needless && m.Time == TimeDiscrete && !m.Alike && !m.Symmetric && m.Faults.Kinds == 0 && len(m.Faults.Plan) == 0
}

// isNeedless notes that the race of the present event, which uses c, with that of by is needless.
func (m *Machine) isNeedless(c *ChanState, by message) {
	if !by.plain || by.ev < 0 || !m.Events.Described || !m.tellsNeedless() {
		return
	}
	m.Events.Latest.Needless, m.Events.Needless = &m.Events.needless, true
	if m.Events.needless = (trace.Needless{For: by.ev, Obj: c.ID}); c.Signal {
		m.Events.needless.Obj = -1
	}
}

// idle returns what [trace.Op.Idle] is of g's operation, which sends or does not, and is ready or
// waits. Where two wait for each other the one that sends is to be first.
func (g *Goroutine) idle(ready, sends bool) (n uint8) {
	if !ready && g.M.tellsNeedless() {
		if n = 2; sends {
			n = 1
		}
	}
	return n
}

// finds notes that g finds case k of its select ready, and no other case. Without the event that
// has made it ready g would wait, if all other cases are of channels that are only closed.
func (g *Goroutine) finds(k *SelectCase) {
	if g.Req.Arg != 1 && !g.apart && g.plainly(k.Ch) {
		g.M.isNeedless(k.Ch, k.source())
	}
}

// plainly reports whether g performs an operation that has no choice but c, and channels that are
// only closed.
func (g *Goroutine) plainly(c *ChanState) bool {
	if g.Op.Kind != trace.OpSelect {
		return true
	}
	n := 0
	for i := range g.Req.Cases {
		switch ch := g.Req.Cases[i].Ch; {
		case ch == c:
			n++
		case ch != nil && !ch.Signal:
			return false
		}
	}
	return n == 1
}

// look notes that event ev looks at c.
func (c *ChanState) look(ev int32) {
	if !c.looked {
		c.looked, c.lookedAt = true, ev
	}
}

// source returns the event that has made case k ready. It is not plain if that is not known.
func (k *SelectCase) source() message {
	c := k.Ch
	switch {
	case k.Send && !c.Closed && c.Cap > 0 && len(c.buf) == c.Cap-1:
		return c.received
	case k.Send:
		return message{ev: -1}
	case len(c.buf) > 0:
		return c.buf[0]
	case front(&c.sendq) != nil:
		return front(&c.sendq).message
	}
	return message{ev: c.closer, plain: !c.panics} // else what had waited would be received
}
