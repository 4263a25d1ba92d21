package machine

import (
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/sched/trace"
)

// NameState is a name by which sockets are found, such as that of a TCP port: see package live for
// what names and places are. Dialling reads it, and what makes or closes a listener writes it. So
// uses of different names have nothing to do with each other.
type NameState struct {
	header
	name  string
	bound []binding
}

// binding is a socket that has a place of a name: a listener or a socket of datagrams.
type binding struct {
	place string
	door  *DoorState
	box   *BoxState
}

// FileFault makes the operation of a fault of a file, which g uses next, and returns which of alts
// alternatives comes. Label is what reports call the file.
func (g *Goroutine) FileFault(f faults.Fault, label string, alts int) int {
	g.AskNumbers(trace.OpFault, g.M.FindName("file "+label), uint64(f.Kind), uint64(alts))
	return int(g.Reply.Val)
}

// FindName returns the state of a name.
func (m *Machine) FindName(name string) *NameState {
	if s := m.nameState(name); s != nil {
		return s
	}
	if m.named(true) {
		if s := m.nameState(name); s != nil {
			return s
		}
	}
	s := Take[NameState](m)
	s.name = name
	m.Admit(s)
	m.Store.names = append(m.Store.names, s)
	return s
}

func (m *Machine) nameState(name string) *NameState {
	for _, s := range m.Store.names {
		if s.name == name {
			return s
		}
	}
	return nil
}

func (s *NameState) reset() {
	clear(s.bound)
	s.name, s.bound = "", s.bound[:0]
}

func (s *NameState) Kind() string          { return "address" }
func (s *NameState) Label() string         { return s.name }
func (s *NameState) blame(*Machine) string { return "" }

// covers reports whether a socket that is bound to a place has what comes to the place asked.
func covers(bound, asked string) bool {
	return bound == asked || bound == "*" || len(bound) == 1 && asked != "" && bound[0] == asked[0]
}

// at returns the socket to which what is sent to a place goes, an exact match first; or nil.
func (s *NameState) at(place string) *binding {
	var found *binding
	for i := range s.bound {
		if b := &s.bound[i]; b.place == place {
			return b
		} else if covers(b.place, place) && (found == nil || found.place == "*") {
			found = b
		}
	}
	return found
}

// taken reports whether no further socket can have a place.
func (s *NameState) taken(place string) bool {
	return slices.ContainsFunc(s.bound, func(b binding) bool { return covers(b.place, place) || covers(place, b.place) })
}

func (s *NameState) unbind(door *DoorState, box *BoxState) {
	s.bound = slices.DeleteFunc(s.bound, func(b binding) bool { return b.door == door && b.box == box })
}

// NameRequest is what an OpListen, OpDial or OpSendTo asks of a name.
type NameRequest struct {
	Place     string
	Label     string    // OpListen: what reports call the address
	From      string    // OpDial, OpSendTo: the address that the other end is told
	Unix      bool      // OpDial: the connection is that of a Unix socket
	Datagrams bool      // OpListen: the socket is one of datagrams
	Box       *BoxState // OpSendTo: the socket that sends
	Data      []byte    // OpSendTo
	Connected bool      // OpSendTo: Box hears of it if no socket has the place
	Lost      bool      // OpSendTo: the datagram does not arrive
	Late      bool      // OpSendTo: the datagram arrives after the next one
}

func (s *NameState) describe(m *Machine, g *Goroutine) bool {
	if g.Op.Kind == trace.OpFault {
		g.Op.Touch(s.ID, trace.ModeRead)
		if g.Req.arg2 > 1 {
			g.Op.Alts = int32(g.Req.arg2)
		}
		return true
	}
	r := g.Req.x.(*NameRequest)
	switch g.Op.Kind {
	case trace.OpListen:
		g.Op.Touch(s.ID, trace.ModeWrite)
		return true
	case trace.OpDial:
		g.Op.Touch(s.ID, trace.ModeRead)
		if b := s.at(r.Place); b != nil && b.door != nil {
			g.Op.SetAccesses(trace.Access{Obj: s.ID, Mode: trace.ModeRead}, trace.Access{Obj: b.door.ID, Mode: trace.ModeSend}, b.door.Half.looks())
		}
	case trace.OpSendTo:
		s.describeSend(g, r)
	}
	return false
}

func (s *NameState) perform(m *Machine, g *Goroutine, alt int32) {
	g.Reply.v, g.Reply.Val = nil, int64(live.SocketOK)
	if g.Op.Kind == trace.OpFault {
		g.Reply.Val = int64(alt)
		return // the caller does what the fault is
	}
	r := g.Req.x.(*NameRequest)
	switch g.Op.Kind {
	case trace.OpListen:
		s.listen(m, g, r)
	case trace.OpDial:
		s.dial(m, g, r)
	case trace.OpSendTo:
		s.send(m, g, r)
	}
}

// listen makes a listener, or a socket of datagrams.
func (s *NameState) listen(m *Machine, g *Goroutine, r *NameRequest) {
	if r.Place == live.SocketFile {
		clear(s.bound)
		s.bound = s.bound[:0]
	}
	switch {
	case s.name != "" && s.taken(r.Place):
		g.Reply.Val = int64(live.SocketInUse)
	case r.Datagrams:
		b := Take[BoxState](m)
		b.name, b.label, b.node = s, "socket "+r.Label, g.Origin.node
		m.admitBy(g, b)
		m.admitHalf(g, &b.reader)
		m.admitHalf(g, &b.writer)
		g.Reply.v = b
		s.bound = append(s.bound, binding{place: r.Place, box: b})
	default:
		d := Take[DoorState](m)
		d.name, d.label, d.node = s, "listener "+r.Label, g.Origin.node
		m.admitBy(g, d)
		m.admitHalf(g, &d.Half)
		g.Reply.v = d
		s.bound = append(s.bound, binding{place: r.Place, door: d})
	}
}

// dial makes a connection, and lets it wait for an Accept.
func (s *NameState) dial(m *Machine, g *Goroutine, r *NameRequest) {
	b := s.at(r.Place)
	if b == nil || b.door == nil {
		g.Reply.Val = int64(live.SocketRefused)
		return
	}
	if apart(g.Origin.node, b.door.node) {
		g.Reply.Val = int64(live.SocketAgain) // the caller tries again later
		return
	}
	from, _, _ := strings.Cut(r.From, "->")
	out := m.connect(g, from, b.door.address(), r.Unix, b.door.node)
	g.Reply.v = out.back
	b.door.arrive(m, arrival{conn: out, from: r.From, ev: m.current()})
}
