package exec

import (
	"fmt"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// This file says of an execution that takes more virtual time than it may what it waits for, and
// what goes on meanwhile.

// fewRounds is how often something has to come again to go on. What has come less often is only
// late.
const fewRounds = 3

// hang says that main waits, and only h would let the execution go on.
func (c *Closure) hang(main *machine.Goroutine, h *machine.Hang) *trace.Hang {
	d := &trace.Hang{Main: c.m.WaitOf(main), GoesOn: c.goesOn(h), In: h.In, Limit: c.opt.MaxClock}
	if d.OfMain = h.Sleeper == main; d.GoesOn {
		d.OfMain = h.Waiter() == main
	}
	switch t := h.Timer; {
	case h.Sleeper != nil:
		d.Ticks, d.Sleeper = trace.TicksSleep, c.m.NameOf(h.Sleeper)
	case t.Period > 0:
		d.Ticks = trace.TicksTicker
	case t.Ctx != nil:
		d.Ticks = trace.TicksDeadline
	default:
		d.Ticks = trace.TicksTimer
	}
	return d
}

// goesOn reports whether h comes again and again in an execution that hangs.
func (c *Closure) goesOn(h *machine.Hang) bool {
	who := h.Waiter()
	if h.Timer != nil {
		who = h.Timer.Owner()
	}
	rounds := 0
	for _, mk := range c.trail.marks[c.m.Events.Count/2 : c.m.Events.Count] {
		if mk.G == who.ID && (h.Timer != nil || mk.kind == trace.OpSleep) {
			rounds++
		}
	}
	return rounds >= fewRounds
}

// AskedToLimit reports whether in some execution a goroutine has asked for the time so often that
// the clock came to the limit of time by that alone. Natively a loop of as many turns may end soon.
func (c *Closure) AskedToLimit() bool { return c.m.Clock.AskedToLimit }

// limitOfClock says which limit an execution has reached that hangs, or why it is none.
func (c *Closure) limitOfClock() string {
	if c.m.Repeats() {
		return "what goes on does the same in every turn, and changes nothing, so nothing else will ever happen"
	}
	return fmt.Sprintf("the test had not returned within %v of virtual time, the limit of go test -timeout, por.MaxClock or -check.maxclock", c.opt.MaxClock)
}
