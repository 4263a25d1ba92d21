package network

import (
	"time"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// A Packets is a socket of datagrams, like a net.PacketConn. Datagrams are neither lost nor come in
// another order, unless no socket has the name that they are sent to.
type Packets struct {
	socket
	b *machine.BoxState
}

// ListenPackets makes a socket of datagrams. Nothing can be sent to a socket with the name "".
// Label is what reports call its own address.
func ListenPackets(name, place, label string) (*Packets, error) {
	g := machine.Enter("ListenPacket")
	v, err := askName(g, trace.OpListen, name, &machine.NameRequest{Place: place, Label: label, Datagrams: true})
	if err != nil {
		return nil, err
	}
	p := &Packets{made(g), v.(*machine.BoxState)}
	g.Opens(p)
	return p, nil
}

// SendTo sends a copy of data to the socket that has the name and place. From is the address that
// ReceiveFrom returns there. A datagram that no socket receives is lost. If connected was set, the
// next ReceiveFrom returns Refused then, or the next SendTo for which connected is set.
func (p *Packets) SendTo(name, place, from string, data []byte, connected bool) error {
	g := p.enter("WriteTo")
	if g == nil {
		return Closed
	}
	r := &machine.NameRequest{Place: place, From: from, Box: p.b, Data: append([]byte(nil), data...), Connected: connected}
	fault := beforeSend(g, name)
	r.Lost, r.Late = fault == faults.Lose, fault == faults.Late
	_, err := askName(g, trace.OpSendTo, name, r)
	if err == nil && fault == faults.Double {
		twin := *r
		_, err = askName(g, trace.OpSendTo, name, &twin)
	}
	if g.M.Record && err == nil {
		g.NoteResult(string(data))
	}
	return err
}

// ReceiveFrom waits for a datagram. It returns the datagram, which the caller must not change, and
// the address that it was sent from.
func (p *Packets) ReceiveFrom() (data []byte, from string, err error) {
	g := p.enter("ReadFrom")
	if g == nil {
		return nil, "", Closed
	}
	v := g.AskValues(trace.OpReceiveFrom, p.b, 0, nil, nil)
	err = failure(machine.SocketStatus(g.Reply.Val))
	r, _ := v.(machine.Received)
	if g.M.Record {
		noteData(g, r.Data, err)
	}
	return r.Data, r.From, err
}

// Close closes the socket. Operations that wait fail.
func (p *Packets) Close() error { return p.closing(p.b, p) }

// CloseByNode closes the socket for g, when its node has stopped.
func (p *Packets) CloseByNode(g *machine.Goroutine) { g.AskValues(trace.OpNetClose, p.b, 0, nil, nil) }

// Number returns a number that is the same in every schedule.
func (p *Packets) Number() int32 { return p.b.ID }

// Ask returns [Closed] if the socket is closed.
func (p *Packets) Ask() error {
	r, _ := p.b.Halves()
	return p.ask(r)
}

// SetReadDeadline lets ReceiveFrom fail after wait, also where it waits already. If wait is not
// positive it fails at once; see also NoDeadline.
func (p *Packets) SetReadDeadline(wait time.Duration) error {
	r, _ := p.b.Halves()
	return p.limit(r, wait)
}

// SetWriteDeadline is SetReadDeadline for SendTo.
func (p *Packets) SetWriteDeadline(wait time.Duration) error {
	_, w := p.b.Halves()
	return p.limit(w, wait)
}
