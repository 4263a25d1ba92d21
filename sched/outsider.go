package sched

import (
	"unsafe"
)

// This file notices goroutines that nobody controls, such as those of a server of the
// standard library's, which use what an execution uses while that goes on: memory,
// locks, channels. What they do is no part of the execution, so its search is not
// exhaustive.
//
// They leave word in a table of a fixed size. An execution that is over looks whether
// any of it was its business. Nothing is left while no execution goes on.

// judgeOutsiders notes what outsiders did that was the business of the execution, which
// is over. What they do to variables that are kept is left as it is.
func (c *Closure) judgeOutsiders() {
	if outsiders.uses.Load() == 0 {
		return
	}
	for i := range outsiders.table {
		u := outsiders.table[i].Load()
		if u == nil {
			continue
		}
		kept := c.kept.release(u.p)
		if !kept && !c.used(u) {
			continue
		}
		c.noteOutsider(u)
	}
}

// meetOutsider is called for memory that main uses when it is alone, which is not
// remembered.
func (c *Closure) meetOutsider(p unsafe.Pointer) {
	if u := outsiderSlot(p).Load(); u != nil && u.p == p {
		c.noteOutsider(u)
	}
}

func (c *Closure) noteOutsider(u *outsiderUse) {
	a := Assumption{Kind: AssumeCode, What: "a goroutine that nobody controls, which uses what the execution uses"}
	for _, pc := range u.pcs[:u.n] {
		if c.record.placing(pc) == callUser {
			a.File, a.Line, _ = place(pc)
			break
		}
	}
	c.assumed.note(a)
}

// used reports whether the execution has used what an outsider did.
func (c *Closure) used(u *outsiderUse) bool {
	if u.epoch != nil {
		return u.epoch.Load() == c.m.epoch
	}
	if c.m.shadows.epoch == c.m.epoch && c.m.shadows.find(u.p) != nil {
		return true
	}
	w := &c.m.shadow.words
	return w.epoch == c.m.epoch && w.find(wordOf(u.p)) != nil
}

// prepare is called when an execution begins: what it may change is copied before the
// first one.
func (c *Closure) prepare() {
	if c.kept == nil {
		c.kept = newKeeper()
	}
	c.flows.begin(c.m.executions())
	c.m.watching = c.flows.on || c.kept != nil && c.kept.pages != nil
	enterOutsiders()
}

// settle puts back what is looked at now and then only, when no execution goes on.
func (c *Closure) settle() {
	c.present.enter(c.m.epoch)
	c.kept.restoreAll(&c.assumed)
	c.present.leave()
}

// putBack is called when an execution is over: it puts back what that has left behind.
func (c *Closure) putBack() {
	c.judgeOutsiders()
	leaveOutsiders()
	if c.kept != nil {
		c.kept.restore(&c.assumed)
	}
}
