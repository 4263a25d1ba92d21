package sched

import "github.com/gopor/gopor/sched/trace"

// selectCase is one case of a select: a send of val on ch, or a receive.
type selectCase struct {
	ch   *chanState // nil for a nil channel, which is never ready
	send bool
	val  int64
}

// A select is a request to several channels at once. It has as many
// alternatives as it finds cases ready. With none ready it takes its default
// (g.req.arg is 1) or waits, and is completed by the first partner to arrive. Of several
// cases that wait for the same thing the partner meets the one that was chosen then:
// there are as many alternatives to wait as ways to choose.
//
// The reply: chosen is the case that was taken, len(cases) for the default;
// val and ok are what was received.

// findReady lists the cases of g's select that can proceed now.
func (g *goroutine) findReady() {
	g.ready = g.ready[:0]
	for i := range g.req.cases {
		k := &g.req.cases[i]
		if k.ch == nil {
			continue
		}
		if k.send && k.ch.sendable() || !k.send && k.ch.recvable() {
			g.ready = append(g.ready, int32(i))
		}
	}
}

func (m *Machine) describeSelect(g *goroutine) bool {
	g.findReady()
	g.op.Alts = int32(len(g.ready))
	if g.op.Alts == 0 {
		g.op.Alts = g.waysToWait()
	}
	g.op.SetAccesses()
	for i := range g.req.cases {
		if ch := g.req.cases[i].ch; ch != nil {
			ch.touchCase(&g.op)
		}
	}
	// Whichever ready case is taken may complete another select that waits.
	for _, i := range g.ready {
		k := &g.req.cases[i]
		if k.send {
			k.ch.touchSelects(g, front(&k.ch.recvq))
		} else {
			k.ch.touchSelects(g, front(&k.ch.sendq))
			if k.ch.reticks() {
				g.op.TouchAlso(trace.Everything, trace.ModeAll)
			}
		}
	}
	return len(g.req.cases) == 0
}

// likes returns how many cases wait for what case i waits for, 0 if it is not the
// first of them or its channel is nil.
func (g *goroutine) likes(i int) (n int32) {
	k := &g.req.cases[i]
	if k.ch == nil {
		return 0
	}
	for j := range g.req.cases {
		switch {
		case !g.req.cases[j].like(k):
		case j < i:
			return 0
		default:
			n++
		}
	}
	return n
}

func (k *selectCase) like(h *selectCase) bool { return k.ch == h.ch && k.send == h.send }

// waysToWait returns the number of alternatives of g's select if no case is ready.
func (g *goroutine) waysToWait() int32 {
	ways := int32(1)
	if g.req.arg == 1 {
		return ways
	}
	for i := range g.req.cases {
		ways *= max(1, g.likes(i))
	}
	return ways
}

// wait lets g wait in its select from event ev on, in the way alt.
func (g *goroutine) wait(alt, ev int32) {
	g.state = stateWaiting
	g.match++
	for i := range g.req.cases {
		n := g.likes(i)
		if n == 0 {
			continue
		}
		chosen := i
		for left := alt % n; left > 0; left-- {
			for chosen++; !g.req.cases[chosen].like(&g.req.cases[i]); chosen++ {
			}
		}
		alt /= n
		g.req.cases[chosen].enqueue(g, int32(chosen), ev)
	}
}

func (m *Machine) performSelect(g *goroutine, alt int32) {
	g.findReady()
	for i := range g.req.cases {
		if ch := g.req.cases[i].ch; ch != nil {
			ch.looked = true
		}
	}
	ev := m.current()
	switch {
	case int(alt) < len(g.ready):
		i := g.ready[alt]
		g.reply.chosen = int(i)
		g.req.cases[i].take(m, g, ev)
	case g.req.arg == 1:
		g.reply.chosen = len(g.req.cases)
	default:
		g.wait(alt, ev)
	}
}

// take performs the case, which is ready, as event ev of g.
func (k *selectCase) take(m *Machine, g *goroutine, ev int32) {
	if !k.send {
		k.ch.recvs++
		k.ch.recv(m, g, ev)
		return
	}
	k.ch.sends++
	if k.ch.closed {
		g.reply.fault = "send on closed channel"
		return
	}
	k.ch.send(m, g, message{k.val, ev})
}

func (k *selectCase) enqueue(g *goroutine, which, ev int32) {
	w := waiter{g: g, match: g.match, which: which, message: message{k.val, ev}}
	if k.send {
		k.ch.sendq = append(k.ch.sendq, w)
	} else {
		k.ch.recvq = append(k.ch.recvq, w)
	}
}
