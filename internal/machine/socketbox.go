package machine

import (
	"slices"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/sched/trace"
)

// BoxState is a socket of datagrams: a channel of those that were sent to it and not received.
type BoxState struct {
	header
	reader, writer HalfState
	name           *NameState
	node           *NodeState // of the goroutine that has opened it
	label          string
	queue          []datagram
	late           []datagram   // which arrive after the next one
	receives       []*Goroutine // which wait for a datagram
	noWaits        []*Goroutine // that wait to send: there are none
	closed         int32        // event by which the socket was closed, -1 if it is open
	refused        int32        // event by which what it has sent was refused, or -1
}

// datagram is what was sent, with the address that it was sent from.
type datagram struct {
	data []byte
	from string
	ev   int32
}

func (b *BoxState) reset() {
	clear(b.queue)
	clear(b.receives)
	clear(b.late)
	*b = BoxState{queue: b.queue[:0], late: b.late[:0], receives: b.receives[:0], closed: -1, refused: -1}
	b.reader.reset()
	b.writer.reset()
	b.reader.waits = &b.receives
	b.writer.waits = &b.noWaits
}

// Halves returns the halves that receive and send.
func (b *BoxState) Halves() (reader, writer *HalfState) { return &b.reader, &b.writer }

func (b *BoxState) Kind() string          { return "socket" }
func (b *BoxState) Label() string         { return b.label }
func (b *BoxState) blame(*Machine) string { return "to which no goroutine sends" }

func (b *BoxState) describe(m *Machine, g *Goroutine) bool {
	if g.Op.Kind == trace.OpNetClose {
		g.Op.SetAccesses(trace.Access{Obj: b.ID, Mode: trace.ModeAll}, trace.Access{Obj: b.name.ID, Mode: trace.ModeWrite},
			trace.Access{Obj: b.reader.ID, Mode: trace.ModeWrite}, b.reader.closes(),
			trace.Access{Obj: b.writer.ID, Mode: trace.ModeWrite}, b.writer.closes())
		m.readClock(g)
		return true
	}
	g.Op.SetAccesses(trace.Access{Obj: b.ID, Mode: trace.ModeRecv}, b.reader.looks())
	return true
}

func (b *BoxState) perform(m *Machine, g *Goroutine, alt int32) {
	g.Reply.v, g.Reply.Val = nil, int64(live.SocketOK)
	switch {
	case g.Op.Kind == trace.OpNetClose:
		b.close(m, g)
	case !b.receive(m, g):
		g.State = StateWaiting
		b.receives = append(b.receives, g)
	}
}

// Received is the reply to an OpReceiveFrom.
type Received struct {
	Data []byte
	From string
}

// receive gives g a datagram, or the reason why there is none, and reports whether it has.
func (b *BoxState) receive(m *Machine, g *Goroutine) bool {
	switch {
	case b.closed >= 0:
		m.settle(g, live.SocketClosed, b.closed)
	case b.reader.expired:
		m.settle(g, live.SocketTimeout, b.reader.event)
	case b.hears(m, g):
	case len(b.queue) > 0:
		d := b.queue[0]
		b.queue = slices.Delete(b.queue, 0, 1)
		m.settle(g, live.SocketOK, d.ev)
		g.Reply.v = Received{d.data, d.from}
	default:
		return false
	}
	return true
}

// hears tells g that a datagram was refused, if one was and g does not know.
func (b *BoxState) hears(m *Machine, g *Goroutine) bool {
	if b.refused < 0 {
		return false
	}
	m.settle(g, live.SocketRefused, b.refused)
	b.refused = -1
	return true
}

func (b *BoxState) close(m *Machine, g *Goroutine) {
	if b.closed >= 0 {
		m.settle(g, live.SocketClosed, b.closed)
		return
	}
	b.closed = m.current()
	b.name.unbind(nil, b)
	b.reader.shut(m)
	b.writer.shut(m)
	m.settleAll(&b.receives, live.SocketClosed, b.closed)
	clear(b.queue)
	clear(b.late)
	b.queue, b.late = b.queue[:0], b.late[:0]
}

// describeSend sets the accesses of sending a datagram to a name. A connected socket may hear that
// a datagram was refused, and so may a goroutine that receives there.
func (s *NameState) describeSend(g *Goroutine, r *NameRequest) {
	from, to := r.Box, s.at(r.Place)
	as := []trace.Access{{Obj: s.ID, Mode: trace.ModeRead}, from.writer.looks()}
	if r.Connected {
		as = append(as, trace.Access{Obj: from.ID, Mode: trace.ModeAll}, from.reader.looks())
	}
	if to != nil && to.box != nil && (to.box != from || !r.Connected) {
		as = append(as, trace.Access{Obj: to.box.ID, Mode: trace.ModeSend}, to.box.reader.looks())
	}
	g.Op.ShareAccesses(as)
}

// send sends a datagram to the socket that has the place. It is lost if there is none.
func (s *NameState) send(m *Machine, g *Goroutine, r *NameRequest) {
	from, to := r.Box, s.at(r.Place)
	switch {
	case from.closed >= 0:
		m.settle(g, live.SocketClosed, from.closed)
	case from.writer.expired:
		m.settle(g, live.SocketTimeout, from.writer.event)
	case r.Connected && from.hears(m, g):
	case r.Lost, to != nil && to.box != nil && apart(from.node, to.box.node):
	case to != nil && to.box != nil:
		d := datagram{r.Data, r.From, m.current()}
		if r.Late {
			to.box.late = append(to.box.late, d)
			return
		}
		to.box.arrive(m, d)
		for _, d := range to.box.late {
			d.ev = m.current()
			to.box.arrive(m, d)
		}
		to.box.late = to.box.late[:0]
	case r.Connected:
		from.refused = m.current()
		if len(from.receives) > 0 {
			from.next(m)
		}
	}
}

// arrive adds a datagram to those that wait to be received.
func (b *BoxState) arrive(m *Machine, d datagram) {
	b.queue = append(b.queue, d)
	if len(b.receives) > 0 {
		b.next(m)
	}
}

// next lets the first goroutine go on that waits to receive.
func (b *BoxState) next(m *Machine) {
	g := b.receives[0]
	b.receives = slices.Delete(b.receives, 0, 1)
	b.receive(m, g)
	m.release(g)
}
