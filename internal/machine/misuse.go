package machine

import "unsafe"

// This file is about operations of channels and WaitGroups that have to be ordered by
// synchronisation, as accesses of memory have to be. These are a send and a close: in the other
// order the send panics. They are also the Add that takes a counter away from zero and a Wait: in
// the other order Wait does not wait. As for Go's race detector, it is a data race if nothing
// orders them. Two closes are not a race: the second one panics, and has done nothing to the
// channel.

// Use records that g is about to do something of that kind to the primitive at p, or has just done
// so. It fails the execution if that races with what was done before. The state of the primitive is
// o; known says that it has been met before.
func (g *Goroutine) Use(p unsafe.Pointer, o Object, known bool, kind accessKind) {
	m := g.M
	if m.Races != RaceFail || g.Alone() {
		return
	}
	if kind == ChanClose || kind == GroupAdd { // a race needs one of these
		m.Memory.Seen = true
		m.Memory.Missed = m.Memory.Missed || m.Memory.Races == nil
	}
	if m.Memory.Races == nil {
		return
	}
	var pc uintptr
	if m.Record {
		pc = m.Exec.Caller(g)
	}
	if a, raced := m.findRace(g, p, 1, kind, pc); raced {
		name := o.Kind()
		if m.Record && known {
			name = m.labelOf(o)
		}
		m.Memory.Races.race(name, access{g: a.g, time: a.time, pc: m.Memory.Shadow.sites[a.site]}, a.kind, access{g: g.ID, pc: pc}, kind)
	}
}
