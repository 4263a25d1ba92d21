package sched

import (
	"reflect"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// location is memory for a Go value, used atomically.
type location struct{ k machine.Key[machine.Slot] }

// use returns the calling goroutine, which is about to use x by the method of that
// name; typed says that x is of a Value.
func (x *location) use(what string, typed bool) (*machine.Goroutine, *machine.Slot) {
	g := machine.Enter(what)
	s, fresh := machine.Meet(g.M, &x.k)
	if fresh {
		s.Typed = typed
		machine.Publish(g.M, &x.k, s)
	}
	return g, s
}

// ask makes a request to the pointer in x.
func (x *location) ask(what string, kind trace.Kind, a, b any) any {
	g, s := x.use(what, false)
	return s.Ask(g, kind, a, b)
}

// A Pointer is a pointer to a T that is used atomically, like atomic.Pointer.
// It is nil at the start of every execution.
type Pointer[T any] struct {
	_ [0]*T // Pointers of different types do not convert into each other
	p location
}

// box makes all nil pointers one value.
func box[T any](p *T) any {
	if p == nil {
		return nil
	}
	return p
}

func unbox[T any](v any) *T {
	p, _ := v.(*T)
	return p
}

// Load returns the pointer.
func (x *Pointer[T]) Load() *T {
	return unbox[T](x.p.ask("Pointer.Load", trace.OpLoad, nil, nil))
}

// Store sets the pointer to val.
func (x *Pointer[T]) Store(val *T) {
	x.p.ask("Pointer.Store", trace.OpStore, box(val), nil)
}

// Swap sets the pointer to new and returns the previous one.
func (x *Pointer[T]) Swap(new *T) (old *T) {
	return unbox[T](x.p.ask("Pointer.Swap", trace.OpSwap, box(new), nil))
}

// CompareAndSwap sets the pointer to new if it is old, and reports whether it
// was.
func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool) {
	g, s := x.p.use("Pointer.CompareAndSwap", false)
	s.Ask(g, trace.OpCAS, box(old), box(new))
	return g.Reply.Ok
}

// A Value holds values of one type, like atomic.Value. It is empty at the start
// of every execution.
type Value struct{ p location }

// Load returns the value set last, nil if there is none.
func (v *Value) Load() (val any) {
	g, s := v.p.use("Value.Load", true)
	return s.Ask(g, trace.OpLoad, nil, nil)
}

// Store sets the value. It panics if val is nil or of another type than the
// values before.
func (v *Value) Store(val any) {
	g, s := v.p.use("Value.Store", true)
	if val == nil {
		panic("sync/atomic: store of nil value into Value")
	}
	s.Ask(g, trace.OpStore, val, nil)
}

// Swap sets the value and returns the previous one, nil if there was none. It
// panics if new is nil or of another type than the values before.
func (v *Value) Swap(new any) (old any) {
	g, s := v.p.use("Value.Swap", true)
	if new == nil {
		panic("sync/atomic: swap of nil value into Value")
	}
	return s.Ask(g, trace.OpSwap, new, nil)
}

// CompareAndSwap sets the value to new if it is old, and reports whether it
// was. It panics if new is nil or of another type than old or the values
// before, and if the values cannot be compared.
func (v *Value) CompareAndSwap(old, new any) (swapped bool) {
	g, s := v.p.use("Value.CompareAndSwap", true)
	if new == nil {
		panic("sync/atomic: compare and swap of nil value into Value")
	}
	if old != nil && reflect.TypeOf(old) != reflect.TypeOf(new) {
		panic("sync/atomic: compare and swap of inconsistently typed values")
	}
	s.Ask(g, trace.OpCAS, old, new)
	return g.Reply.Ok
}
