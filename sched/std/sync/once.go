package sync

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// A Once is a sync.Once, and under control a sched.Once. If it was done outside, it is done in
// every execution. If an execution does it, the next one does it again.
type Once struct {
	_    noCopy
	done atomic.Bool
	m    Mutex // its words are the key
}

// Do calls f if it is the first call of Do, and otherwise waits for the end of the first call.
func (o *Once) Do(f func()) {
	switch {
	case controls(o.key()):
		g, s, fresh := hook.Meet(o.key())
		if fresh && o.done.Load() {
			hook.AdoptOnce(o.key())
		}
		if g != nil {
			s.Touch(g, unsafe.Pointer(o.key()))
		}
		o.ctl().Do(f)
	case !o.done.Load():
		o.first(f)
	}
}

func (o *Once) first(f func()) {
	o.key().Natively(func() { o.real().Do(f) })
}

// again has the state of a function that works once. A result computed outside is valid in
// every execution. Otherwise every execution computes its own.
type again[F any] struct {
	real F
	done atomic.Bool // real has been called
	make func() F    // returns a new function of package sched
}

// under returns the function of the running execution. It returns false if real has to be
// called.
func (a *again[F]) under() (f F, ok bool) {
	if a.done.Load() || !controlled() {
		return f, false
	}
	f, ok = hook.Shadow(unsafe.Pointer(a), func() any { return a.make() }).(F)
	return f, ok
}

// OnceFunc returns a function that calls f once.
func OnceFunc(f func()) func() {
	a := &again[func()]{real: sync.OnceFunc(f)}
	a.make = func() func() { return sched.OnceFunc(f) }
	return func() {
		if f, ok := a.under(); ok {
			f()
			return
		}
		defer a.done.Store(true)
		a.real()
	}
}

// OnceValue returns a function that calls f once and returns its result every
// time.
func OnceValue[T any](f func() T) func() T {
	a := &again[func() T]{real: sync.OnceValue(f)}
	a.make = func() func() T { return sched.OnceValue(f) }
	return func() T {
		if f, ok := a.under(); ok {
			return f()
		}
		defer a.done.Store(true)
		return a.real()
	}
}

// OnceValues is OnceValue for two results.
func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) {
	a := &again[func() (T1, T2)]{real: sync.OnceValues(f)}
	a.make = func() func() (T1, T2) { return sched.OnceValues(f) }
	return func() (T1, T2) {
		if f, ok := a.under(); ok {
			return f()
		}
		defer a.done.Store(true)
		return a.real()
	}
}
