package machine

import (
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/sched/trace"
)

// DoorState is a listener: a channel of the connections that were dialled and not accepted. As
// with a channel, Close and an Accept depend on each other only if there is a connection for that
// Accept. If there is none the Accept fails, in whatever order they come; unless its deadline has
// passed, which is said before.
type DoorState struct {
	header
	Half    HalfState // of Accept
	name    *NameState
	node    *NodeState // of the goroutine that listens
	label   string
	backlog []arrival
	dials   int32        // connections that were dialled
	ranks   int32        // Accepts, other than those that find or meet a deadline which has passed
	accepts []*Goroutine // which wait for a connection
	closed  int32        // event by which the listener was closed, -1 if it is open
	closer  *Goroutine   // waits until the connections in the backlog are reset
}

// arrival is a connection in the backlog.
type arrival struct {
	conn *WayState // from which the end that is accepted reads
	from string    // the address that it was dialled from
	ev   int32     // by which
}

func (d *DoorState) reset() {
	clear(d.backlog)
	clear(d.accepts)
	*d = DoorState{backlog: d.backlog[:0], accepts: d.accepts[:0], closed: -1}
	d.Half.reset()
	d.Half.door, d.Half.waits = d, &d.accepts
}

func (d *DoorState) Kind() string          { return "listener" }
func (d *DoorState) Label() string         { return d.label }
func (d *DoorState) blame(*Machine) string { return "which no goroutine dials" }

// address is what the listener was bound to, for reports.
func (d *DoorState) address() string { return strings.TrimPrefix(d.label, "listener ") }

func (d *DoorState) describe(m *Machine, g *Goroutine) bool {
	if g.Op.Kind == trace.OpAccept {
		a := trace.Access{Obj: d.ID, Mode: trace.ModeRecv, Idx: d.ranks + 1}
		if d.Half.expired {
			a.Idx = 0
		}
		g.Op.SetAccesses(a, d.Half.looks())
		return false
	}
	g.Op.SetAccesses(trace.Access{Obj: d.ID, Mode: trace.ModeClose, Idx: d.dials},
		trace.Access{Obj: d.name.ID, Mode: trace.ModeWrite}, d.Half.looks(), d.Half.closes())
	m.readClock(g)
	return false
}

func (d *DoorState) perform(m *Machine, g *Goroutine, alt int32) {
	g.Reply.v, g.Reply.Val = nil, int64(live.SocketOK)
	if g.Op.Kind == trace.OpNetClose {
		d.close(m, g)
		return
	}
	if !d.Half.expired {
		d.ranks++
	}
	if !d.accept(m, g) {
		g.State = StateWaiting
		d.accepts = append(d.accepts, g)
	}
}

// accept gives g a connection, or the reason why there will be none, and reports whether it has.
func (d *DoorState) accept(m *Machine, g *Goroutine) bool {
	switch {
	case d.closed >= 0:
		m.settle(g, live.SocketClosed, d.closed)
	case d.Half.expired:
		m.settle(g, live.SocketTimeout, d.Half.event)
	case len(d.backlog) > 0:
		a := d.backlog[0]
		d.backlog = slices.Delete(d.backlog, 0, 1)
		m.settle(g, live.SocketOK, a.ev)
		g.Reply.v = Accepted{a.conn, a.from}
	default:
		return false
	}
	return true
}

// Accepted is the reply to an OpAccept: the way that the new end reads from, and the address that
// it was dialled from.
type Accepted struct {
	Conn *WayState
	From string
}

// arrive adds a connection to the backlog.
func (d *DoorState) arrive(m *Machine, a arrival) {
	d.dials++
	d.backlog = append(d.backlog, a)
	if len(d.accepts) > 0 {
		g := d.accepts[0]
		d.accepts = slices.Delete(d.accepts, 0, 1)
		d.accept(m, g)
		m.release(g)
	}
}

// close closes the listener. The connections in its backlog are reset, each by an event of an agent
// of its own. So Close depends on none of them. It returns when they are reset.
func (d *DoorState) close(m *Machine, g *Goroutine) {
	if d.closed >= 0 {
		m.settle(g, live.SocketClosed, d.closed)
		return
	}
	d.closed = m.current()
	d.name.unbind(d, nil)
	d.Half.shut(m)
	m.settleAll(&d.accepts, live.SocketClosed, d.closed)
	if len(d.backlog) > 0 {
		d.closer, g.State = g, StateWaiting
	}
	for _, a := range d.backlog {
		w := a.conn
		w.orphan.door = d
		agent := m.agentOf(w.orphan.maker, w.orphan.number)
		agent.Pseudo = true
		if m.Keys != nil {
			m.Keys.begets(w, agent)
		}
		m.after(agent, g)
		agent.Op.Kind, agent.Op.PC = trace.OpNetClose, g.Op.PC
		agent.Req = request{Obj: w, Mem: agent.Req.Mem, Cases: agent.Req.Cases}
		m.Post(agent)
	}
}

// hasReset is called when the agent has reset a connection.
func (d *DoorState) hasReset(m *Machine, agent *Goroutine) {
	m.edge(d.closer, agent.last)
	d.backlog = d.backlog[1:]
	if len(d.backlog) == 0 {
		m.release(d.closer)
	}
}
