package machine

import (
	"slices"
	"time"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/sched/trace"
)

// This file has the faults of connections, as operations of the goroutine that uses one next. A
// reset ends both directions for both ends. A delay holds what is written back, and the end of it,
// until a timer lets all of that arrive. From the fault on, for as long as it has an effect, every
// use of the direction depends on every other one.

// wayFault is what faults have done to a direction.
type wayFault struct {
	reset   bool // the connection was reset
	late    bool // a delay is under way
	cut     bool // the nodes of the ends are cut off from each other
	writer  *NodeState
	reader  *NodeState
	hidden  int  // how many of the last pieces have not arrived
	arrives bool // the event that is being performed lets them arrive
}

// Fault makes the operation of a fault on w, which g reads from or writes to. A Short is a reset
// at the same time.
func (w *WayState) Fault(g *Goroutine, f faults.Fault) {
	g.AskNumbers(trace.OpFault, w, uint64(f.Kind), uint64(f.For))
}

// Unix reports whether the connection is one of a Unix socket, which has no faults.
func (w *WayState) Unix() bool { return w.unix }

// Working reports whether a fault would change anything: g's end and the other one are open, the
// connection is one of TCP, and was not reset. The state may be another one when the fault comes.
func (w *WayState) Working() bool {
	return !w.unix && !w.fault.reset && w.closed[readerEnd] < 0 && w.closed[writerEnd] < 0
}

// stalled reports whether what is written does not arrive.
func (w *WayState) stalled() bool { return w.fault.late || w.fault.cut }

// strict reports whether all uses of w depend on each other.
func (w *WayState) strict() bool { return w.fault.reset || w.stalled() }

// arrived returns how many pieces can be read.
func (w *WayState) arrived() int { return len(w.pieces) - w.fault.hidden }

// readable returns how many bytes of pieces can be read.
func (w *WayState) readable() int {
	n := w.unread()
	for _, p := range w.pieces[w.arrived():] {
		n -= len(p.data)
	}
	return n
}

// ended returns what the end that reads knows of the end of what is written.
func (w *WayState) ended() ending {
	if w.stalled() {
		return endOpen
	}
	return w.ending
}

func (w *WayState) describeFault(m *Machine, g *Goroutine) {
	if faults.Kind(g.Req.Arg) == faults.Delay {
		g.Op.SetAccesses(w.access(trace.ModeAll), w.Writer.looks())
		if m.Time == TimeLag {
			m.describeArm(g, int64(g.Req.arg2))
		} else {
			m.readClock(g)
		}
		return
	}
	g.Op.Alts = 1
	if !w.unix && !w.fault.reset && (w.unread() > 0 || w.back.unread() > 0) {
		g.Op.Alts = 2
	}
	g.Op.SetAccesses(w.access(trace.ModeAll), w.back.access(trace.ModeAll), w.Writer.looks(), w.back.Writer.looks())
}

func (w *WayState) performFault(m *Machine, g *Goroutine, alt int32) {
	if faults.Kind(g.Req.Arg) == faults.Delay {
		t := Take[TimerState](m)
		t.way = w
		m.admitBy(g, t)
		m.newTimer(g, t)
		if w.Working() && !w.fault.late {
			w.late(m, true)
			m.startTimer(t, g, m.until(time.Duration(g.Req.arg2)))
		}
		return
	}
	if w.unix || w.fault.reset {
		return
	}
	w.cutOff(m, alt == 1)
	w.back.cutOff(m, alt == 1)
	w.serve(m)
	w.back.serve(m)
}

// cutOff is a reset of the connection for one direction. What was written is lost if it has not
// arrived. With lose set nothing has arrived that was not read. The reader's end is told of the
// reset once, by a Read or a Write, unless what was written had ended before.
func (w *WayState) cutOff(m *Machine, lose bool) {
	ev := m.current()
	w.fault.reset = true
	if len(w.writes) > 0 {
		w.failWrites(m, live.SocketReset, ev)
		w.back.told = true
	}
	if lose {
		clear(w.pieces)
		w.pieces, w.taken = w.pieces[:0], append(w.taken, reading{w.written, ev})
	} else {
		w.withdraw(w.read() + w.readable())
	}
	if w.ended() == endOpen {
		w.ending, w.endEvent = endReset, ev
	} else if w.ending == endPlain {
		w.told = true
	}
	w.fault.late, w.fault.cut, w.fault.hidden = false, false, 0
	if w.lost < 0 {
		w.lost = ev
	}
}

// describeArrival describes the firing of the timer that ends a delay.
func (t *TimerState) describeArrival(m *Machine, g *Goroutine) bool {
	g.Op.SetAccesses(t.way.access(trace.ModeAll), t.way.Writer.looks(), trace.Access{Obj: t.ID, Mode: trace.ModeWrite})
	m.readClock(g)
	return true
}

// late begins or ends a delay.
func (w *WayState) late(m *Machine, on bool) {
	w.fault.late = on
	w.arrive(m)
}

// part begins or ends that the nodes of the ends are cut off from each other.
func (w *WayState) part(m *Machine, on bool) {
	w.fault.cut = on && !w.fault.reset
	w.arrive(m)
}

// arrive lets everything arrive that was written, unless there is still a reason for a delay.
// Goroutines get something by that, and Writes have room: they come after this event. What a
// goroutine gets synchronises with the Write, and not with the timer.
func (w *WayState) arrive(m *Machine) {
	if w.stalled() {
		return
	}
	w.fault.hidden, w.fault.arrives = 0, true
	for len(w.reads) > 0 && w.receive(m, w.reads[0]) {
		g := w.reads[0]
		w.reads = slices.Delete(w.reads, 0, 1)
		m.follow(g, m.current())
		m.release(g)
	}
	w.fault.arrives = false
}
