package atomic

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
)

// A Bool is an atomic.Bool, which is 1 in memory for true, and 0 for false.
type Bool struct{ real atomic.Bool }

func (x *Bool) addr() *uint32 { return (*uint32)(unsafe.Pointer(&x.real)) }

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// Load returns the value of x.
func (x *Bool) Load() bool {
	if hook.Active() {
		return hook.Load(x.addr()) != 0
	}
	return x.real.Load()
}

// Store sets x to val.
func (x *Bool) Store(val bool) {
	if hook.Active() {
		hook.Store(x.addr(), bit(val))
		return
	}
	x.real.Store(val)
}

// Swap sets x to new and returns the previous value.
func (x *Bool) Swap(new bool) (old bool) {
	if hook.Active() {
		return hook.Swap(x.addr(), bit(new)) != 0
	}
	return x.real.Swap(new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Bool) CompareAndSwap(old, new bool) (swapped bool) {
	if hook.Active() {
		return hook.CompareAndSwap(x.addr(), bit(old), bit(new))
	}
	return x.real.CompareAndSwap(old, new)
}

// A Pointer is an atomic.Pointer, which has only the pointer in memory.
type Pointer[T any] struct{ real atomic.Pointer[T] }

func (x *Pointer[T]) addr() *unsafe.Pointer { return (*unsafe.Pointer)(unsafe.Pointer(&x.real)) }

// Load returns the pointer.
func (x *Pointer[T]) Load() *T {
	if hook.Active() {
		return (*T)(hook.LoadPointer(x.addr()))
	}
	return x.real.Load()
}

// Store sets the pointer to val.
func (x *Pointer[T]) Store(val *T) {
	if hook.Active() {
		hook.StorePointer(x.addr(), unsafe.Pointer(val))
		return
	}
	x.real.Store(val)
}

// Swap sets the pointer to new and returns the previous one.
func (x *Pointer[T]) Swap(new *T) (old *T) {
	if hook.Active() {
		return (*T)(hook.SwapPointer(x.addr(), unsafe.Pointer(new)))
	}
	return x.real.Swap(new)
}

// CompareAndSwap sets the pointer to new if it is old, and reports whether it
// was.
func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool) {
	if hook.Active() {
		return hook.CompareAndSwapPointer(x.addr(), unsafe.Pointer(old), unsafe.Pointer(new))
	}
	return x.real.CompareAndSwap(old, new)
}
