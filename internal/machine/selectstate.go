package machine

import "github.com/gopor/gopor/sched/trace"

// SelectCase is one case of a select: a send of val on ch, or a receive.
type SelectCase struct {
	Ch   *ChanState // nil for a nil channel, which is never ready
	Send bool
	Drop bool // the program does not look at what is received
	Val  int64
}

// A select is a request to several channels at once. It has as many
// alternatives as it finds cases ready. With none ready it takes its default
// (g.req.arg is 1) or waits, and is completed by the first partner to arrive. Of several
// cases that wait for the same thing the partner meets the one that was chosen then:
// there are as many alternatives to wait as ways to choose.
//
// The reply: chosen is the case that was taken, len(cases) for the default;
// val and ok are what was received.

// drops reports whether the program does not look at what g receives. For a select, the argument
// which is the number of the case.
func (g *Goroutine) drops(which int) bool {
	if g.Op.Kind == trace.OpSelect {
		return g.Req.Cases[which].Drop
	}
	return g.Req.Arg == ToDrop
}

// ToDrop is the argument of OpRecv where it drops what it receives.
const ToDrop = 1

// ready reports whether the case can proceed now.
func (k *SelectCase) ready() bool {
	return k.Ch != nil && (k.Send && k.Ch.sendable() || !k.Send && k.Ch.recvable())
}

// findReady lists the cases of g's select that can proceed now.
func (g *Goroutine) findReady() {
	w := g.waiting()
	w.ready = w.ready[:0]
	for i := range g.Req.Cases {
		if g.Req.Cases[i].ready() {
			w.ready = append(w.ready, int32(i))
		}
	}
}

func (m *Machine) describeSelect(g *Goroutine) bool {
	g.findReady()
	g.Op.Alts = int32(len(g.Waits.ready))
	if g.Op.Alts == 0 {
		g.Op.Alts = g.waysToWait()
	}
	g.Op.SetAccesses()
	waits := g.Req.Arg != 1
	sends, open := false, 0 // cases of channels that are not only closed
	for i := range g.Req.Cases {
		k := &g.Req.Cases[i]
		if k.Ch == nil {
			continue
		}
		if sends = sends || k.Send; !k.Ch.Signal {
			open++
		}
		mode := trace.ModeLook
		if waits || k.ready() {
			mode = trace.ModeAll
		}
		k.Ch.touchCase(&g.Op, mode)
		if k.Ch.timer != nil && !k.Send {
			k.Ch.touchTicker(m, g)
		}
	}
	g.Op.Idle = g.idle(len(g.Waits.ready) > 0 || !waits || open > 1, sends)
	// Whichever ready case is taken may complete another select that waits.
	for _, i := range g.Waits.ready {
		k := &g.Req.Cases[i]
		if k.Send {
			k.Ch.touchSelects(g, front(&k.Ch.recvq))
		} else {
			k.Ch.touchSelects(g, front(&k.Ch.sendq))
			if k.Ch.reticks() {
				g.Op.TouchAlso(trace.Everything, trace.ModeAll)
			}
		}
	}
	return len(g.Req.Cases) == 0
}

// likes returns how many cases wait for what case i waits for, 0 if it is not the
// first of them or its channel is nil.
func (g *Goroutine) likes(i int) (n int32) {
	k := &g.Req.Cases[i]
	if k.Ch == nil {
		return 0
	}
	for j := range g.Req.Cases {
		switch {
		case !g.Req.Cases[j].like(k):
		case j < i:
			return 0
		default:
			n++
		}
	}
	return n
}

func (k *SelectCase) like(h *SelectCase) bool { return k.Ch == h.Ch && k.Send == h.Send }

// waysToWait returns the number of alternatives of g's select if no case is ready.
func (g *Goroutine) waysToWait() int32 {
	ways := int32(1)
	if g.Req.Arg == 1 {
		return ways
	}
	for i := range g.Req.Cases {
		ways *= max(1, g.likes(i))
	}
	return ways
}

// wait lets g wait in its select from event ev on, in the way alt.
func (g *Goroutine) wait(alt, ev int32) {
	g.State = StateWaiting
	g.Waits.match++
	for i := range g.Req.Cases {
		n := g.likes(i)
		if n == 0 {
			continue
		}
		chosen := i
		for left := alt % n; left > 0; left-- {
			for chosen++; !g.Req.Cases[chosen].like(&g.Req.Cases[i]); chosen++ {
			}
		}
		alt /= n
		g.Req.Cases[chosen].enqueue(g, int32(chosen), ev)
	}
}

func (m *Machine) performSelect(g *Goroutine, alt int32) {
	g.findReady()
	for i := range g.Req.Cases {
		if ch := g.Req.Cases[i].Ch; ch != nil {
			ch.look(m.current())
		}
	}
	ev := m.current()
	switch {
	case int(alt) < len(g.Waits.ready):
		i := g.Waits.ready[g.inTurn(alt, int32(len(g.Waits.ready)))]
		g.Reply.Chosen = i
		if len(g.Waits.ready) == 1 {
			g.finds(&g.Req.Cases[i])
		}
		g.Req.Cases[i].take(m, g, ev)
	case g.Req.Arg == 1:
		g.Reply.Chosen = int32(len(g.Req.Cases))
	default:
		g.wait(alt, ev)
	}
}

// take performs the case, which is ready, as event ev of g.
func (k *SelectCase) take(m *Machine, g *Goroutine, ev int32) {
	if !k.Send {
		k.Ch.recvs++
		k.Ch.recv(m, g, ev)
		return
	}
	k.Ch.sends++
	if k.Ch.Closed {
		g.Reply.Fault = "send on closed channel"
		return
	}
	k.Ch.send(m, g, message{k.Val, ev, g.plainly(k.Ch)})
}

func (k *SelectCase) enqueue(g *Goroutine, which, ev int32) {
	w := waiter{g: g, match: g.Waits.match, which: which, message: message{k.Val, ev, g.plainly(k.Ch)}}
	if k.Send {
		k.Ch.sendq = append(k.Ch.sendq, w)
	} else {
		k.Ch.recvq = append(k.Ch.recvq, w)
	}
}
