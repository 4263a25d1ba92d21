package sched

import "unsafe"

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
	c := g.c
	if c.opt.Races != RaceFail || g.alone() {
		return
	}
	if kind == chanClose || kind == groupAdd { // a race needs one of these
		c.sawVars = true
		c.missed = c.missed || c.m.mm == nil
	}
	if c.m.mm == nil {
		return
	}
	var pc uintptr
	if c.opt.Record {
		pc = g.callerPC()
	}
	if a, raced := c.findRace(g, p, 1, kind, pc); raced {
		name := o.kind()
		if c.opt.Record && known {
			name = c.record.name(o)
		}
		c.m.mm.race(name, access{g: a.g, time: a.time, pc: c.shadow.sites[a.site]}, a.kind, access{g: g.id, pc: pc}, kind)
	}
}
