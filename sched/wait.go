package sched

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// A WaitGroup waits for a number of goroutines to finish, used like
// sync.WaitGroup. To use it again before a Wait has returned is a data race, and
// with [ModelWaitGroup] panics as it may in package sync.
type WaitGroup struct {
	_ atomic.Uint64
	k machine.Key[machine.WgState]
}

// Add adds delta to the counter. It panics if the counter becomes negative.
func (wg *WaitGroup) Add(delta int) {
	if delta == -1 {
		wg.Done()
		return
	}
	if g := machine.Leave("WaitGroup.Add"); g != nil {
		s, _ := machine.Find(g.M, &wg.k)
		s.Steps(g, trace.OpWGAdd, delta)
		machine.Keep(g.M, &wg.k, s)
		if delta > 0 && g.M.Parallel == nil && s.Count == int64(delta) {
			g.Use(unsafe.Pointer(wg), s, true, machine.GroupAdd)
			s.Assumes(g)
		}
		if g.M.Record {
			g.NoteResult(delta)
		}
	}
}

// Done takes one off the counter.
func (wg *WaitGroup) Done() {
	if g := machine.Leave("WaitGroup.Done"); g != nil {
		s, _ := machine.Find(g.M, &wg.k)
		wg.done(g, s)
	}
}

func (wg *WaitGroup) done(g *machine.Goroutine, s *machine.WgState) {
	s.Steps(g, trace.OpWGDone, -1)
	machine.Keep(g.M, &wg.k, s)
}

// Wait waits until the counter is zero.
func (wg *WaitGroup) Wait() {
	g := machine.Enter("WaitGroup.Wait")
	s, _ := machine.Find(g.M, &wg.k)
	g.Use(unsafe.Pointer(wg), s, true, machine.GroupWait)
	s.Steps(g, trace.OpWGWait, 0)
	machine.Keep(g.M, &wg.k, s) // before the goroutine that has let it go on does
}

// Go calls f in a new goroutine and adds that to the group.
func (wg *WaitGroup) Go(f func()) {
	wg.Add(1)
	g := machine.Enter("WaitGroup.Go")
	g.StartOf(f, func() {
		defer wg.leave()
		f()
	})
}

// leave is the Done of a goroutine that Go has started. What stands for a sync.WaitGroup announces
// what its methods do to its memory, and does not come by here.
func (wg *WaitGroup) leave() {
	if g := machine.Leave("WaitGroup.Done"); g != nil {
		s, _ := machine.Find(g.M, &wg.k)
		g.Use(unsafe.Pointer(&wg.k), s, true, machine.AtomicWrite)
		wg.done(g, s)
	}
}

// Once performs one action, used like sync.Once.
type Once struct {
	_ uint32
	k machine.Key[machine.OnceState]
}

// Do calls f if it is the first call of Do, and waits until that call of f has
// returned otherwise. A panic of f counts as a return.
func (o *Once) Do(f func()) {
	g := machine.Enter("Once.Do")
	s, _ := machine.Find(g.M, &o.k)
	g.Ask(trace.OpOnce, s)
	machine.Keep(g.M, &o.k, s)
	if !g.Reply.Ok {
		return
	}
	defer func() {
		g.Finish(s)
		machine.Keep(g.M, &o.k, s)
		s.Touched(g, unsafe.Pointer(&o.k))
	}()
	f()
}

// OnceFunc returns a function that calls f once, like sync.OnceFunc.
func OnceFunc(f func()) func() {
	once := OnceValue(func() struct{} { f(); return struct{}{} })
	return func() { once() }
}

// OnceValue returns a function that calls f once and returns its result every
// time, like sync.OnceValue. If f panics, so does every call, with the same
// value.
func OnceValue[T any](f func() T) func() T {
	var (
		once   Once
		valid  bool
		raised any
		result T
	)
	call := func() {
		defer func() {
			if !valid {
				if raised = recover(); raised != nil {
					panic(raised)
				}
			}
		}()
		result = f()
		f = nil
		valid = true
	}
	return func() T {
		once.Do(call)
		if !valid {
			if raised == nil {
				runtime.Goexit() // f did
			}
			panic(raised)
		}
		return result
	}
}

// OnceValues is OnceValue for two results.
func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) {
	type pair struct {
		v1 T1
		v2 T2
	}
	once := OnceValue(func() pair { v1, v2 := f(); return pair{v1, v2} })
	return func() (T1, T2) {
		p := once()
		return p.v1, p.v2
	}
}

// Cond is a condition variable, used like sync.Cond: set L, or call NewCond.
type Cond struct {
	L Locker
	k machine.Key[machine.CondState]
	_ [(unsafe.Sizeof(sync.Cond{}) - unsafe.Sizeof(Locker(nil)) - 8) / unsafe.Sizeof(uintptr(0))]uintptr
}

// NewCond returns a Cond with lock l.
func NewCond(l Locker) *Cond {
	c := &Cond{L: l}
	if co := machine.Callers.Find(); co != nil && !co.M.Closing {
		machine.Create(co.G, &c.k)
	}
	return c
}

// Wait unlocks c.L, waits until it is woken by Signal or Broadcast, and locks
// c.L again.
func (c *Cond) Wait() {
	g := machine.Enter("Cond.Wait")
	s, _ := machine.Find(g.M, &c.k)
	g.Ask(trace.OpCondAdd, s)
	ticket := g.Waits.Tickets
	reads(&c.L)
	c.L.Unlock()
	g.Await(s, ticket)
	reads(&c.L)
	c.L.Lock()
}

// Signal wakes the goroutine that has waited longest, if any waits.
func (c *Cond) Signal() { c.wake("Cond.Signal", trace.OpSignal) }

// Broadcast wakes all goroutines that wait.
func (c *Cond) Broadcast() { c.wake("Cond.Broadcast", trace.OpBroadcast) }

func (c *Cond) wake(what string, kind trace.Kind) {
	if g := machine.Leave(what); g != nil {
		s, _ := machine.Find(g.M, &c.k)
		g.Ask(kind, s)
	}
}
