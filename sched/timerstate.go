package sched

import (
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
	"math"
	"time"
)

// deadline is a goroutine that sleeps, or a timer that will fire.
type deadline struct {
	when int64
	g    *goroutine // sleeps, if t is nil
	t    *timerState
}

// timerState is a timer or ticker. Its firing is an event of a goroutine of its
// own, a child of the one that made the timer. A timer that was stopped when it
// was about to fire still has that event, which then does nothing: no event
// ever disables another.
type timerState struct {
	header
	g      *goroutine
	period int64
	wait   int64         // duration it was last started with
	ch     *chanState    // what it sends on, or nil
	put    func() int64  // makes the value to send
	fn     func()        // what it runs in a goroutine of its own, or nil
	ctx    *contextState // the context that it cancels, or nil
	arg    int64         // handed to that goroutine as its result, for model programs
	armed  bool          // started, and neither fired nor stopped
	// polite says that a ticker lets the others go before it fires again: in any-order
	// time, where it could fire for ever.
	polite bool
	skip   bool // the firing that is pending belongs to an earlier start
}

func (t *timerState) reset()                { *t = timerState{} }
func (t *timerState) kind() string          { return "timer" }
func (t *timerState) blame(*Machine) string { return "" }

// assumes says what discrete time takes for granted of t.
func (t *timerState) assumes() string {
	switch {
	case t.ctx != nil:
		return "the deadline of a context"
	case t.period > 0:
		return "a ticker"
	}
	return "a timer"
}

// start arms t to fire after d, as something that goroutine g does.
func (m *Machine) startTimer(t *timerState, g *goroutine, d int64) {
	t.wait, t.armed = max(0, d), true
	switch {
	case g == nil:
	case t.g.state == stateWaiting:
		m.after(t.g, g)
	case m.mm != nil: // a firing that is pending already could come before this, too
		m.mm.local(t.g, g)
	}
	if m.Time == machine.TimeDiscrete {
		t.skip = t.g.state == stateReady
		m.deadlines = append(m.deadlines, deadline{when: m.elapsed + t.wait, t: t})
		return
	}
	if t.g.state == stateWaiting { // else it is about to fire, or will be when the others have moved
		m.armFire(t)
	}
}

// armFire publishes the firing of t.
func (m *Machine) armFire(t *timerState) {
	t.g.op.Kind, t.g.req.obj = trace.OpFire, t
	m.post(t.g)
}

// rearm publishes the next tick of a ticker that has let the others go first.
func (m *Machine) rearm(g *goroutine) { m.armFire(g.req.obj.(*timerState)) }

// newTimer makes t, which has been admitted, a timer of g.
func (m *Machine) newTimer(g *goroutine, t *timerState) {
	t.polite = m.Time == machine.TimeAnyOrder && m.Model&machine.ModelUnfair == 0
	t.g = m.child(g)
	t.g.pseudo = true
	t.g.state = stateWaiting
	t.g.op.Kind, t.g.req.obj = trace.OpFire, t
	if t.ch != nil {
		t.ch.looked, t.ch.timer = true, t
	}
}

func (t *timerState) describe(m *Machine, g *goroutine) bool {
	if t.ctx != nil {
		return t.describeCancel(m, g)
	}
	g.op.Touch(t.id, trace.ModeAll)
	if t.ch != nil {
		g.op.TouchAlso(t.ch.id, trace.ModeAll)
		if g.op.Kind == trace.OpFire {
			t.ch.touchSelects(g, front(&t.ch.recvq))
		}
	}
	if m.Time == machine.TimeAnyOrder {
		g.op.TouchAlso(clockObject, trace.ModeAll)
		// A tick that is taken at once lets the others go before the next one. So
		// does a receive; to stop or reset the ticker is to take that from them.
		if t.polite && t.ticks() && (front(&t.ch.recvq) != nil || g.op.Kind == trace.OpTimer && t.ch.reticks()) {
			g.op.TouchAlso(trace.Everything, trace.ModeAll)
		}
	}
	return false
}

// ticks reports whether t is a ticker that will fire.
func (t *timerState) ticks() bool { return t != nil && t.period > 0 && t.armed }

// perform fires the timer, stops it, or with g.req.arg2 set starts it again.
// g.reply.ok says whether it was still going to fire.
func (t *timerState) perform(m *Machine, g *goroutine, alt int32) {
	if g.op.Kind == trace.OpFire {
		t.fire(m)
		return
	}
	g.reply.ok = t.armed
	if t.ch != nil && len(t.ch.buf) > 0 {
		t.ch.passed -= int32(len(t.ch.buf))
		t.ch.buf = t.ch.buf[:0]
		g.reply.ok = true
	}
	t.armed = false
	m.dropDeadline(t)
	if g.req.arg2 != 0 {
		if t.period > 0 {
			t.period = int64(g.req.arg)
		}
		m.startTimer(t, g, int64(g.req.arg))
	}
}

func (t *timerState) fire(m *Machine) {
	t.g.state = stateWaiting
	if t.skip || !t.armed {
		t.skip = false
		return
	}
	if m.Time == machine.TimeAnyOrder {
		m.elapse(t.wait)
	}
	t.armed = t.period > 0
	if t.ch != nil && t.hasRoom() {
		t.ch.sends++
		t.ch.send(m, t.g, message{t.put(), m.current()})
	}
	if t.ctx != nil {
		t.ctx.expire(m, t.g)
		return
	}
	if t.ch == nil {
		kid := m.fork(t.g)
		kid.body, kid.reply.val = t.fn, t.arg
		m.released = append(m.released, kid)
	}
	if t.period <= 0 {
		return
	}
	if m.Time == machine.TimeDiscrete {
		m.deadlines = append(m.deadlines, deadline{when: m.elapsed + m.until(time.Duration(t.period)), t: t})
		return
	}
	if t.hasRoom() {
		m.tickAgain(t)
	}
}

// hasRoom reports whether a value that t sends now would go anywhere.
func (t *timerState) hasRoom() bool {
	return len(t.ch.buf) < t.ch.cap || front(&t.ch.recvq) != nil
}

// tickAgain lets a ticker in any-order time fire once more, after the others.
func (m *Machine) tickAgain(t *timerState) {
	if t.polite {
		m.yield(t.g)
	}
	if t.g.state != stateYielding {
		m.armFire(t)
	}
}

// reticks reports whether a receive from c would let its ticker, in any-order
// time, fire once more after the others have moved: then it depends on them all.
func (c *chanState) reticks() bool {
	t := c.timer
	return t.ticks() && t.polite && t.g.state == stateWaiting && len(c.buf) > 0
}

// drained tells the timer of channel c that a value was taken.
func (c *chanState) drained(m *Machine) {
	t := c.timer
	if m.Time == machine.TimeAnyOrder && t.period > 0 && t.armed && t.g.state == stateWaiting {
		m.edge(t.g, m.current())
		m.tickAgain(t)
	}
}

func (m *Machine) dropDeadline(t *timerState) {
	keep := m.deadlines[:0]
	for _, d := range m.deadlines {
		if d.t != t || t == nil {
			keep = append(keep, d)
		}
	}
	m.deadlines = keep
}

// useful reports whether reaching d can change anything: a ticker whose value
// has not been taken will only drop the next one, and the end of the clock never
// comes.
func (d *deadline) useful() bool {
	return d.when < math.MaxInt64 && (d.t == nil || d.t.period == 0 || d.t.hasRoom())
}

// mostLate is how often time moves on after main has ended. Whoever still waits
// then will not come to an end, such as a goroutine that serves a ticker.
const mostLate = 100

// clockUseful reports whether moving virtual time on can wake anybody, or
// anybody cares.
func (m *Machine) clockUseful() bool {
	if m.late == mostLate {
		return false
	}
	alive := false
	for _, g := range m.gs {
		if g.state == stateWaiting && !g.pseudo {
			alive = true
			break
		}
	}
	if !alive {
		return false
	}
	for i := range m.deadlines {
		if m.deadlines[i].useful() {
			return true
		}
	}
	return false
}

// prepareClock makes the clock's next operation: it comes after everything. What
// came before the clock's latest event needs no mention.
func (m *Machine) prepareClock() {
	g := m.clock
	g.op = trace.Op{G: clockID, Kind: trace.OpAdvance, Alts: 1, Obj: -1}
	g.req.obj, g.static = nil, true
	g.order = g.order[:0]
	for _, h := range m.gs {
		if h.last > g.last && h != g {
			g.order = append(g.order, h.last)
		}
	}
}

// advanceClock moves time to the earliest deadline that is of use, and wakes
// all whose deadline that is. They may run in any order.
func (m *Machine) advanceClock() {
	if m.gs[mainID].state == stateEnded {
		m.late++
	}
	target := int64(-1)
	for i := range m.deadlines {
		if d := &m.deadlines[i]; d.useful() && (target < 0 || d.when < target) {
			target = d.when
		}
	}
	m.elapsed = target
	ev := m.current()
	keep := m.deadlines[:0]
	due := append([]deadline(nil), m.deadlines...)
	for _, d := range due {
		switch {
		case d.when > target:
			keep = append(keep, d)
		case d.t == nil:
			m.grant(d.g, ev)
		case !d.useful():
			d.when += (target - d.when + d.t.period) / d.t.period * d.t.period
			keep = append(keep, d)
		default:
			m.edge(d.t.g, ev)
			m.armFire(d.t)
		}
	}
	m.deadlines = keep
}

// sleep makes g wait for d.
func (m *Machine) sleep(g *goroutine, d int64) {
	if m.Time == machine.TimeAnyOrder {
		m.elapse(d)
		return
	}
	g.state = stateWaiting
	m.deadlines = append(m.deadlines, deadline{when: m.elapsed + m.until(time.Duration(d)), g: g})
}

// elapse moves any-order time on.
func (m *Machine) elapse(d int64) { m.elapsed += m.until(time.Duration(d)) }

// clockObject is the number of the object that any-order time is: the one that
// bind would give to the first object of an execution.
const clockObject = 1
