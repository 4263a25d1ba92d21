package exec

import (
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// This file is about accesses of plain memory.

// use implements executor.
func (c *Closure) use(g *machine.Goroutine, p unsafe.Pointer, size uintptr, kind trace.Kind) {
	if c.m.Memory.Watching {
		c.watch(g, p, size, kind == trace.OpRead, kind == trace.OpWrite)
	}
	if kind == trace.OpWrite {
		g.Acts()
	}
	switch c.m.Races {
	case machine.RaceExplore:
		if g.Library.Held > 0 {
			c.noteHeld()
			return
		}
		if kind == trace.OpRead && c.findsKey() {
			return
		}
		g.Ask(kind, g.Memory(p, size, machine.FormPlain))
		if c.m.Record && int(g.ID) < len(c.record.latest) {
			c.record.word(g, c.record.latest[g.ID], p, size, kind == trace.OpWrite)
		}
	case machine.RaceFail:
		c.checkMemory(g, p, size, kind)
	}
}

// noteHeld notes that memory is used by a goroutine that has a lock inside the standard
// library. No other goroutine comes between then, and what races with it is not explored.
func (c *Closure) noteHeld() {
	c.assumed.note(Assumption{Kind: sched.AssumeCode, What: "memory that is used under a lock of the standard library's: what races with that is not explored"})
}

// checkMemory looks for a race of a plain access with earlier ones.
func (c *Closure) checkMemory(g *machine.Goroutine, p unsafe.Pointer, size uintptr, kind trace.Kind) {
	m := c.m
	var pc uintptr
	if m.Record && c.record.uses(g, p, size) {
		at, stack := c.calls(g)
		pc = at
		c.record.access(c, g, p, size, kind, pc, stack)
	}
	if m.ToPlace(g) {
		pc = c.caller(g)
	}
	if g.Alone() {
		if machine.Outsiders.Uses.Load() != 0 {
			c.meetOutsider(p, kind)
		}
		return
	}
	m.Memory.Seen = true
	if m.Memory.Races == nil {
		m.Memory.Missed = true
		return
	}
	how := machine.PlainRead
	if kind == trace.OpWrite {
		how = machine.PlainWrite
	}
	m.CheckRange(g, p, size, how, pc)
}
