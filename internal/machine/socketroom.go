package machine

import "slices"

// This file has Writes that wait for room. What a Write has written can be read at once, all of it.
// The Write ends when no more than the room is unread up to its end: then the system would have
// taken over all its bytes. So, as with a channel, what a Read gets does not depend on room: the
// Read that makes room for a Write, and the Write, are independent. A Write that fails while it
// waits has written what there was room for. The rest is withdrawn. What makes it fail depends on
// every Read.

// RoomOfWay is how many bytes may be unread in a direction of a connection when a Write ends. Linux
// has about as much for a Unix socket, and for a TCP connection up to 4 MiB, which depends on the
// machine. Other systems have less.
const RoomOfWay = 256 << 10

// Wrote is the reply to an OpNetWrite of which something is to be said.
type Wrote struct {
	N       int  // bytes, of a Write that has failed
	Limited bool // a Read has to come before the end of the Write, since room is limited
}

// MoreRoom is said of a TCP connection that is full.
const MoreRoom = "the system may have room for more"

// full says why a Write waits for ever.
func (w *WayState) full() string {
	what := "256 KiB are unread"
	if !w.unix {
		what += "; " + MoreRoom
	}
	return "which is full (" + what + "), and from which no goroutine reads"
}

// put adds what g writes as a piece. It reports whether the Write ends now. Else g waits for room.
func (w *WayState) put(m *Machine, g *Goroutine) (ended bool) {
	data := g.Req.x.([]byte)
	w.pieces = append(w.pieces, segment{data, g.last})
	w.sent++
	if w.stalled() {
		w.fault.hidden++
	}
	w.written += len(data)
	w.asked += len(data)
	w.serve(m)
	if w.unread() > RoomOfWay {
		w.writes = append(w.writes, g)
		return false
	}
	w.endWrite(m, g, w.written)
	return true
}

// endWrites ends the Writes that a Read has made room for.
func (w *WayState) endWrites(m *Machine) {
	for len(w.writes) > 0 {
		g, end := w.writes[0], w.written
		for _, later := range w.writes[1:] {
			end -= len(later.Req.x.([]byte))
		}
		if end-w.read() > RoomOfWay {
			return
		}
		w.writes = slices.Delete(w.writes, 0, 1)
		w.endWrite(m, g, end)
		if w.fault.arrives {
			m.follow(g, m.current())
		}
		m.release(g)
	}
}

// endWrite orders what g does after a Write of everything up to end after the Read that has made
// room for it.
func (w *WayState) endWrite(m *Machine, g *Goroutine, end int) {
	if before := end - RoomOfWay; before > 0 {
		i, _ := slices.BinarySearchFunc(w.taken, before, func(r reading, n int) int { return r.upTo - n })
		m.edge(g, w.taken[i].ev)
		g.Reply.v = Wrote{Limited: true}
	}
}

// failWrites ends the Writes that wait for room, by an event. They have written what there is room
// for.
func (w *WayState) failWrites(m *Machine, s SocketStatus, ev int32) {
	if len(w.writes) == 0 {
		return
	}
	start, limit := w.written, w.read()+RoomOfWay
	for _, g := range w.writes {
		start -= len(g.Req.x.([]byte))
	}
	for _, g := range w.writes {
		size := len(g.Req.x.([]byte))
		m.settle(g, s, ev)
		g.Reply.v = Wrote{max(0, min(limit-start, size)), true}
		start += size
		m.release(g)
	}
	clear(w.writes)
	w.writes = w.writes[:0]
	w.withdraw(limit)
}

// withdraw takes back what was written after the first bytes.
func (w *WayState) withdraw(bytes int) {
	for excess := w.written - bytes; excess > 0; {
		last := &w.pieces[len(w.pieces)-1]
		n := min(excess, len(last.data))
		if last.data = last.data[:len(last.data)-n]; len(last.data) == 0 {
			w.pieces = w.pieces[:len(w.pieces)-1]
			w.fault.hidden = max(0, w.fault.hidden-1)
		}
		excess -= n
	}
	w.written = min(w.written, bytes)
}
