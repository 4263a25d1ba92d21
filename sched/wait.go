package sched

import (
	"runtime"
	"unsafe"

	"github.com/gopor/gopor/sched/trace"
)

// A WaitGroup waits for a number of goroutines to finish, used like
// sync.WaitGroup. To use it again before a Wait has returned is a data race, and
// with [ModelWaitGroup] panics as it may in package sync.
type WaitGroup struct{ k key[wgState] }

// Add adds delta to the counter. It panics if the counter becomes negative.
func (wg *WaitGroup) Add(delta int) {
	if delta == -1 {
		wg.Done()
		return
	}
	if g := leave("WaitGroup.Add"); g != nil {
		s, _ := find(g.m, &wg.k)
		s.steps(g, trace.OpWGAdd, delta)
		if delta > 0 && s.count == int64(delta) {
			g.use(unsafe.Pointer(wg), s, true, groupAdd)
			s.assumes(g)
		}
		if g.m.Record {
			g.noteResult(delta)
		}
	}
}

// Done takes one off the counter.
func (wg *WaitGroup) Done() {
	if g := leave("WaitGroup.Done"); g != nil {
		s, _ := find(g.m, &wg.k)
		s.steps(g, trace.OpWGDone, -1)
	}
}

// Wait waits until the counter is zero.
func (wg *WaitGroup) Wait() {
	g := enter("WaitGroup.Wait")
	s, _ := find(g.m, &wg.k)
	g.use(unsafe.Pointer(wg), s, true, groupWait)
	s.steps(g, trace.OpWGWait, 0)
}

// Go calls f in a new goroutine and adds that to the group.
func (wg *WaitGroup) Go(f func()) {
	wg.Add(1)
	g := enter("WaitGroup.Go")
	g.start(func() {
		defer wg.Done()
		f()
	})
}

// Once performs one action, used like sync.Once.
type Once struct{ k key[onceState] }

// Do calls f if it is the first call of Do, and waits until that call of f has
// returned otherwise. A panic of f counts as a return.
func (o *Once) Do(f func()) {
	g := enter("Once.Do")
	s, _ := find(g.m, &o.k)
	g.ask(trace.OpOnce, s)
	if !g.reply.ok {
		return
	}
	defer g.finish(s)
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
	k key[condState]
}

// NewCond returns a Cond with lock l.
func NewCond(l Locker) *Cond {
	c := &Cond{L: l}
	if co := callers.find(); co != nil && !co.m.closing {
		create(co.g, &c.k)
	}
	return c
}

// Wait unlocks c.L, waits until it is woken by Signal or Broadcast, and locks
// c.L again.
func (c *Cond) Wait() {
	g := enter("Cond.Wait")
	s, _ := find(g.m, &c.k)
	g.ask(trace.OpCondAdd, s)
	ticket := g.tickets
	c.L.Unlock()
	if s.condWait(g.m, g, ticket) {
		g.m.ex.park(g)
	}
	c.L.Lock()
}

// Signal wakes the goroutine that has waited longest, if any waits.
func (c *Cond) Signal() { c.wake("Cond.Signal", trace.OpSignal) }

// Broadcast wakes all goroutines that wait.
func (c *Cond) Broadcast() { c.wake("Cond.Broadcast", trace.OpBroadcast) }

func (c *Cond) wake(what string, kind trace.Kind) {
	if g := leave(what); g != nil {
		s, _ := find(g.m, &c.k)
		g.ask(kind, s)
	}
}
