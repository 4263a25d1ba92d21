package sched

import (
	"fmt"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// This file says of an execution that takes more virtual time than it may what it waits for, and what
// goes on meanwhile.

// fewRounds is how often something has to come again to go on. What has come less often is only late.
const fewRounds = 3

// hangs says that main waits, and only h would let the execution go on.
func (c *Closure) hangs(main *machine.Goroutine, h *machine.Hang) string {
	goes := c.goesOn(h)
	switch {
	case goes && h.Waiter() == main:
		return fmt.Sprintf("hangs: %s %s, again and again", c.m.NameOf(main), c.m.WaitsFor(main))
	case goes:
		return fmt.Sprintf("hangs: %s %s; only %s goes on", c.m.NameOf(main), c.m.WaitsFor(main), c.clockwork(h))
	case h.Sleeper == main:
		return fmt.Sprintf("hangs: %s sleeps for %v more, beyond the limit of %v", c.m.NameOf(main), h.In, c.opt.MaxClock)
	}
	return fmt.Sprintf("hangs: %s %s; only %s helps, in %v, beyond the limit of %v",
		c.m.NameOf(main), c.m.WaitsFor(main), c.clockwork(h), h.In, c.opt.MaxClock)
}

// clockwork says what h is.
func (c *Closure) clockwork(h *machine.Hang) string {
	switch t := h.Timer; {
	case h.Sleeper != nil:
		return "a sleep of " + c.m.NameOf(h.Sleeper)
	case t.Period > 0:
		return "a ticker"
	case t.Ctx != nil:
		return "the deadline of a context"
	}
	return "a timer"
}

// goesOn reports whether h comes again and again in an execution that hangs.
func (c *Closure) goesOn(h *machine.Hang) bool {
	who := h.Waiter()
	if h.Timer != nil {
		who = h.Timer.Owner()
	}
	rounds := 0
	for _, mk := range c.trail[c.m.N/2 : c.m.N] {
		if mk.G == who.Id && (h.Timer != nil || mk.kind == trace.OpSleep) {
			rounds++
		}
	}
	return rounds >= fewRounds
}

// AskedToLimit reports whether in some execution a goroutine has asked for the time so often that the clock came to the
// limit of time by that alone. Natively a loop of as many turns may end soon.
func (c *Closure) AskedToLimit() bool { return c.m.AskedToLimit }

// limitOfClock says which limit an execution has reached that hangs, or why it is none.
func (c *Closure) limitOfClock() string {
	if c.m.Repeats() {
		return "what goes on does the same in every turn, and changes nothing, so nothing else will ever happen"
	}
	return fmt.Sprintf("the test had not returned within %v of virtual time, the limit of go test -timeout, por.MaxClock or -check.maxclock", c.opt.MaxClock)
}
