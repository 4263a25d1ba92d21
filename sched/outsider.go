package sched

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// This file notices goroutines that nobody controls, such as those of a server of the
// standard library's, which use what an execution uses while that goes on: memory,
// locks, channels. What they do is no part of the execution, so its search is not
// exhaustive.
//
// They leave word in a table of a fixed size. An execution that is over looks whether
// any of it was its business. Nothing is left while no execution goes on.

// outsiderUse is something that a goroutine did that nobody controls.
type outsiderUse struct {
	p     unsafe.Pointer
	epoch *atomic.Uint64 // of a primitive, nil for memory and channels
	pcs   [16]uintptr
	n     int
}

var outsiders struct {
	executions atomic.Int32 // how many go on
	uses       atomic.Int32 // entries of the table
	table      [256]atomic.Pointer[outsiderUse]
}

// outside leaves word of what the calling goroutine does, which is not controlled. Of
// what it does again nothing is left.
func outside(p unsafe.Pointer, epoch *atomic.Uint64) {
	if p == nil || outsiders.executions.Load() == 0 {
		return
	}
	slot := outsiderSlot(p)
	if slot.Load() != nil {
		return
	}
	u := &outsiderUse{p: p, epoch: epoch}
	u.n = runtime.Callers(2, u.pcs[:])
	if slot.CompareAndSwap(nil, u) {
		outsiders.uses.Add(1)
	}
}

func outsiderSlot(p unsafe.Pointer) *atomic.Pointer[outsiderUse] {
	return &outsiders.table[slotOf(uintptr(p)<<2, len(outsiders.table))]
}

// Uses reports whether the calling goroutine, which is about to use p, is controlled.
func Uses(p Primitive) bool {
	if callers.find() != nil {
		return true
	}
	at := p.place()
	outside(unsafe.Pointer(at), at)
	return false
}

// UsesAt is Uses for memory and native channels.
func UsesAt(p unsafe.Pointer) bool {
	if callers.find() != nil {
		return true
	}
	outside(p, nil)
	return false
}

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

// enterOutsiders and leaveOutsiders are called when an execution begins and when it is
// over. When the last one is, the table is emptied.
func enterOutsiders() { outsiders.executions.Add(1) }

func leaveOutsiders() {
	if outsiders.executions.Add(-1) == 0 && outsiders.uses.Swap(0) != 0 {
		for i := range outsiders.table {
			outsiders.table[i].Store(nil)
		}
	}
}
