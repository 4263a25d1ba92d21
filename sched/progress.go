package sched

import (
	"strings"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// This file is for those who watch executions from another goroutine: whether they get
// on, and how to end one that takes too long.

// Progress returns a number that has grown since the call before if an operation
// has been performed since, or memory accessed by code that says so. A watchdog may call
// it from another goroutine. To count every operation would take an atomic addition
// each; this takes a load.
func (c *Closure) Progress() int64 {
	c.m.Glance.Store(true)
	return c.progress.Or(1)>>1 + c.plain.Load() + c.present.Progress()
}

// Interrupt(true), called from another goroutine, ends the execution that is
// going on before its next operation, with [trace.ErrInterrupted], or where it next
// accesses memory in plain code of the program's. Interrupt(false) lets executions go on
// again.
func (c *Closure) Interrupt(on bool) {
	c.halted.Store(on)
	c.progress.Or(1)
	c.m.Glance.Store(true)
}

// Halted reports whether Interrupt(true) was called, and Interrupt(false) not since.
func (c *Closure) Halted() bool { return c.halted.Load() }

// Interrupted reports whether the execution was ended by [Closure.Interrupt].
func (c *Closure) Interrupted() bool { return c.err == trace.ErrInterrupted }

// glanced is told of an access of memory by g after Progress or Interrupt.
func (c *Closure) glanced(g *machine.Goroutine) {
	c.m.Glance.Store(false)
	c.plain.Add(1)
	if c.halted.Load() && c.err == nil && c.holdsNothing(g) {
		c.err = trace.ErrInterrupted
		c.on[g.Id].pause()
	}
}

// holdsNothing reports whether no code of the standard library is on the stack of g,
// which is the calling goroutine: that may hold locks of its own, which would outlive the
// execution.
func (c *Closure) holdsNothing(g *machine.Goroutine) bool {
	for _, pc := range c.stack(g) {
		if file, _, _ := machine.Place(pc); standardFolder == "" || strings.HasPrefix(file, standardFolder) {
			return false
		}
	}
	return true
}
