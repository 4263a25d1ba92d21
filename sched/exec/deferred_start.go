package exec

import (
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// This file lets goroutines begin late where the engine does not ask for what is pending: where a
// schedule is replayed, and where an execution goes on by itself (free_run.go). So one that does
// nothing before its first operation that others could notice is not run up to there when it is
// started, but when it moves, or when the engine asks; and if the goroutine that has moved before
// it has ended, it runs on the same coroutine. An execution of many goroutines that do little takes
// few switches then, or none.
//
// Whether a goroutine is such a one is known from the latest execution in which it has begun, so it
// is seen again whenever it begins (begins). If it turns out that one should not have begun late,
// or the execution is not the one that it was, it is run again with goroutines that begin at once
// (mistaken). What a goroutine reads before its first operation, others may have changed meanwhile
// if it begins late: that would be a data race with memory that is not under control.
//
// Objects that were not made under control are numbered as they are used first. If that is what a
// goroutine does with its first operation, a number is kept for it when it is started: the one that
// it would take if it began at once (number).

// beginning is how a goroutine has begun.
type beginning struct {
	silent bool // in the latest execution, it did nothing but its first request
	fresh  bool // its first request, in the latest execution, was the first use of the object
	late   bool // in this execution, it is to begin when it moves
	named  int  // objects that had been named by their first use when it was started

	// What that object is to be called, 0 if it has begun at once, or uses none for the first time.
	number int32
	kept   bool // number is set aside, and no operation has used it so far
}

// mostMistakes is how many executions may be run again before goroutines begin at once in all that
// follow.
const mostMistakes = 16

// plainKinds has the kinds of operations to which it makes no difference whether goroutines that
// take no part in them have made their first request: they look at their object, and at which
// goroutines wait for it.
const plainKinds uint64 = 1<<trace.OpRead | 1<<trace.OpWrite | 1<<trace.OpUpdate | 1<<trace.OpTransfer |
	1<<trace.OpLoad | 1<<trace.OpStore | 1<<trace.OpAdd | 1<<trace.OpSwap | 1<<trace.OpCAS | 1<<trace.OpAnd | 1<<trace.OpOr |
	1<<trace.OpLock | 1<<trace.OpUnlock | 1<<trace.OpTryLock | 1<<trace.OpRLock | 1<<trace.OpRUnlock | 1<<trace.OpTryRLock |
	1<<trace.OpSend | 1<<trace.OpRecv | 1<<trace.OpWGDone | 1<<trace.OpWGWait

// start runs g, which a go statement has started, up to its first request, unless it can begin
// late.
func (c *Closure) start(g *machine.Goroutine) {
	for int(g.ID) >= len(c.starts.beginnings) {
		c.starts.beginnings = append(c.starts.beginnings, beginning{})
	}
	b := &c.starts.beginnings[g.ID]
	b.named, b.number, b.kept = c.m.Named(), 0, false
	b.late = b.silent && !c.starts.prompt && (c.course.pos < len(c.course.schedule) || c.coasts())
	if !b.late {
		c.launch(g)
		return
	}
	if b.fresh {
		b.number, b.kept = c.m.Reserve(), true
		c.m.Numbers.Kept++
	}
	c.starts.lateness = true
	c.wait(g)
}

// latecomers are those that are to begin when they move.
type latecomers struct {
	all   []*machine.Goroutine // in the order of their paths, with some that have begun
	first int                  // the place of the first one that has not
	n     int                  // how many have not
}

func (l *latecomers) clear() { *l = latecomers{all: l.all[:0]} }

// wait makes g one of them.
func (c *Closure) wait(g *machine.Goroutine) {
	l := &c.starts.late
	at := len(l.all)
	l.all = append(l.all, g)
	for ; at > l.first && c.m.Less(g, l.all[at-1]); at-- {
		l.all[at], l.all[at-1] = l.all[at-1], g
	}
	l.n++
}

// waitsNoMore takes that back: its beginning is late no longer.
func (c *Closure) waitsNoMore() {
	l := &c.starts.late
	if l.n--; l.n == 0 {
		l.clear()
		return
	}
	for !c.starts.beginnings[l.all[l.first].ID].late {
		l.first++
	}
}

// mayBeLate reports whether goroutines of this execution may begin late. Where the program may look
// at the stacks of all, it would see that one has not begun.
func (c *Closure) mayBeLate() bool {
	m := c.m
	return c.starts.mistakes < mostMistakes && !c.opt.Record && m.Keys == nil && !m.Symmetric && !m.Alike && m.Time == machine.TimeDiscrete && !machine.Callers.Numbered.Load()
}

// isLate reports whether g has been started and is to begin when it moves.
func (c *Closure) isLate(g *machine.Goroutine) bool {
	return c.starts.late.n > 0 && int(g.ID) < len(c.starts.beginnings) && c.starts.beginnings[g.ID].late
}

// seat returns what h, which moves next, runs on.
func (c *Closure) seat(h *machine.Goroutine) *coroutine {
	if c.isLate(h) {
		c.equip(h)
	}
	return c.coroutines.on[h.ID]
}

// beginsNow makes it the turn of goroutine id, if it is late, and reports whether it is. All others
// begin before anything is done that they may matter to; c.again says that one of them should not
// have been late.
func (c *Closure) beginsNow(id trace.ID) bool {
	if id < 0 || int(id) >= len(c.m.Goroutines) {
		return false
	}
	g := c.m.Goroutines[id]
	if c.isLate(g) {
		c.course.next = g
		return true
	}
	if g.Pseudo || plainKinds>>g.Op.Kind&1 == 0 {
		c.rouse()
	}
	return false
}

// rouse lets all begin that are late. It reports whether the execution can go on.
func (c *Closure) rouse() bool {
	for i := c.starts.late.first; i < len(c.starts.late.all) && !c.rerun.again; i++ {
		// Else it has begun, or is about to.
		if h := c.starts.late.all[i]; c.isLate(h) && c.coroutine(h) == nil {
			c.launch(h)
		}
	}
	return !c.rerun.again
}

// number is called when the goroutine that runs is the first to use something while others are late
// that are to be the first to use something, too, and numbers are set aside for that. If it is one
// of them, it gets its number. If not, it may well use what one of those others would have used
// first. In an execution that was seen before, its next event says so, if what is used is the whole
// of an object. Else all begin before it goes on.
func (c *Closure) number(whole bool) {
	caller := machine.Callers.Look()
	if caller == nil || caller.G == nil { // the clock's doing
		c.rouse()
		return
	}
	g := caller.G
	if c.isLate(g) && c.starts.beginnings[g.ID].kept {
		c.give(&c.starts.beginnings[g.ID])
		return
	}
	if id, ok := c.known(g); ok && whole {
		if id == c.m.NextNumber() {
			return
		}
		for _, h := range c.starts.late.all[c.starts.late.first:] {
			if b := &c.starts.beginnings[h.ID]; b.late && b.kept && b.number == id {
				c.give(b)
				return
			}
		}
	}
	if !c.rouse() {
		c.park(g)
	}
}

// give gives what is used for the first time the number that was kept for b.
func (c *Closure) give(b *beginning) {
	c.m.Numbers.Given, b.kept = b.number, false
	c.m.Numbers.Kept--
}

// known returns the object of g's next event, if that is the only one of the event, and what
// follows is known from the execution before. (If the execution has parted from that, nothing is.)
func (c *Closure) known(g *machine.Goroutine) (id int32, ok bool) {
	for n := c.m.Events.Count; n < len(c.trail.marks) && n-c.course.from < len(c.course.schedule) && c.trail.marks[n].Choice == c.course.schedule[n-c.course.from]; n++ {
		if mk := &c.trail.marks[n]; mk.G == g.ID {
			return mk.obj, plainKinds>>mk.kind&1 == 1 && mk.kind != trace.OpTransfer
		}
	}
	return 0, false
}

// follow reports whether co, after its goroutine has ended in its own turn, goes on with the one
// that moves next, since that is late.
func (c *Closure) follow(co *coroutine) bool {
	if !co.free {
		return false
	}
	co.free = false
	c.choose()
	c.coroutines.idle = append(c.coroutines.idle, co)
	if h := c.course.next; h == nil || !c.isLate(h) {
		return false
	}
	c.equip(c.course.next)
	return true
}

// begins is called when g, on co, has made its first request (asks), or has ended without one. It
// reports whether the execution can go on: if g should not have been late, it is run again.
func (c *Closure) begins(co *coroutine, g *machine.Goroutine, asks bool) bool {
	co.begun = true
	if int(g.ID) >= len(c.starts.beginnings) {
		return true
	}
	b := &c.starts.beginnings[g.ID]
	b.silent, b.fresh = false, false
	if asks && co.Entered == 1 && plainKinds>>g.Op.Kind&1 == 1 {
		if b.silent = g.Silent(b.named); !b.silent {
			b.fresh = b.late && b.number != 0 && g.Uses(b.number) || !b.late && g.IsFirst(b.named)
			b.silent = b.fresh
		}
	}
	if !b.late {
		return true
	}
	b.late = false
	c.waitsNoMore()
	if !b.silent || b.fresh != (b.number != 0) {
		c.mistaken()
		return false
	}
	if c.course.next == g { // it was chosen before it could be asked whether it can
		if _, err := c.m.CanStep(trace.Choice{G: g.ID, Alt: c.course.alt}); err != nil {
			c.mistaken()
			return false
		}
	}
	return true
}

// mayBeMistaken reports whether the execution has diverged, perhaps for no other reason than that
// goroutines were late.
func (c *Closure) mayBeMistaken() bool {
	return c.err != nil && c.broken == nil && c.starts.lateness && !c.starts.prompt && c.err != trace.ErrInterrupted && (!c.m.Events.Described || c.coast.tell != nil)
}

// mistaken lets the execution be run again, with goroutines that begin at once.
func (c *Closure) mistaken() {
	c.course.next, c.err, c.rerun.again, c.starts.prompt = nil, nil, true, true
	c.starts.mistakes++
}

// clearLate lets no goroutine wait to begin. The next goroutine with one of these names may be
// started by a timer, which no go statement does.
func (c *Closure) clearLate() {
	for _, g := range c.starts.late.all {
		c.starts.beginnings[g.ID].late = false
	}
	c.starts.late.clear()
	c.starts.lateness = false
}

// forgetLate prepares for another run of an execution in which goroutines were late. What it has
// done is compared with the execution before where that has done the same, as if it had not been
// run.
func (c *Closure) forgetLate() {
	if !c.starts.lateness {
		return
	}
	c.clearLate()
	// The choice that was not made is to be made again.
	c.course.pos = min(c.m.Events.Count-c.course.from, len(c.course.schedule))
	if !c.trail.same {
		c.trail.marks = c.trail.marks[:c.trail.parted]
	}
}
