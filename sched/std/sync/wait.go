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
	noCopy noCopy
	state  atomic.Uint64 // of the counter, which is the upper half, and of those who wait
	sema   words         // a semaphore, and nothing
}

// The semaphore is used by those who wait, while they do: the others need not care for marks.

// count returns the counter as it is outside.
func (wg *WaitGroup) count() int { return int(int32(wg.state.Load() >> 32)) }

// under returns the WaitGroup of the execution, for an operation that changes the counter.
func (wg *WaitGroup) under() *sched.WaitGroup {
	if hook.Fresh(wg.key(), true) {
		wg.adopt()
	}
	return wg.ctl()
}

// adopt lets the counter begin as it was left outside.
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

// Done takes one off the counter.
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
	// L is held while the condition is looked at or changed.
	L Locker

	words
	real atomic.Pointer[sync.Cond] // nil if it was not used outside
	_    [(unsafe.Sizeof(sync.Cond{})-unsafe.Sizeof(Locker(nil))-8)/unsafe.Sizeof(uintptr(0)) - 2]uintptr
	self uintptr // where it was first used
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

// touch announces a Wait, or a call that may wake those that wait.
func (c *Cond) touch(waits bool) {
	if g, s, _ := hook.Meet(c.key()); g != nil {
		s.Touch(g, unsafe.Pointer(c.key()), waits)
	}
}

// woke announces what such a call has done.
func (c *Cond) woke() {
	if g, s, _ := hook.Meet(c.key()); g != nil {
		s.Touched(g, unsafe.Pointer(c.key()))
	}
}

// check panics as sync.Cond does if c was copied after its first use.
func (c *Cond) check() {
	here := uintptr(unsafe.Pointer(c))
	if atomic.LoadUintptr(&c.self) != here && !atomic.CompareAndSwapUintptr(&c.self, 0, here) {
		panic("sync.Cond is copied")
	}
}

func (c *Cond) native() *sync.Cond {
	return made(&c.real, func() *sync.Cond { return sync.NewCond((*lockOf)(c)) })
}

// lockOf is the lock of a Cond, whatever it is at the time.
type lockOf Cond

func (c *lockOf) Lock()   { c.L.Lock() }
func (c *lockOf) Unlock() { c.L.Unlock() }

// Signal wakes one goroutine that waits, if any does.
func (c *Cond) Signal() {
	if c.check(); controlled() {
		c.touch(false)
		c.ctl().Signal()
		c.woke()
		return
	}
	c.native().Signal()
}

// Broadcast wakes all goroutines that wait.
func (c *Cond) Broadcast() {
	if c.check(); controlled() {
		c.touch(false)
		c.ctl().Broadcast()
		c.woke()
		return
	}
	c.native().Broadcast()
}
