package machine

import (
	"github.com/gopor/gopor/internal/asbytes"
	"github.com/gopor/gopor/sched/trace"
)

// This file has what sockets are in the key of a state. A connection, a listener and a socket of
// datagrams are known by the goroutine that has made them. What they carry is plain data, which is
// part of the key. Numbers that only count up are part of it where a footprint has them: how many
// Writes there were, or Accepts. So a state is met again in an execution as long as nothing is
// written to a connection.
//
// Faults have no keys: whether one comes is a matter of how often its goroutine has used sockets.

// bytes appends data that was written or received.
func (k *Keys) bytes(b, data []byte) []byte {
	return k.identify(append([]byte{'b'}, data...)).append(b)
}

// since appends whether an event has come, and what goroutines learn from it.
func (k *Keys) since(b []byte, ev int32) []byte { return k.event(asbytes.Truth(b, ev >= 0), ev) }

func (w *WayState) appendKey(k *Keys, b []byte) []byte {
	if k.m.Faults.Kinds != 0 || len(k.m.Faults.Plan) > 0 || w.strict() {
		k.lacks("a connection with faults")
	}
	b = asbytes.Number(append(b, 'W'), int64(len(w.pieces)))
	for i := range w.pieces {
		b = k.event(k.bytes(b, w.pieces[i].data), w.pieces[i].ev)
	}
	b = w.lately.appendKey(k.m, asbytes.Number(b, int64(w.sent)))
	b = asbytes.Number(b, int64(len(w.reads)))
	for _, g := range w.reads {
		how, _ := g.Req.y.(portion) // an alternative, which its history does not have yet
		b = append(asbytes.Number(b, int64(g.ID)), byte(how))
	}
	b = w.appendRoom(k, b)
	b = k.since(append(b, byte(w.ending)), w.endEvent)
	b = asbytes.Truth(asbytes.Truth(asbytes.Truth(asbytes.Truth(b, w.told), w.linger), w.deaf()), w.unix)
	for _, ev := range [...]int32{w.shutWriter, w.shutReader, w.closed[readerEnd], w.closed[writerEnd], w.lost} {
		b = k.since(b, ev)
	}
	return b
}

// appendRoom appends the Writes that wait for room, and which Reads have made room for Writes that
// end at what is written so far, or later.
func (w *WayState) appendRoom(k *Keys, b []byte) []byte {
	start := w.written
	for _, g := range w.writes {
		start -= len(g.Req.x.([]byte))
	}
	b = asbytes.Number(appendGs(b, w.writes), int64(w.unread()))
	b = asbytes.Number(asbytes.Number(b, int64(min(w.asked, RoomOfWay+1))), int64(min(w.written, RoomOfWay)))
	for _, r := range w.taken {
		if r.upTo > start-RoomOfWay {
			b = k.event(asbytes.Number(append(b, 't'), int64(r.upTo-w.written)), r.ev)
		}
	}
	return append(b, ';')
}

// appendKey appends the Reads that say, for some goroutine, how many pieces are gone. The age of
// one tells when the ring loses it.
func (r *readings) appendKey(m *Machine, b []byte) []byte {
	b = asbytes.Number(b, int64(r.emptied))
	var told []*Goroutine // which know a later Read
	for age := range min(r.n, len(r.ring)) {
		read := &r.ring[(r.n-1-age)%len(r.ring)]
		before := len(told)
		for _, g := range m.Goroutines {
			if g.State != StateUnborn && g.State != StateEnded && !among(told, g) && g.knowsOf(read.g, read.ev) {
				told = append(told, g)
			}
		}
		if len(told) > before {
			b = asbytes.Number(asbytes.Number(append(b, 'r'), int64(age)), int64(read.g.ID))
			b = appendGs(asbytes.Number(b, int64(read.emptied)), told[before:])
		}
	}
	return append(b, ';')
}

func among(list []*Goroutine, g *Goroutine) bool {
	for _, h := range list {
		if h == g {
			return true
		}
	}
	return false
}

func (h *HalfState) appendKey(k *Keys, b []byte) []byte {
	if b = asbytes.Truth(append(b, 'H'), h.expired); h.expired {
		b = k.event(b, h.event)
	}
	return k.since(b, h.closed)
}

func (s *NameState) appendKey(k *Keys, b []byte) []byte {
	b = append(asbytes.Number(append(b, 'A'), int64(len(s.name))), s.name...)
	for i := range s.bound {
		d := &s.bound[i]
		b = append(asbytes.Number(append(b, 'b'), int64(len(d.place))), d.place...)
		if d.door != nil {
			b = k.name(append(b, 'd'), d.door)
		} else {
			b = k.name(append(b, 's'), d.box)
		}
	}
	return b
}

func (d *DoorState) appendKey(k *Keys, b []byte) []byte {
	b = asbytes.Number(asbytes.Number(append(b, 'D'), int64(d.dials)), int64(d.ranks))
	b = appendID(appendGs(k.since(b, d.closed), d.accepts), d.closer)
	b = asbytes.Number(b, int64(len(d.backlog)))
	if d.closed >= 0 {
		return b // agents reset these, each as its history says
	}
	for i := range d.backlog {
		a := &d.backlog[i]
		o := &a.conn.orphan
		b = asbytes.Number(appendID(k.name(b, a.conn), o.maker), int64(o.number))
		b = k.event(append(asbytes.Number(b, int64(len(a.from))), a.from...), a.ev)
	}
	return b
}

func (b *BoxState) appendKey(k *Keys, to []byte) []byte {
	to = k.since(k.since(appendGs(append(to, 'B'), b.receives), b.closed), b.refused)
	for _, queue := range [2][]datagram{b.queue, b.late} {
		to = asbytes.Number(to, int64(len(queue)))
		for i := range queue {
			d := &queue[i]
			to = append(asbytes.Number(k.bytes(to, d.data), int64(len(d.from))), d.from...)
			to = k.event(to, d.ev)
		}
	}
	return to
}

// socketReply appends what a request to a socket has returned. What Listen and Dial make is named
// by the goroutine that calls them.
func (k *Keys) socketReply(b []byte, g *Goroutine) []byte {
	b = asbytes.Number(b, g.Reply.Val)
	switch v := g.Reply.v.(type) {
	case []byte:
		b = k.bytes(append(b, 'd'), v)
	case Portion:
		b = k.bytes(append(b, 'p'), v.Data)
	case Wrote:
		b = asbytes.Number(append(b, 'w'), int64(v.N))
	case Accepted:
		b = append(k.name(append(b, 'a'), v.Conn), v.From...)
	case Received:
		b = append(k.bytes(append(b, 'r'), v.Data), v.From...)
	}
	return b
}

// carries notes that g writes or sends data, which may hold a time that it was told.
func (k *Keys) carries(g *Goroutine) { k.dated = k.dated || g.past.timed }

// isSocket reports whether requests of a kind are made to sockets.
func isSocket(kind trace.Kind) bool {
	switch kind {
	case trace.OpListen, trace.OpDial, trace.OpAccept, trace.OpNetRead, trace.OpNetWrite, trace.OpShut, trace.OpNetClose,
		trace.OpSendTo, trace.OpReceiveFrom, trace.OpDeadline:
		return true
	}
	return false
}
