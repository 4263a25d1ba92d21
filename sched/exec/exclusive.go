package exec

import (
	"time"

	"github.com/gopor/gopor/internal/machine"
)

// This file lets searches of one process run at the same time, as those of
// parallel tests do. Executions that share nothing need not know of each other.
// Primitives keep their state in the memory of the program, so two executions
// that go on at the same time must not both use an object that outlives them,
// such as a lock at package level. An execution that comes upon one which belongs to
// another execution is unwound and run again when it is alone, and so are all
// later executions of its Closure.

// collide is called by a goroutine of c that uses a primitive which is in use by an
// execution that goes on elsewhere. It does not return, unless they cannot wait for
// each other.
func (c *Closure) collide() {
	if p := c.present; p.Nested() || machine.Callers.Has(p.Driver.Load()) {
		return
	}
	c.present.Alone, c.rerun.again = true, true
	c.coroutines.on[machine.Callers.Find().G.ID].pause()
}

// repeat runs the execution again up to where it is, alone or with goroutines that begin at once.
func (c *Closure) repeat() {
	if c.err != nil {
		c.mistaken()
	}
	c.unwind()
	c.rerun.schedule, c.rerun.pos = c.rerun.schedule[:0], 0
	for _, mk := range c.trail.marks[:c.m.Events.Count] {
		c.rerun.schedule = append(c.rerun.schedule, mk.Choice)
	}
	c.starts.prompt = true
	c.forgetLate()
	c.kill(&c.coroutines.spent)
	c.m.Reset()
	c.rerun.again, c.trail.same, c.course.moved = false, true, true
	c.record.reset(c.opt.Record)
	c.begin()
}

// Waited returns for how long executions have waited for those of other Closures
// with which they share something. It may be called from another goroutine.
func (c *Closure) Waited() time.Duration {
	d := time.Duration(c.present.Waited.Load())
	if since := c.present.Waits.Load(); since != 0 {
		d += time.Duration(max(0, time.Now().UnixNano()-since))
	}
	return d
}

// Abandon says, from another goroutine, that the execution which goes on is stuck, and that no
// other execution is to wait for it.
func (c *Closure) Abandon() {
	c.present.Leave()
	c.present.Shut()
}

// Abandoned reports, to another goroutine, whether no execution of c is waited for, since none
// goes on or the one that does was abandoned and has no new turn.
func (c *Closure) Abandoned() bool { return !c.present.GoesOn() }

// rejoin has an execution that was abandoned wait for its turn.
func (c *Closure) rejoin() {
	if c.life.begun && !c.present.GoesOn() {
		c.present.Enter(c.m.Epoch)
	}
}
