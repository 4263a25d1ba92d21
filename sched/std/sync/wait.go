package sync

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// A WaitGroup is a sync.WaitGroup, and under control a sched.WaitGroup whose
// counter begins every execution as it was left outside.
type WaitGroup struct {
	real sync.WaitGroup
	n    atomic.Int64 // the counter of real
	ctl  sched.WaitGroup
}

func (wg *WaitGroup) under() *sched.WaitGroup {
	if hook.Fresh(groupKey(&wg.ctl)) {
		if n := wg.n.Load(); n != 0 {
			hook.AdoptWaitGroup(groupKey(&wg.ctl), int(n))
		}
	}
	return &wg.ctl
}

// Add adds delta to the counter.
func (wg *WaitGroup) Add(delta int) {
	if controls(groupKey(&wg.ctl)) {
		wg.under().Add(delta)
		return
	}
	wg.n.Add(int64(delta))
	wg.real.Add(delta)
}

// Done takes one off the counter.
func (wg *WaitGroup) Done() { wg.Add(-1) }

// Wait waits until the counter is zero.
func (wg *WaitGroup) Wait() {
	if controls(groupKey(&wg.ctl)) {
		wg.under().Wait()
		return
	}
	wg.real.Wait()
}

// Go calls f in a new goroutine and adds that to the group.
func (wg *WaitGroup) Go(f func()) {
	if controls(groupKey(&wg.ctl)) {
		wg.under().Go(f)
		return
	}
	wg.n.Add(1)
	wg.real.Go(func() {
		defer wg.n.Add(-1)
		f()
	})
}

// A Cond is a sync.Cond, and under control a sched.Cond.
type Cond struct {
	// L is held while the condition is looked at or changed.
	L Locker

	real  sync.Cond
	ready sync.Once // real has its lock
	ctl   sched.Cond
	self  uintptr // under control: where it was first used
}

// NewCond returns a Cond with lock l.
func NewCond(l Locker) *Cond { return &Cond{L: l} }

// Wait unlocks c.L, waits to be woken by Signal or Broadcast, and locks c.L
// again.
func (c *Cond) Wait() {
	if controlled() {
		ctl := c.control()
		ctl.L = c.L
		ctl.Wait()
		return
	}
	c.ready.Do(func() { c.real.L = (*lockOf)(c) })
	c.real.Wait()
}

// control returns what a Cond is under control. It panics as sync.Cond does if c
// was copied after its first use.
func (c *Cond) control() *sched.Cond {
	here := uintptr(unsafe.Pointer(c))
	if !atomic.CompareAndSwapUintptr(&c.self, 0, here) && atomic.LoadUintptr(&c.self) != here {
		panic("sync.Cond is copied")
	}
	return &c.ctl
}

// lockOf is the lock of a Cond, whatever it is at the time.
type lockOf Cond

func (c *lockOf) Lock()   { c.L.Lock() }
func (c *lockOf) Unlock() { c.L.Unlock() }

// Signal wakes one goroutine that waits, if any does.
func (c *Cond) Signal() {
	if controlled() {
		c.control().Signal()
		return
	}
	c.real.Signal()
}

// Broadcast wakes all goroutines that wait.
func (c *Cond) Broadcast() {
	if controlled() {
		c.control().Broadcast()
		return
	}
	c.real.Broadcast()
}
