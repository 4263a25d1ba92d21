package machine

import "github.com/gopor/gopor/sched/trace"

// ChanState is a channel: first in, first out on both sides, so the k-th send
// meets the k-th receive. Values stay with the typed channel; here they are
// numbers.
type ChanState struct {
	header
	Cap          int
	buf          []message
	sendq        []waiter
	recvq        []waiter
	Closed       bool
	panics       bool    // a send, or a select that sends, has waited when it was closed
	sends        int32   // sends requested
	recvs        int32   // receives requested
	passed       int32   // sends completed
	taken        []int32 // taken[k] is the event of the k-th receive that was matched
	looked       bool    // a select, len or timer has looked: all but looks depend from here on
	lookedAt     int32   // the event that has looked first, -1 for none
	received     message // has the latest event that has received a value
	closer       int32   // event of the close
	timer        *TimerState
	values       typedValues // nil if the numbers of messages are the values
	Name         string      // what reports call it, "" for its kind and number
	Signal       bool        // it is only ever closed: no goroutine sends on it
	Outside      string      // how it comes to be outside of the execution, if it does
	OutsideTimer bool        // taken for the channel of a timer made outside of the execution
}

// typedValues has the values that the numbers of messages stand for.
type typedValues interface{ at(slot int64) any }

// message is a value under way, with the event that sent it.
type message struct {
	val   int64
	ev    int32
	plain bool // see Goroutine.plainly
}

// waiter is a request that waits: a send or receive, or one case of a select.
type waiter struct {
	g     *Goroutine
	match uint64 // the select's sequence number, 0 for a plain operation
	which int32  // case of the select
	message
}

// stale reports whether w's select has been completed by another case.
func (w *waiter) stale() bool {
	return w.match != 0 && w.match != w.g.Waits.match || w.g.State == stateDead
}

func (c *ChanState) reset() {
	c.buf, c.sendq, c.recvq = c.buf[:0], c.sendq[:0], c.recvq[:0]
	c.Closed, c.looked, c.Signal, c.panics = false, false, false, false
	c.sends, c.recvs, c.passed = 0, 0, 0
	c.taken = c.taken[:0]
	c.closer, c.lookedAt, c.received, c.timer, c.Name, c.Outside, c.OutsideTimer = -1, -1, message{ev: -1}, nil, "", "", false
}

// Preset puts a value into the buffer that was sent before the execution began.
func (c *ChanState) Preset(val int64) {
	c.buf = append(c.buf, message{val: val, ev: -1})
	c.sends++
	c.passed++
}

func (c *ChanState) Kind() string  { return "chan" }
func (c *ChanState) Label() string { return c.Name }

func (c *ChanState) blame(*Machine) string {
	if c.Closed {
		return "closed"
	}
	return ""
}

// front returns the first live waiter of q, dropping stale ones before it.
func front(q *[]waiter) *waiter {
	for len(*q) > 0 {
		if !(*q)[0].stale() {
			return &(*q)[0]
		}
		*q = append((*q)[:0], (*q)[1:]...)
	}
	return nil
}

// pop removes and returns the first live waiter of q; there must be one.
func pop(q *[]waiter) waiter {
	w := *front(q)
	*q = append((*q)[:0], (*q)[1:]...)
	return w
}

// sendable and recvable report whether a request could be granted at once, a
// send on a closed channel being granted a panic.
func (c *ChanState) sendable() bool {
	return c.Closed || len(c.buf) < c.Cap || front(&c.recvq) != nil
}

func (c *ChanState) recvable() bool {
	return c.Closed || len(c.buf) > 0 || front(&c.sendq) != nil
}

func (c *ChanState) describe(m *Machine, g *Goroutine) bool {
	if c.Signal {
		return c.describeSignal(g)
	}
	if c.looked || g.Op.Kind == trace.OpLen {
		g.Op.Touch(c.ID, trace.ModeAll)
		g.Op.Footprint = trace.LawfulFootprint
		switch {
		case g.Op.Kind == trace.OpLen && c.looked:
			g.Op.Touch(c.ID, trace.ModeLook)
		case g.Op.Kind == trace.OpSend:
			g.Op.Idle = g.idle(c.sendable(), true)
			c.touchSelects(g, front(&c.recvq))
		case g.Op.Kind == trace.OpRecv:
			g.Op.Idle = g.idle(c.recvable(), false)
			c.touchSelects(g, front(&c.sendq))
			if c.reticks() {
				g.Op.TouchAlso(trace.Everything, trace.ModeAll)
			}
			if c.timer != nil {
				c.touchTicker(m, g)
			}
		case g.Op.Kind == trace.OpClose:
			for i := range c.recvq {
				c.touchSelects(g, &c.recvq[i])
			}
			for i := range c.sendq {
				c.touchSelects(g, &c.sendq[i])
			}
		}
		return false
	}
	a := trace.Access{Obj: c.ID}
	switch g.Op.Kind {
	case trace.OpSend:
		a.Mode = trace.ModeSend
		if c.Closed {
			a.Mode, g.Op.Footprint = trace.ModeDeadSend, trace.LawfulFootprint
		}
	case trace.OpRecv:
		a.Mode, a.Idx = trace.ModeRecv, c.recvs+1
	case trace.OpClose:
		a.Mode, a.Idx = trace.ModeClose, c.sends-int32(c.Cap)
	}
	g.Op.SetAccesses(a)
	return false
}

// describeSignal is describe for a channel that is only closed. All that receive get the same, and
// before or after the close makes no difference, but to a goroutine that may poll: after the close
// it waits as one that does. A select may take another case before it.
func (c *ChanState) describeSignal(g *Goroutine) bool {
	if g.Op.Kind != trace.OpClose {
		g.Op.SetAccesses()
		if g.seq >= g.M.Polls && g.mayPoll() {
			g.Op.Touch(c.ID, trace.ModeRead)
		}
		return true
	}
	g.Op.Touch(c.ID, trace.ModeWrite)
	g.Op.Footprint = trace.LawfulFootprint
	for i := range c.recvq {
		c.touchSelects(g, &c.recvq[i])
	}
	return false
}

// Sends notes that g is about to send on c, which was taken for a channel that is only closed.
func (c *ChanState) Sends(g *Goroutine) {
	if c.Signal {
		c.Signal = false
		g.M.pending.used.AddAll()
		g.M.Exec.Assume(g, AssumeCode, "a send on a channel that is closed as far as its package shows")
	}
}

// touchSelects adds to g's accesses all channels of the select that w is a case
// of: completing it takes it off all of them.
func (c *ChanState) touchSelects(g *Goroutine, w *waiter) {
	if w == nil || w.match == 0 || w.stale() || c.Closed {
		return
	}
	for i := range w.g.Req.Cases {
		if ch := w.g.Req.Cases[i].Ch; ch != nil {
			ch.touchCase(&g.Op, trace.ModeAll)
			if ch.timer.ticking() && ch.timer.polite {
				// A tick that is taken at once has this access, too.
				g.Op.TouchAlso(trace.Everything, trace.ModeAll)
			}
		}
	}
}

// touchCase adds to o that a select uses c, or that an operation does so which completes a select.
// The mode is ModeLook for a case that the select only looks at: it is not ready, and the select
// does not wait. The first look changes what other operations of c use, so it uses all of c.
func (c *ChanState) touchCase(o *trace.Op, mode trace.Mode) {
	switch {
	case c.Signal:
		o.TouchAlso(c.ID, trace.ModeRead) // selects do not compete for what all of them get
	case mode == trace.ModeLook && c.looked:
		o.TouchAlso(c.ID, mode)
	default:
		o.TouchAll(c.ID)
	}
}

func (c *ChanState) perform(m *Machine, g *Goroutine, alt int32) {
	ev := m.current()
	switch g.Op.Kind {
	case trace.OpSend:
		c.sends++
		switch {
		case c.Closed:
			g.Reply.Fault = "send on closed channel"
		case c.sendable():
			c.send(m, g, message{int64(g.Req.Arg), ev, true})
		default:
			g.State = StateWaiting
			c.sendq = append(c.sendq, waiter{g: g, message: message{int64(g.Req.Arg), ev, true}})
		}
	case trace.OpRecv:
		c.recvs++
		g.ticked = c.timer != nil
		if c.recvable() {
			if by := (&SelectCase{Ch: c}).source(); c.looked && c.lookedAt < by.ev && !c.Signal {
				m.isNeedless(c, by) // else it does not depend on sends
			}
			c.recv(m, g, ev)
			return
		}
		g.State = StateWaiting
		c.recvq = append(c.recvq, waiter{g: g, message: message{ev: ev}})
	case trace.OpClose:
		c.close(m, g, ev)
	case trace.OpLen:
		c.look(ev)
		g.Reply.Val = int64(len(c.buf))
	}
}

// send passes msg on, from g's own event: to a waiting receiver or the buffer.
func (c *ChanState) send(m *Machine, g *Goroutine, msg message) {
	c.pass(m, g)
	if front(&c.recvq) == nil {
		c.buf = append(c.buf, msg)
		return
	}
	w := pop(&c.recvq)
	c.taken = append(c.taken, w.ev)
	if c.Cap == 0 {
		m.edge(g, w.ev)
	}
	c.complete(m, w, msg.val, true, msg.ev)
	m.release(w.g)
}

// pass counts a completed send of g: it comes after the receive that made room.
func (c *ChanState) pass(m *Machine, g *Goroutine) {
	k := c.passed - int32(c.Cap)
	c.passed++
	if k >= 0 && int(k) < len(c.taken) {
		m.edge(g, c.taken[k])
	}
}

// recv gives g, from its own event ev, the next value or the news of the close.
func (c *ChanState) recv(m *Machine, g *Goroutine, ev int32) {
	if len(c.buf) == 0 && front(&c.sendq) == nil {
		g.Reply.Val, g.Reply.Ok = 0, false
		m.edge(g, c.closer)
		return
	}
	c.taken = append(c.taken, ev)
	c.received = message{ev: ev, plain: g.plainly(c)}
	if len(c.buf) > 0 {
		msg := c.buf[0]
		c.buf = append(c.buf[:0], c.buf[1:]...)
		g.Reply.Val, g.Reply.Ok = msg.val, true
		if m.Keys != nil {
			m.Keys.gets(g, c, msg, int(g.Reply.Chosen))
		}
		m.edge(g, msg.ev)
		if c.timer != nil {
			c.drained(m)
		}
		if front(&c.sendq) != nil {
			w := pop(&c.sendq)
			c.pass(m, w.g)
			c.buf = append(c.buf, w.message)
			c.completeSend(m, w)
		}
		return
	}
	w := pop(&c.sendq)
	c.pass(m, w.g)
	g.Reply.Val, g.Reply.Ok = w.val, true
	if m.Keys != nil {
		m.Keys.gets(g, c, w.message, int(g.Reply.Chosen))
	}
	m.edge(g, w.ev)
	c.completeSend(m, w)
}

// complete gives the receiver w a value that event ev has sent.
func (c *ChanState) complete(m *Machine, w waiter, val int64, ok bool, ev int32) {
	w.g.Reply.Val, w.g.Reply.Ok = val, ok
	if m.Keys != nil && ok {
		m.Keys.gets(w.g, c, message{val: val, ev: ev}, int(w.which))
	}
	m.edge(w.g, ev)
	w.settle()
}

func (c *ChanState) completeSend(m *Machine, w waiter) {
	w.settle()
	m.release(w.g)
}

// settle records which case of a waiting select has come true.
func (w *waiter) settle() {
	if w.match != 0 {
		w.g.Waits.match++
		w.g.Reply.Chosen = w.which
	}
}

func (c *ChanState) close(m *Machine, g *Goroutine, ev int32) {
	if c.Closed {
		g.Reply.Fault = "close of closed channel"
		return
	}
	c.Closed, c.closer, c.panics = true, ev, front(&c.sendq) != nil
	for front(&c.recvq) != nil {
		w := pop(&c.recvq)
		c.complete(m, w, 0, false, ev)
		m.release(w.g)
	}
	for front(&c.sendq) != nil {
		w := pop(&c.sendq)
		w.g.Reply.Fault = "send on closed channel"
		w.settle()
		m.grant(w.g, ev)
	}
}
