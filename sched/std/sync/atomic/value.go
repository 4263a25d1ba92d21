package atomic

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched/trace"
)

// A Value is an atomic.Value. Under control the check whether a method can be called, and the
// call, are one step.
type Value struct{ real atomic.Value }

// perform calls do as an atomic operation of a kind.
func (v *Value) perform(kind trace.Kind, do func() any) {
	hook.Atomic(kind, unsafe.Pointer(&v.real), unsafe.Sizeof(v.real), do)
}

// attempt is perform for functions that may panic. The panic happens after the operation.
func (v *Value) attempt(kind trace.Kind, do func() any) {
	var raised any
	v.perform(kind, func() (result any) {
		defer func() { raised = recover() }()
		return do()
	})
	if raised != nil {
		panic(raised)
	}
}

// Load returns the value set last, or nil if there is none.
func (v *Value) Load() (val any) {
	if hook.Active() {
		v.perform(trace.OpLoad, func() any { val = v.real.Load(); return val })
		return val
	}
	return v.real.Load()
}

// Store sets the value.
func (v *Value) Store(val any) {
	if hook.Active() && val != nil {
		v.attempt(trace.OpStore, func() any { v.real.Store(val); return val })
		return
	}
	v.real.Store(val)
}

// Swap sets the value and returns the previous one.
func (v *Value) Swap(new any) (old any) {
	if hook.Active() && new != nil {
		v.attempt(trace.OpSwap, func() any { old = v.real.Swap(new); return new })
		return old
	}
	return v.real.Swap(new)
}

// CompareAndSwap sets the value to new if it is old, and reports whether it
// was.
func (v *Value) CompareAndSwap(old, new any) (swapped bool) {
	clash := new == nil || old != nil && reflect.TypeOf(old) != reflect.TypeOf(new)
	if clash || !hook.Active() {
		return v.real.CompareAndSwap(old, new)
	}
	var raised any
	equal := func() (eq bool) {
		defer func() { raised = recover() }()
		val := v.real.Load()
		if val != nil && reflect.TypeOf(val) != reflect.TypeOf(new) {
			return v.real.CompareAndSwap(nil, new) // always panics
		}
		return val == old
	}
	swapped = hook.AtomicCAS(unsafe.Pointer(&v.real), unsafe.Sizeof(v.real), equal,
		func() any { v.real.Store(new); return new })
	if raised != nil {
		panic(raised)
	}
	return swapped
}
