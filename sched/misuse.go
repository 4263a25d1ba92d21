package sched

import (
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
)

// This file is about operations of channels and WaitGroups that have to be
// ordered by synchronisation, as accesses of memory have to be: a send and a
// close, since in the other order the send panics, and the Add that takes a
// counter away from zero and a Wait, since in the other order Wait does not wait.
// As for Go's race detector, it is a data race if nothing orders them. Two closes are
// none: whichever comes second panics, and has done nothing to the channel.

// use records that g is about to do something of that kind to the primitive at p, or
// has just done so, and fails the execution if that races with what was done before.
// Its state is o; known says that it has been met before.
func (g *goroutine) use(p unsafe.Pointer, o object, known bool, kind accessKind) {
	m := g.m
	if m.Races != machine.RaceFail || g.alone() {
		return
	}
	if kind == chanClose || kind == groupAdd { // a race needs one of these
		m.sawVars = true
		m.missed = m.missed || m.mm == nil
	}
	if m.mm == nil {
		return
	}
	var pc uintptr
	if m.Record {
		pc = m.ex.caller(g)
	}
	if a, raced := m.findRace(g, p, 1, kind, pc); raced {
		name := o.kind()
		if m.Record && known {
			name = m.labelOf(o)
		}
		m.mm.race(name, access{g: a.g, time: a.time, pc: m.shadow.sites[a.site]}, a.kind, access{g: g.id, pc: pc}, kind)
	}
}
