package machine

import (
	"time"
	"weak"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/sched/trace"
)

// HalfState is one half of a socket, as far as deadlines go: what reads from it, or what writes to
// it. Every operation of that half reads whether the deadline has passed, and so depends on what
// lets it pass. It does not depend on what sets a deadline for later: that is another object. The
// half of a connection that reads is no object of its own: see [WayState].
type HalfState struct {
	header
	door    *DoorState         // of which it is, nil if it is of a connection or socket
	in      *WayState          // which it reads from, if it is of a connection
	out     *WayState          // which it writes to, if it is of a connection
	waits   *[]*Goroutine      // the goroutines that wait there
	timer   *TimerState        // lets the deadline pass; as an object, it is when that will be
	started bool               // timer is one of the execution
	expired bool               // the deadline has passed
	closed  int32              // event by which the socket was closed, -1 if it is open
	event   int32              // by which the deadline has passed
	held    weak.Pointer[byte] // see HeldAs
}

// Kinds of OpDeadline.
const (
	NoDeadline     = iota // there is none any more
	PassedDeadline        // it has passed already
	LaterDeadline         // it passes after some time
	AsksDeadline          // it stays: the caller asks whether the socket is open
)

func (h *HalfState) reset() { *h = HalfState{event: -1, closed: -1} }

// admitHalf makes h an object that g has made.
func (m *Machine) admitHalf(g *Goroutine, h *HalfState) {
	h.timer = Take[TimerState](m)
	h.timer.half = h
	m.admitBy(g, h)
	m.admitBy(g, h.timer)
}

func (h *HalfState) Kind() string          { return "deadline" }
func (h *HalfState) blame(*Machine) string { return "" }

// SetDeadline sets the deadline of h, wait nanoseconds from now for a [LaterDeadline].
func (h *HalfState) SetDeadline(g *Goroutine, kind uint64, wait int64) SocketStatus {
	if kind == LaterDeadline {
		g.usesClock("the deadline of a connection")
	}
	g.AskNumbers(trace.OpDeadline, h, kind, uint64(wait))
	return SocketStatus(g.Reply.Val)
}

// looks is the access of an operation that fails if the deadline has passed.
func (h *HalfState) looks() trace.Access { return trace.Access{Obj: h.ID, Mode: trace.ModeRead} }

// closes is the access of what closes the socket, so that no deadline passes any more. The peer's
// operations look at h, too, and do not depend on it by that.
func (h *HalfState) closes() trace.Access {
	return trace.Access{Obj: h.timer.ID, Mode: trace.ModeWrite}
}

func (h *HalfState) describe(m *Machine, g *Goroutine) bool {
	kind := g.Req.Arg
	if kind == AsksDeadline {
		g.Op.Touch(h.timer.ID, trace.ModeRead)
		return true
	}
	now, later := trace.ModeRead, trace.ModeWrite
	switch {
	case kind == PassedDeadline || h.expired:
		now = trace.ModeWrite
	case kind == NoDeadline && !h.armed():
		later = trace.ModeRead // nothing changes
	}
	on := trace.Access{Obj: h.ID, Mode: now}
	if h.in != nil {
		on = h.onWay(kind)
	}
	g.Op.SetAccesses(on, trace.Access{Obj: h.timer.ID, Mode: later})
	if h.door != nil && h.expired {
		g.Op.TouchAlso(h.door.ID, trace.ModeAll) // Accept depends less on a Close after this
	} else if h.door != nil {
		g.Op.TouchAlso(h.door.ID, trace.ModeRead)
	}
	if kind == LaterDeadline && m.Time == TimeLag {
		m.describeArm(g, int64(g.Req.arg2))
	} else {
		m.readClock(g)
	}
	return false
}

// onWay is the access of the way that h reads from by what sets a deadline. One that has passed
// makes Reads fail. One that ends this effect makes a difference for Reads only.
func (h *HalfState) onWay(kind uint64) trace.Access {
	switch {
	case h.expired:
		return h.in.access(trace.ModeRecv)
	case kind == PassedDeadline:
		return h.in.shuts()
	}
	return h.in.access(trace.ModeDeadSend)
}

// armed reports whether a deadline is still to pass.
func (h *HalfState) armed() bool { return h.timer.armed }

func (h *HalfState) perform(m *Machine, g *Goroutine, alt int32) {
	g.Reply.v, g.Reply.Val = nil, int64(live.SocketOK)
	if h.closed >= 0 {
		m.settle(g, live.SocketClosed, h.closed)
		return
	}
	if g.Req.Arg == AsksDeadline {
		return
	}
	h.stop(m)
	h.expired = false
	switch g.Req.Arg {
	case PassedDeadline:
		h.expire(m)
	case LaterDeadline:
		if !h.started {
			h.started = true
			m.newTimer(g, h.timer)
		}
		m.startTimer(h.timer, g, m.until(g.whole(time.Duration(g.Req.arg2))))
	}
}

// stop lets no deadline pass any more.
func (h *HalfState) stop(m *Machine) {
	if h.armed() {
		m.dropDeadline(h.timer, nil, false)
		h.timer.armed = false
	}
}

// shut is for a socket that is closed.
func (h *HalfState) shut(m *Machine) {
	h.stop(m)
	h.closed = m.current()
}

// expire lets the deadline pass, by the current event.
func (h *HalfState) expire(m *Machine) {
	h.expired, h.event = true, m.current()
	if h.door != nil {
		h.door.ranks -= int32(len(*h.waits))
	}
	if h.out != nil {
		h.out.failWrites(m, live.SocketTimeout, m.current())
		return
	}
	m.settleAll(h.waits, live.SocketTimeout, m.current())
}

// describeExpiry describes the firing of a timer that lets a deadline pass, also of one that comes
// too late: what is pending keeps its accesses.
func (t *TimerState) describeExpiry(m *Machine, g *Goroutine) bool {
	h := t.half
	on := trace.Access{Obj: h.ID, Mode: trace.ModeWrite}
	if h.in != nil {
		on = h.in.shuts()
	}
	g.Op.SetAccesses(on, trace.Access{Obj: t.ID, Mode: trace.ModeWrite})
	m.readClock(g)
	return h.in == nil
}
