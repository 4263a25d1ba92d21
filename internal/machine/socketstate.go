package machine

import (
	"math"
	"slices"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/sched/trace"
)

// SocketStatus is what has come of an operation of a socket: [live.SocketOK] and so on.
type SocketStatus = live.SocketStatus

// WayState is one direction of a connection: what one end writes and the other end reads, in the
// order in which it was written. Each Write makes a piece, and a Read takes one piece, or a part of
// it. So it is a channel of pieces: Writes and Reads are requests that do not depend on each other.
// A Read is granted by the Write that it gets a piece of. The end of what is written, or a reset,
// comes after the last piece, and stays there. What else an end does to its peer depends on all
// uses of the way.
//
// A Write ends when no more bytes are unread than the way has room for: see socketroom.go.
//
// A Close by the end that reads is the close of that channel: it depends on the Writes, and on a
// Read only if there is something for that Read. Otherwise the Read fails, in whatever order they
// come. A deadline of the Reads that passes does the same. What is for a Read depends on how much
// the Reads before it have taken, see readings.
//
// A deadline of the Writes changes what waits for room. So Writes, and the Reads that grant them,
// depend on it.
type WayState struct {
	header
	// The halves of the ends: Reader is the half that reads from the way, Writer the one that
	// writes to it.
	Reader, Writer HalfState
	back           *WayState // the other direction
	label          string    // "conn 127.0.0.1:40001 -> 127.0.0.1:8080"
	unix           bool
	orphan         orphan

	pieces  []segment
	sent    int32        // pieces that were written so far
	reads   []*Goroutine // which wait for a piece
	lately  readings
	writes  []*Goroutine // which wait for room; the last pieces are theirs
	written int          // bytes in all pieces so far
	asked   int          // written, and what was withdrawn
	taken   []reading    // what was read of them

	ending     ending // what comes after the last piece
	endEvent   int32  // by which
	told       bool   // a Read has told the reset
	shutWriter int32  // event by which the writer has ended what it writes, -1 if there is none
	shutReader int32  // event by which the reader's end reads no more, -1 if there is none
	fault      wayFault
	closed     [2]int32
	lost       int32          // event since which Writes fail: the end that reads is gone; or -1
	linger     bool           // the reader's end sends a reset when it is closed
	closing    []trace.Access // accesses of the latest Close that was looked at
}

// orphan is for a connection that is reset since its listener is closed before it is accepted. An
// agent does that: see DoorState.
type orphan struct {
	maker  *Goroutine // has dialled; the agent is one of its
	number int        // of the agent
	door   *DoorState // while that goes on
}

// segment is what one Write has written, or what is left of it.
type segment struct {
	data []byte
	ev   int32 // of the Write
}

// reading is how many bytes were read, by an event and those before it.
type reading struct {
	upTo int
	ev   int32
}

// ending is what comes after the last piece of a way.
type ending uint8

const (
	endOpen  ending = iota // further pieces
	endPlain               // the end of the data
	endReset               // a reset, once; then the end
)

// Indices of WayState.closed: the events by which the ends of a way were closed, or -1.
const (
	readerEnd = iota
	writerEnd
)

// Peek says that an OpNetRead leaves what it returns where it is.
type Peek uint8

const (
	PeekWaits Peek = iota + 1 // until there is something
	PeekNow                   // it does not wait, and so depends on what is written
)

// Kinds of OpShut.
const (
	ShutRead  = iota // of the way that the caller reads from
	ShutWrite        // of the way that the caller writes to
	Linger           // Close sends a reset
	NoLinger         // it does not, unless data is unread
)

func (w *WayState) reset() {
	clear(w.pieces)
	clear(w.reads)
	clear(w.writes)
	*w = WayState{pieces: w.pieces[:0], reads: w.reads[:0], writes: w.writes[:0], taken: w.taken[:0],
		endEvent: -1, shutWriter: -1, shutReader: -1, closed: [2]int32{-1, -1}, lost: -1}
	w.Reader.reset()
	w.Writer.reset()
	w.Reader.waits, w.Reader.in = &w.reads, w
	w.Writer.waits, w.Writer.out = &w.writes, w
}

// Back returns the other direction of the connection.
func (w *WayState) Back() *WayState { return w.back }

// connect makes the two directions of a connection of g, which dials: the first is what g writes.
func (m *Machine) connect(g *Goroutine, from, to string, unix bool, peer *NodeState) (out *WayState) {
	out, in := Take[WayState](m), Take[WayState](m)
	out.back, in.back = in, out
	out.label, in.label = "conn "+from+" -> "+to, "conn "+to+" -> "+from
	for _, w := range []*WayState{out, in} {
		w.unix, w.orphan = unix, orphan{maker: g, number: int(g.Made.Agents)}
		m.admitBy(g, w)
		m.admitHalf(g, &w.Reader)
		m.admitHalf(g, &w.Writer)
	}
	g.Made.Agents++
	out.fault.writer, out.fault.reader = g.Origin.node, peer
	in.fault.writer, in.fault.reader = peer, g.Origin.node
	return out
}

func (w *WayState) Kind() string { return "conn" }

// Label is what reports call the way.
func (w *WayState) Label() string { return w.label }

func (w *WayState) blame(*Machine) string {
	if text := w.apartText(); text != "" {
		return text
	}
	if len(w.writes) > 0 {
		return w.full()
	}
	return "to which no goroutine writes"
}

// access is an access of the way in a mode.
func (w *WayState) access(mode trace.Mode) trace.Access {
	if w.strict() {
		mode = trace.ModeAll
	}
	return trace.Access{Obj: w.ID, Mode: mode}
}

func (w *WayState) describe(m *Machine, g *Goroutine) bool {
	a := w.access(trace.ModeAll)
	switch g.Op.Kind {
	case trace.OpNetRead:
		g.Op.Alts = 1
		if g.Req.y == Streams {
			g.Op.Alts = int32(len(w.portions(g)))
		}
		switch {
		case w.shutReader >= 0, g.Req.x == PeekNow: // it does not wait
		case g.Req.y == Streams:
		case g.Req.Arg == 0:
			a.Mode = trace.ModeRecv // it fails after a Close, and at no other time
		default:
			a.Mode, a.Idx = trace.ModeRecv, w.lately.taken(g)+1
		}
	case trace.OpNetWrite:
		if !w.gone() { // else it changes how the connection fails
			a.Mode = trace.ModeSend
		}
	case trace.OpFault:
		w.describeFault(m, g)
		return false
	case trace.OpNetClose:
		w.describeClose(g)
		m.readClock(g) // deadlines do not pass any more
		return false
	default:
		switch g.Req.Arg {
		case ShutWrite:
			a.Mode = w.ends()
		case ShutRead:
			g.Op.SetAccesses(a, w.Writer.looks(), w.back.access(trace.ModeAll))
			return false
		}
	}
	if w.strict() {
		a.Mode, a.Idx = trace.ModeAll, 0
	}
	g.Op.SetAccesses(a, w.Writer.looks())
	if w.fault.reset && g.Op.Kind == trace.OpNetWrite {
		g.Op.TouchAlso(w.back.ID, trace.ModeAll) // either a Write or a Read is told of the reset
	}
	return false
}

// ends returns the mode of ending what is written: a further piece, unless a Write may have waited
// for room before it.
func (w *WayState) ends() trace.Mode {
	if w.asked > RoomOfWay || w.strict() {
		return trace.ModeAll
	}
	return trace.ModeSend
}

// shuts is the access of what makes Reads fail that find nothing yet: a Close, and a deadline that
// passes. It changes what the Reads get for which there is something.
func (w *WayState) shuts() trace.Access {
	if w.strict() {
		return w.access(trace.ModeAll)
	}
	a := trace.Access{Obj: w.ID, Mode: trace.ModeClose, Idx: w.sent}
	if w.ending != endOpen || w.Reader.expired {
		a.Idx = math.MaxInt32 // there is something for all
	}
	return a
}

// describeClose sets the accesses of a Close by the end that reads w.
func (w *WayState) describeClose(g *Goroutine) {
	shuts, ends := w.shuts(), w.back.access(w.back.ends())
	// Events keep the slice.
	if len(w.closing) == 0 || w.closing[0] != shuts || w.closing[1] != ends {
		w.closing = []trace.Access{shuts, ends, w.Writer.looks(), w.Reader.closes(), w.back.Writer.closes()}
	}
	g.Op.ShareAccesses(w.closing)
}

// gone reports whether the end that reads does so no more, or what is written goes nowhere.
func (w *WayState) gone() bool {
	return w.closed[readerEnd] >= 0 || w.shutReader >= 0 || w.lost >= 0
}

// deaf reports whether the end that reads has ended that after what it writes.
func (w *WayState) deaf() bool {
	ev := w.back.shutWriter
	return ev >= 0 && ev < w.shutReader
}

// unread returns how many bytes of pieces were not read.
func (w *WayState) unread() int { return w.written - w.read() }

// read returns how many bytes were read.
func (w *WayState) read() int {
	if n := len(w.taken); n > 0 {
		return w.taken[n-1].upTo
	}
	return 0
}

func (w *WayState) perform(m *Machine, g *Goroutine, alt int32) {
	g.Reply.v, g.Reply.Val = nil, int64(live.SocketOK)
	switch g.Op.Kind {
	case trace.OpNetRead:
		w.lately.add(g)
		if g.Req.y == Streams {
			g.Req.y = w.portions(g)[alt]
		}
		if !w.receive(m, g) {
			g.State = StateWaiting
			w.reads = append(w.reads, g)
		}
	case trace.OpNetWrite:
		if !w.write(m, g) {
			g.State = StateWaiting
		}
	case trace.OpShut:
		w.shut(m, g)
	case trace.OpFault:
		w.performFault(m, g, alt)
	case trace.OpNetClose:
		w.close(m, g, w.linger || g.Pseudo)
		if g.Pseudo {
			g.State = StateEnded
			w.orphan.door.hasReset(m, g)
		}
	}
}

// settle tells g what has come of its request by event ev, which is ordered before what g does
// next.
func (m *Machine) settle(g *Goroutine, s SocketStatus, ev int32) {
	g.Reply.v, g.Reply.Val = nil, int64(s)
	m.edge(g, ev)
}

// settleAll does that for goroutines that wait, and lets them go on.
func (m *Machine) settleAll(waiting *[]*Goroutine, s SocketStatus, ev int32) {
	for _, g := range *waiting {
		m.settle(g, s, ev)
		m.release(g)
	}
	clear(*waiting)
	*waiting = (*waiting)[:0]
}

// receive gives g, which reads, what there is to be told at once, and reports whether there is
// something.
func (w *WayState) receive(m *Machine, g *Goroutine) bool {
	switch n := int(g.Req.Arg); {
	case w.closed[readerEnd] >= 0:
		m.settle(g, live.SocketClosed, w.closed[readerEnd])
	case n == 0:
	case w.Reader.expired:
		m.settle(g, live.SocketTimeout, w.Reader.event)
	case w.arrived() > 0 && g.Req.x != nil:
		m.settle(g, live.SocketOK, w.pieces[0].ev)
		g.Reply.v = w.pieces[0].data
	case w.arrived() > 0:
		w.take(m, g, w.share(g, n))
	case w.ended() == endReset && !w.told:
		w.told = g.Req.x == nil
		m.settle(g, live.SocketReset, w.endEvent)
	case w.ended() != endOpen:
		m.settle(g, live.SocketEnd, w.endEvent)
	case w.shutReader >= 0:
		m.settle(g, live.SocketEnd, w.shutReader)
	case g.Req.x == PeekNow:
		g.Reply.Val = int64(live.SocketAgain)
	default:
		return false
	}
	return true
}

// take gives g the next n bytes, and lets goroutines write that wait for room.
func (w *WayState) take(m *Machine, g *Goroutine, n int) {
	w.taken = append(w.taken, reading{w.read() + n, g.last})
	data := w.cut(m, g, n)
	for rest := n - len(data); rest > 0; rest = n - len(data) {
		data = append(slices.Grow(data, rest), w.cut(m, g, rest)...)
	}
	g.Reply.v = data
	if how := g.Req.y; how == portionAll || how == portionByte {
		g.Reply.v = Portion{data, how == portionAll}
	}
	w.lately.took(g)
	w.endWrites(m)
}

// cut takes up to n bytes of the first piece.
func (w *WayState) cut(m *Machine, g *Goroutine, n int) []byte {
	p := &w.pieces[0]
	n = min(n, len(p.data))
	m.settle(g, live.SocketOK, p.ev)
	data := p.data[:n:n]
	if p.data = p.data[n:]; len(p.data) == 0 {
		w.pieces = slices.Delete(w.pieces, 0, 1)
		w.lately.emptied++
	}
	return data
}

// serve gives goroutines that wait for something to read what there is now.
func (w *WayState) serve(m *Machine) {
	for len(w.reads) > 0 && w.receive(m, w.reads[0]) {
		g := w.reads[0]
		w.reads = slices.Delete(w.reads, 0, 1)
		m.release(g)
	}
}

// write writes the data of g. It reports whether the Write has ended, or fails.
func (w *WayState) write(m *Machine, g *Goroutine) bool {
	switch {
	case w.closed[writerEnd] >= 0:
		m.settle(g, live.SocketClosed, w.closed[writerEnd])
	case w.Writer.expired:
		m.settle(g, live.SocketTimeout, w.Writer.event)
	case len(g.Req.x.([]byte)) == 0:
	case w.fault.reset && !w.back.told:
		w.back.told = true
		m.settle(g, live.SocketReset, w.lost)
	case w.shutWriter >= 0:
		g.Reply.Val = int64(live.SocketBroken)
	case w.gone():
		return w.writeToGone(m, g)
	default:
		return w.put(m, g)
	}
	return true
}

// writeToGone is write where the end that reads has closed the connection, or reads no more. A
// Unix socket says so at once. By TCP the first Write succeeds, and is answered by a reset: it
// makes later ones fail. An end that does not read any more still takes what comes, unless it had
// ended what it writes before that.
//
// Linux tells ECONNRESET once, to a Read or to a Write, whichever comes first. Here it is told to a
// Read, and to a Write that waits for room; so a Write and a Read of one end do not depend on each
// other.
func (w *WayState) writeToGone(m *Machine, g *Goroutine) bool {
	since := max(w.closed[readerEnd], w.shutReader)
	switch {
	case w.lost >= 0:
		m.settle(g, live.SocketBroken, w.lost)
	case w.unix:
		m.settle(g, live.SocketBroken, since)
	case w.closed[readerEnd] < 0 && !w.deaf():
		return w.put(m, g)
	default:
		w.lost = m.current()
		w.finish(m, endReset) // for an end that writes no more, and is not closed
	}
	return true
}

// finish says what comes after the last piece of w, unless that is known.
func (w *WayState) finish(m *Machine, e ending) {
	if w.ending == endOpen {
		w.ending, w.endEvent = e, m.current()
		w.serve(m)
	}
}

// shut carries out an OpShut.
func (w *WayState) shut(m *Machine, g *Goroutine) {
	end := readerEnd
	if g.Req.Arg == ShutWrite {
		end = writerEnd
	}
	if ev := w.closed[end]; ev >= 0 {
		m.settle(g, live.SocketClosed, ev)
		return
	}
	switch g.Req.Arg {
	case ShutWrite:
		if w.shutWriter < 0 {
			w.shutWriter = m.current()
		}
		w.failWrites(m, live.SocketBroken, m.current())
		w.finish(m, endPlain)
	case ShutRead:
		if w.shutReader < 0 {
			w.shutReader = m.current()
		}
		m.settleAll(&w.reads, live.SocketEnd, m.current())
		if w.unix {
			w.failWrites(m, live.SocketBroken, m.current())
		}
	case Linger, NoLinger:
		w.linger = g.Req.Arg == Linger
	}
}

// close closes the end that reads w, and writes to w.back. It sends a reset if something was not
// read, or if abort is set.
func (w *WayState) close(m *Machine, g *Goroutine, abort bool) {
	if ev := w.closed[readerEnd]; ev >= 0 {
		m.settle(g, live.SocketClosed, ev)
		return
	}
	ev, out := m.current(), w.back
	abort = abort || w.unread() > 0
	w.closed[readerEnd], out.closed[writerEnd] = ev, ev
	w.Reader.shut(m)
	out.Writer.shut(m)
	m.settleAll(&w.reads, live.SocketClosed, ev)
	out.failWrites(m, live.SocketClosed, ev)
	if abort {
		w.failWrites(m, live.SocketReset, ev)
	} else {
		w.failWrites(m, live.SocketBroken, ev)
	}
	clear(w.pieces)
	w.pieces, w.taken, w.fault.hidden = w.pieces[:0], append(w.taken, reading{w.written, ev}), 0
	if !abort {
		out.finish(m, endPlain)
		return
	}
	if w.lost < 0 {
		w.lost = ev
	}
	out.finish(m, endReset)
}
