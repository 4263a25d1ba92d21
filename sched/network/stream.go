package network

import (
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// socket is what all sockets have: the execution that made them.
type socket struct {
	m     *machine.Machine
	epoch uint64
}

func made(g *machine.Goroutine) socket { return socket{g.M, g.M.Epoch} }

// enter returns the calling goroutine, or nil if the socket belongs to another execution.
func (s *socket) enter(what string) *machine.Goroutine {
	if g := machine.Enter(what); s.m == g.M && s.epoch == g.M.Epoch {
		return g
	}
	return nil
}

// leave is enter for operations that give up something. It returns nil also if the execution is
// being unwound.
func (s *socket) leave(what string) *machine.Goroutine {
	if g := machine.Leave(what); g != nil && s.m == g.M && s.epoch == g.M.Epoch {
		return g
	}
	return nil
}

// askName makes a request to a name.
func askName(g *machine.Goroutine, kind trace.Kind, name string, r *machine.NameRequest) (any, error) {
	v := g.AskValues(kind, g.M.FindName(name), 0, r, nil)
	err := failure(machine.SocketStatus(g.Reply.Val))
	if g.M.Record && err != nil {
		g.NoteResult(err.Error())
	}
	return v, err
}

// A Listener is a socket that is dialled, like a net.Listener.
type Listener struct {
	socket
	d *machine.DoorState
}

// Listen makes a listener. Label is what reports call its address.
func Listen(name, place, label string) (*Listener, error) {
	g := machine.Enter("Listen")
	v, err := askName(g, trace.OpListen, name, &machine.NameRequest{Place: place, Label: label})
	if err != nil {
		return nil, err
	}
	l := &Listener{made(g), v.(*machine.DoorState)}
	g.Opens(l)
	return l, nil
}

// Accept waits for a connection. It returns the connection, and what Dial was given as from.
func (l *Listener) Accept() (c *Conn, from string, err error) {
	g := l.enter("Accept")
	if g == nil {
		return nil, "", Closed
	}
	siteOf(g, 0)
	v := g.AskValues(trace.OpAccept, l.d, 0, nil, nil)
	if err := failure(machine.SocketStatus(g.Reply.Val)); err != nil {
		g.NoteResult(err.Error())
		return nil, "", err
	}
	a := v.(machine.Accepted)
	return newConn(g, a.Conn), a.From, nil
}

// Close closes the listener. Connections that were not accepted are reset, and Accept fails.
func (l *Listener) Close() error {
	return l.closing(l.d, l)
}

// CloseByNode closes the listener for g, when its node has stopped.
func (l *Listener) CloseByNode(g *machine.Goroutine) { g.AskValues(trace.OpNetClose, l.d, 0, nil, nil) }

// Number returns a number that is the same in every schedule.
func (l *Listener) Number() int32 { return l.d.ID }

// closing closes the socket with that state.
func (s *socket) closing(o machine.Object, by machine.Socket) error {
	g := s.leave("Close")
	if g == nil {
		return Closed
	}
	g.Closes(by)
	g.AskValues(trace.OpNetClose, o, 0, nil, nil)
	return failure(machine.SocketStatus(g.Reply.Val))
}

// SetDeadline lets Accept fail after wait, also where it waits already. If wait is not positive
// it fails at once; see also NoDeadline.
func (l *Listener) SetDeadline(wait time.Duration) error { return l.limit(&l.d.Half, wait) }

// NoDeadline ends the effect of a deadline.
const NoDeadline = time.Duration(-1 << 63)

// limit sets the deadline of a half.
func (s *socket) limit(h *machine.HalfState, wait time.Duration) error {
	g := s.leave("SetDeadline")
	if g == nil {
		return Closed
	}
	kind := uint64(machine.LaterDeadline)
	switch {
	case wait == NoDeadline:
		kind = machine.NoDeadline
	case wait <= 0:
		kind = machine.PassedDeadline
	}
	err := failure(h.SetDeadline(g, kind, int64(wait)))
	if g.M.Record {
		g.NoteResult(deadlineText(kind, wait))
	}
	return err
}

// ask returns Closed if the socket of a half is closed.
func (s *socket) ask(h *machine.HalfState) error {
	g := s.leave("Ask")
	if g == nil {
		return Closed
	}
	return failure(h.SetDeadline(g, machine.AsksDeadline, 0))
}

// Ask returns [Closed] if the listener is closed.
func (l *Listener) Ask() error { return l.ask(&l.d.Half) }

// Ask returns [Closed] if this end is closed.
func (c *Conn) Ask() error { return c.ask(&c.in.Reader) }

func deadlineText(kind uint64, wait time.Duration) string {
	switch kind {
	case machine.NoDeadline:
		return "none"
	case machine.PassedDeadline:
		return "passed"
	}
	return "in " + wait.String()
}

// A Conn is an end of a connection, like a net.Conn.
type Conn struct {
	socket
	in *machine.WayState
}

// newConn returns an end that g has opened, and that reads from in.
func newConn(g *machine.Goroutine, in *machine.WayState) *Conn {
	c := &Conn{made(g), in}
	in.HeldAs(unsafe.Pointer(c))
	g.Opens(c)
	return c
}

// Dial connects to a listener. The connection waits there until it is accepted. From is the
// address that Accept returns; reports call it by what comes before "->". If unix is set the
// connection is that of a Unix socket, else one of TCP.
func Dial(name, place, from string, unix bool) (*Conn, error) {
	return DialWithin(name, place, from, unix, func() (int64, bool) { return 0, false })
}

// DialWithin is Dial for a caller that has a limit of time. Limit returns how many nanoseconds
// are left, and false if there is no limit. It is called if the dial takes time. If it takes
// too long the error is Timeout.
func DialWithin(name, place, from string, unix bool, limit func() (wait int64, ok bool)) (*Conn, error) {
	g := machine.Enter("Dial")
	if err := beforeDial(g, name, unix, limit); err != nil {
		return nil, err
	}
	for wait := time.Second; ; wait *= 2 {
		v, err := askName(g, trace.OpDial, name, &machine.NameRequest{Place: place, From: from, Unix: unix})
		switch {
		case err == nil:
			return newConn(g, v.(*machine.WayState)), nil
		case err != Again:
			return nil, err
		}
		// The node of the listener is cut off. The system tries again after a second, two more,
		// and so on up to 127 seconds.
		if left, ok := limit(); ok && left < int64(wait) {
			g.Sleep(time.Duration(max(left, 0)))
			return nil, Timeout
		}
		if g.Sleep(wait); wait >= 64*time.Second {
			return nil, Unanswered
		}
	}
}

// Read waits for data, and returns up to n bytes of what one Write has written, or of more or
// less than that if [sched.ModelStream] is explored. The caller must not change them. After the
// last one it returns io.EOF.
func (c *Conn) Read(n int) ([]byte, error) {
	return c.ReadFor(n, func() bool { return false })
}

// ReadFor is Read for a caller that may read on until it has what it needs, which joins
// reports. It makes no difference to such a caller how much it gets. So that is what one Write
// has written.
func (c *Conn) ReadFor(n int, joins func() bool) ([]byte, error) {
	g := c.enter("Read")
	if g == nil {
		return nil, Closed
	}
	c.beforeRead(g)
	if g.M.Model&machine.ModelStream != 0 && !joins() {
		return c.read(g, n, nil, machine.Streams)
	}
	data, err := c.read(g, n, nil, nil)
	if err == nil && len(data) < n && g.M.Model&machine.ModelStream == 0 && !joins() {
		g.M.Exec.Assume(g, machine.AssumeModel, machine.SeveralMessages)
	}
	return data, err
}

// Peek returns what Read would return next, and leaves it there. With wait set it waits for that;
// else its error is [Again] if there is nothing.
func (c *Conn) Peek(wait bool) ([]byte, error) {
	g := c.enter("Read")
	if g == nil {
		return nil, Closed
	}
	if wait {
		return c.read(g, 1, machine.PeekWaits, nil)
	}
	return c.read(g, 1, machine.PeekNow, nil)
}

// read makes an OpNetRead. Peek is nil, or says that nothing is taken. Portion is nil, or
// [machine.Streams].
func (c *Conn) read(g *machine.Goroutine, n int, peek, portion any) ([]byte, error) {
	v := g.AskValues(trace.OpNetRead, c.in, uint64(max(n, 0)), peek, portion)
	err := failure(machine.SocketStatus(g.Reply.Val))
	data, _ := v.([]byte)
	if p, ok := v.(machine.Portion); ok {
		what := "a part, "
		if p.Joined {
			what = "several Writes, "
		}
		g.NoteResult(what + string(p.Data))
		return p.Data, err
	}
	if g.M.Record {
		noteData(g, data, err)
	}
	return data, err
}

// noteData shows what was read, or written, in a recorded execution.
func noteData(g *machine.Goroutine, data []byte, err error) {
	if err != nil {
		g.NoteResult(err.Error())
	} else {
		g.NoteResult(string(data))
	}
}

// Room is how many bytes of what was written to a connection may be unread when a Write returns.
const Room = machine.RoomOfWay

// limitedRoom is the assumption that no connection has more room.
const limitedRoom = "a Write to a connection, which may return while more than 256 KiB are unread"

// Write writes a copy of data, and waits until no more than Room is unread up to its end. If it
// fails it returns how much of data was written, which can be read.
func (c *Conn) Write(data []byte) (n int, err error) {
	g := c.enter("Write")
	if g == nil {
		return 0, Closed
	}
	if part := c.beforeWrite(g, len(data)); part > 0 {
		return c.writePart(g, data, part)
	}
	return c.write(g, data)
}

// write makes an OpNetWrite.
func (c *Conn) write(g *machine.Goroutine, data []byte) (n int, err error) {
	v := g.AskValues(trace.OpNetWrite, c.in.Back(), 0, append([]byte(nil), data...), nil)
	wrote, _ := v.(machine.Wrote)
	if n = len(data); g.Reply.Val != 0 {
		n, err = wrote.N, failure(machine.SocketStatus(g.Reply.Val))
	}
	if wrote.Limited {
		g.M.Exec.Assume(g, machine.AssumeModel, limitedRoom)
	}
	if g.M.Record {
		noteData(g, data, err)
	}
	return n, err
}

// shut makes an OpShut to a direction.
func (c *Conn) shut(what string, w *machine.WayState, how uint64) error {
	g := c.leave(what)
	if g == nil {
		return Closed
	}
	g.AskValues(trace.OpShut, w, how, nil, nil)
	return failure(machine.SocketStatus(g.Reply.Val))
}

// CloseWrite ends what is written: the peer reads io.EOF after it.
func (c *Conn) CloseWrite() error { return c.shut("CloseWrite", c.in.Back(), machine.ShutWrite) }

// CloseRead ends what is read: a Read that waits, or finds nothing, returns io.EOF.
func (c *Conn) CloseRead() error { return c.shut("CloseRead", c.in, machine.ShutRead) }

// SetLinger lets Close reset the connection, if on is set. Else Close does so only if there is
// something that was not read.
func (c *Conn) SetLinger(on bool) error {
	how := uint64(machine.NoLinger)
	if on {
		how = machine.Linger
	}
	return c.shut("SetLinger", c.in, how)
}

// Close closes this end. Operations of this end that wait fail. The peer reads what was written
// and then io.EOF, or hears of a reset if something was not read at this end.
func (c *Conn) Close() error { return c.closing(c.in, c) }

// CloseByNode closes this end for g, when its node has stopped.
func (c *Conn) CloseByNode(g *machine.Goroutine) { g.AskValues(trace.OpNetClose, c.in, 0, nil, nil) }

// Number returns a number that is the same in every schedule.
func (c *Conn) Number() int32 { return c.in.ID }

// SetReadDeadline lets each Read fail after wait, also where it waits already. If wait is not
// positive it fails at once; see also NoDeadline.
func (c *Conn) SetReadDeadline(wait time.Duration) error { return c.limit(&c.in.Reader, wait) }

// SetWriteDeadline is SetReadDeadline for Write.
func (c *Conn) SetWriteDeadline(wait time.Duration) error {
	return c.limit(&c.in.Back().Writer, wait)
}
