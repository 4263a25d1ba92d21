package exec

import (
	"runtime/debug"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// This file lets an execution go on by itself where the engine does not care which goroutine moves.
// The engine does not ask for what is pending then, so goroutines that begin late
// (deferred_start.go) do so here too, and one after the other runs on the same coroutine.

// coast is what is to be done by Coast.
type coast struct {
	tell   func(*trace.Event) bool // nil unless Coast goes on
	from   int                     // the first event to tell of
	told   int                     // events that need not be told of any more
	events int                     // how many the execution goes on to
	// The next execution is to be this one once more, with goroutines that begin at once.
	again bool
}

// Coast implements [trace.Coaster].
func (c *Closure) Coast(s trace.Schedule, from, events int, tell func(*trace.Event) bool) error {
	c.coast = coast{tell: tell, from: from, told: max(from, c.m.Events.Count), events: events}
	err := c.run(s, nil)
	c.coast.tell = nil
	return err
}

// toldLate reports whether something was told of an execution in which goroutines were late, which
// is to be run again.
func (c *Closure) toldLate() bool {
	return c.coast.tell != nil && c.starts.lateness && c.coast.told > c.coast.from
}

// tellAgain ends an execution of which all that was told may be wrong: objects may have had other
// numbers.
func (c *Closure) tellAgain() error {
	if c.err != nil {
		c.mistaken()
	}
	c.forgetLate()
	c.rerun.again, c.err, c.coast.again = false, trace.ErrTold, true
	c.course.schedule, c.coast.tell = nil, nil
	return c.err
}

// coasts reports whether the execution goes on by itself when the schedule is over.
func (c *Closure) coasts() bool { return c.coast.tell != nil && c.m.Events.Count < c.coast.events }

// tells tells of the latest event, if that is to be told of. It returns false if the execution does
// not go on.
func (c *Closure) tells() bool {
	n := c.m.Events.Count
	c.m.Events.Described = n >= c.coast.from
	if n > c.coast.told {
		c.coast.told = n
		if !c.tellOf(&c.m.Events.Latest) {
			return false
		}
	}
	if n >= c.coast.from && (c.m.Polling.Futile || n >= c.opt.MaxSteps) {
		if c.rouse() {
			c.Pending() // notes that it was stopped
		}
		return false
	}
	return true
}

// tellOf calls tell. What that panics with is kept, as ask does.
func (c *Closure) tellOf(ev *trace.Event) (ok bool) {
	returned := false
	defer func() {
		if !returned {
			c.broken = &trace.DecidePanic{Value: recover(), Stack: debug.Stack()}
			c.err, ok = errBroken, false
		}
	}()
	ok = c.coast.tell(ev)
	returned = true
	return ok
}

// onward returns what comes next where the execution goes on by itself. It returns false if that is
// nothing.
func (c *Closure) onward() (trace.Choice, bool) {
	m := c.m
	var mover *machine.Goroutine
	if m.Events.Count > 0 {
		mover = m.Goroutines[c.trail.marks[m.Events.Count-1].G]
	}
	if mover != nil && m.Time != machine.TimeLag && m.CanMove(mover) {
		return trace.Choice{G: mover.ID}, true
	}
	var late *machine.Goroutine // the first of those that have not begun
	if c.starts.late.n > 0 {
		late = c.starts.late.all[c.starts.late.first]
	}
	var ops []*trace.Op
	if late != nil {
		ops = m.Ready()
	} else {
		ops = c.Pending()
	}
	g := m.Latest(ops)
	if g == nil {
		g = m.Lowest(ops)
		if g == nil || late != nil && m.Less(late, g) {
			g = late
		}
	}
	if g == nil {
		return trace.Choice{}, false
	}
	return trace.Choice{G: g.ID}, true
}
