package sync

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// A WaitGroup is a sync.WaitGroup, and under control a sched.WaitGroup. Its counter begins
// every execution with the value that it was left with outside.
type WaitGroup struct {
	noCopy noCopy
	state  atomic.Uint64 // the counter, in the upper half, and the number of waiters
	sema   words         // a semaphore, and an unused word
}

// Only waiters use the semaphore, while they wait, so other users need not handle marks in it.

// count returns the value of the counter outside.
func (wg *WaitGroup) count() int { return int(int32(wg.state.Load() >> 32)) }

// under returns the WaitGroup of the execution, for an operation that changes the counter.
func (wg *WaitGroup) under() *sched.WaitGroup {
	if hook.Fresh(wg.key(), true) {
		wg.adopt()
	}
	return wg.ctl()
}

// adopt sets the counter to the value that it was left with outside.
func (wg *WaitGroup) adopt() {
	if n := wg.count(); n != 0 {
		hook.AdoptWaitGroup(wg.key(), n)
	}
}

// Add adds delta to the counter.
func (wg *WaitGroup) Add(delta int) {
	if controls(wg.key()) {
		wg.under().Add(delta)
		return
	}
	wg.real().Add(delta)
}

// Done subtracts 1 from the counter.
func (wg *WaitGroup) Done() { wg.Add(-1) }

// Wait waits until the counter is zero.
func (wg *WaitGroup) Wait() {
	if controls(wg.key()) {
		g, s, fresh := hook.Meet(wg.key())
		if fresh {
			wg.adopt()
		}
		if g != nil {
			s.TouchByWait(g, unsafe.Pointer(wg.key()))
		}
		wg.ctl().Wait()
		return
	}
	wg.key().Natively(wg.real().Wait)
}

// Go calls f in a new goroutine and adds that to the group.
func (wg *WaitGroup) Go(f func()) {
	if controls(wg.key()) {
		wg.under().Go(f)
		return
	}
	wg.real().Go(f)
}

// A Cond is a sync.Cond, and under control a sched.Cond.
type Cond struct {
	// L is held while the condition is read or changed.
	L Locker

	words
	real atomic.Pointer[sync.Cond] // nil if it was not used outside
	_    [(unsafe.Sizeof(sync.Cond{})-unsafe.Sizeof(Locker(nil))-8)/unsafe.Sizeof(uintptr(0)) - 2]uintptr
	self uintptr // the address at its first use
}

// NewCond returns a Cond with lock l.
func NewCond(l Locker) *Cond { return &Cond{L: l} }

// Wait unlocks c.L, waits to be woken by Signal or Broadcast, and locks c.L
// again.
func (c *Cond) Wait() {
	if c.check(); controlled() {
		c.touch(true)
		c.ctl().Wait()
		return
	}
	c.native().Wait()
}

// touch announces a Wait, or a call that may wake waiters.
func (c *Cond) touch(waits bool) {
	if g, s, _ := hook.Meet(c.key()); g != nil {
		s.Touch(g, unsafe.Pointer(c.key()), waits)
	}
}

// woke announces the effect of a call that may wake waiters.
func (c *Cond) woke() {
	if g, s, _ := hook.Meet(c.key()); g != nil {
		s.Touched(g, unsafe.Pointer(c.key()))
	}
}

// check panics, as sync.Cond does, if c was copied after its first use.
func (c *Cond) check() {
	here := uintptr(unsafe.Pointer(c))
	if atomic.LoadUintptr(&c.self) != here && !atomic.CompareAndSwapUintptr(&c.self, 0, here) {
		panic("sync.Cond is copied")
	}
}

func (c *Cond) native() *sync.Cond {
	return made(&c.real, func() *sync.Cond { return sync.NewCond((*lockOf)(c)) })
}

// lockOf is the present lock of a Cond.
type lockOf Cond

func (c *lockOf) Lock()   { c.L.Lock() }
func (c *lockOf) Unlock() { c.L.Unlock() }

// Signal wakes one waiting goroutine, if any.
func (c *Cond) Signal() {
	if c.check(); controlled() {
		c.touch(false)
		c.ctl().Signal()
		c.woke()
		return
	}
	c.native().Signal()
}

// Broadcast wakes all waiting goroutines.
func (c *Cond) Broadcast() {
	if c.check(); controlled() {
		c.touch(false)
		c.ctl().Broadcast()
		c.woke()
		return
	}
	c.native().Broadcast()
}
