package sched

import (
	"github.com/gopor/gopor/sched/trace"
)

// chanState is a channel: first in, first out on both sides, so the k-th send
// meets the k-th receive. Values stay with the typed channel; here they are
// numbers.
type chanState struct {
	header
	cap     int
	buf     []message
	sendq   []waiter
	recvq   []waiter
	closed  bool
	sends   int32   // sends requested
	recvs   int32   // receives requested
	passed  int32   // sends completed
	taken   []int32 // taken[k] is the event of the k-th receive that was matched
	looked  bool    // a select, len or timer has looked: everything depends from here on
	closer  int32   // event of the close
	timer   *timerState
	signal  bool   // the Done channel of a context: only ever closed, by cancelling
	outside string // how it comes to be outside of the execution, if it does
}

// message is a value under way, with the event that sent it.
type message struct {
	val int64
	ev  int32
}

// waiter is a request that waits: a send or receive, or one case of a select.
type waiter struct {
	g     *goroutine
	match uint64 // the select's sequence number, 0 for a plain operation
	which int32  // case of the select
	message
}

// stale reports whether w's select has been completed by another case.
func (w *waiter) stale() bool { return w.match != 0 && w.match != w.g.match }

func (c *chanState) reset() {
	c.buf, c.sendq, c.recvq = c.buf[:0], c.sendq[:0], c.recvq[:0]
	c.closed, c.looked, c.signal = false, false, false
	c.sends, c.recvs, c.passed = 0, 0, 0
	c.taken = c.taken[:0]
	c.closer, c.timer, c.outside = -1, nil, ""
}

// preset puts a value into the buffer that was sent before the execution began.
func (c *chanState) preset(val int64) {
	c.buf = append(c.buf, message{val, -1})
	c.sends++
	c.passed++
}

func (c *chanState) kind() string { return "chan" }

func (c *chanState) blame(*Machine) string {
	if c.closed {
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
func (c *chanState) sendable() bool {
	return c.closed || len(c.buf) < c.cap || front(&c.recvq) != nil
}

func (c *chanState) recvable() bool {
	return c.closed || len(c.buf) > 0 || front(&c.sendq) != nil
}

func (c *chanState) describe(m *Machine, g *goroutine) bool {
	if c.signal {
		// All get the same, and before or after the close makes no difference.
		g.op.SetAccesses()
		return true
	}
	if c.looked || g.op.Kind == trace.OpLen {
		g.op.Touch(c.id, trace.ModeAll)
		switch g.op.Kind {
		case trace.OpSend:
			c.touchSelects(g, front(&c.recvq))
		case trace.OpRecv:
			c.touchSelects(g, front(&c.sendq))
			if c.reticks() {
				g.op.TouchAlso(trace.Everything, trace.ModeAll)
			}
		case trace.OpClose:
			for i := range c.recvq {
				c.touchSelects(g, &c.recvq[i])
			}
			for i := range c.sendq {
				c.touchSelects(g, &c.sendq[i])
			}
		}
		return false
	}
	a := trace.Access{Obj: c.id}
	switch g.op.Kind {
	case trace.OpSend:
		a.Mode = trace.ModeSend
		if c.closed {
			a.Mode = trace.ModeDeadSend
		}
	case trace.OpRecv:
		a.Mode, a.Idx = trace.ModeRecv, c.recvs+1
	case trace.OpClose:
		a.Mode, a.Idx = trace.ModeClose, c.sends-int32(c.cap)
	}
	g.op.SetAccesses(a)
	return false
}

// touchSelects adds to g's accesses all channels of the select that w is a case
// of: completing it takes it off all of them.
func (c *chanState) touchSelects(g *goroutine, w *waiter) {
	if w == nil || w.match == 0 || w.stale() || c.closed {
		return
	}
	for i := range w.g.req.cases {
		if ch := w.g.req.cases[i].ch; ch != nil {
			ch.touchCase(&g.op)
			if ch.timer.ticks() && ch.timer.polite {
				g.op.TouchAlso(trace.Everything, trace.ModeAll) // as the tick does that would be taken at once
			}
		}
	}
}

// touchCase adds to o the use of c by a select, or by what completes one.
func (c *chanState) touchCase(o *trace.Op) {
	mode := trace.ModeAll
	if c.signal {
		mode = trace.ModeRead // selects do not compete for what all of them get
	}
	o.TouchAlso(c.id, mode)
}

func (c *chanState) perform(m *Machine, g *goroutine, alt int32) {
	ev := m.current()
	switch g.op.Kind {
	case trace.OpSend:
		c.sends++
		switch {
		case c.closed:
			g.reply.fault = "send on closed channel"
		case c.sendable():
			c.send(m, g, message{int64(g.req.arg), ev})
		default:
			g.state = stateWaiting
			c.sendq = append(c.sendq, waiter{g: g, message: message{int64(g.req.arg), ev}})
		}
	case trace.OpRecv:
		c.recvs++
		if c.recvable() {
			c.recv(m, g, ev)
			return
		}
		g.state = stateWaiting
		c.recvq = append(c.recvq, waiter{g: g, message: message{ev: ev}})
	case trace.OpClose:
		c.close(m, g, ev)
	case trace.OpLen:
		c.looked = true
		g.reply.val = int64(len(c.buf))
	}
}

// send passes msg on, from g's own event: to a waiting receiver or the buffer.
func (c *chanState) send(m *Machine, g *goroutine, msg message) {
	c.pass(m, g)
	if front(&c.recvq) == nil {
		c.buf = append(c.buf, msg)
		return
	}
	w := pop(&c.recvq)
	c.taken = append(c.taken, w.ev)
	if c.cap == 0 {
		m.edge(g, w.ev)
	}
	c.complete(m, w, msg.val, true, msg.ev)
	m.release(w.g)
}

// pass counts a completed send of g: it comes after the receive that made room.
func (c *chanState) pass(m *Machine, g *goroutine) {
	k := c.passed - int32(c.cap)
	c.passed++
	if k >= 0 && int(k) < len(c.taken) {
		m.edge(g, c.taken[k])
	}
}

// recv gives g, from its own event ev, the next value or the news of the close.
func (c *chanState) recv(m *Machine, g *goroutine, ev int32) {
	if len(c.buf) == 0 && front(&c.sendq) == nil {
		g.reply.val, g.reply.ok = 0, false
		m.edge(g, c.closer)
		return
	}
	c.taken = append(c.taken, ev)
	if len(c.buf) > 0 {
		msg := c.buf[0]
		c.buf = append(c.buf[:0], c.buf[1:]...)
		g.reply.val, g.reply.ok = msg.val, true
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
	g.reply.val, g.reply.ok = w.val, true
	m.edge(g, w.ev)
	c.completeSend(m, w)
}

// complete gives the receiver w a value that event ev has sent.
func (c *chanState) complete(m *Machine, w waiter, val int64, ok bool, ev int32) {
	w.g.reply.val, w.g.reply.ok = val, ok
	m.edge(w.g, ev)
	w.settle()
}

func (c *chanState) completeSend(m *Machine, w waiter) {
	w.settle()
	m.release(w.g)
}

// settle records which case of a waiting select has come true.
func (w *waiter) settle() {
	if w.match != 0 {
		w.g.match++
		w.g.reply.chosen = int(w.which)
	}
}

func (c *chanState) close(m *Machine, g *goroutine, ev int32) {
	if c.closed {
		g.reply.fault = "close of closed channel"
		return
	}
	c.closed, c.closer = true, ev
	for front(&c.recvq) != nil {
		w := pop(&c.recvq)
		c.complete(m, w, 0, false, ev)
		m.release(w.g)
	}
	for front(&c.sendq) != nil {
		w := pop(&c.sendq)
		w.g.reply.fault = "send on closed channel"
		w.settle()
		m.grant(w.g, ev)
	}
}
