package atomic

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/sched"
)

// Every type of this file is the original in a struct: so the compiler aligns
// its number as it has to be, and go vet complains about copies. The number is
// at the beginning, since nothing else in the original takes space.
//
// The methods, but for CompareAndSwap, are small enough to be inlined, and written
// so that they are. Where nobody is controlled, they are the originals and a
// test; where somebody is, the functions of func.go ask whether that is the caller.

// An Int32 is an atomic.Int32.
type Int32 struct{ real atomic.Int32 }

func (x *Int32) addr() *int32 { return (*int32)(unsafe.Pointer(&x.real)) }

// Load returns the value of x.
func (x *Int32) Load() int32 {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return LoadInt32((*int32)(unsafe.Pointer(x)))
	}
	return x.real.Load()
}

// Store sets x to val.
func (x *Int32) Store(val int32) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		StoreInt32((*int32)(unsafe.Pointer(x)), val)
		return
	}
	x.real.Store(val)
}

// Swap sets x to new and returns the previous value.
func (x *Int32) Swap(new int32) (old int32) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return SwapInt32((*int32)(unsafe.Pointer(x)), new)
	}
	return x.real.Swap(new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Int32) CompareAndSwap(old, new int32) (swapped bool) {
	if sched.Controlled() && sched.Active() {
		return sched.CompareAndSwapInt32(x.addr(), old, new)
	}
	return x.real.CompareAndSwap(old, new)
}

// Add adds delta to x and returns the new value.
func (x *Int32) Add(delta int32) (new int32) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return AddInt32((*int32)(unsafe.Pointer(x)), delta)
	}
	return x.real.Add(delta)
}

// And keeps the bits of x that are set in mask and returns the old value.
func (x *Int32) And(mask int32) (old int32) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return AndInt32((*int32)(unsafe.Pointer(x)), mask)
	}
	return x.real.And(mask)
}

// Or sets the bits of x that are set in mask and returns the old value.
func (x *Int32) Or(mask int32) (old int32) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return OrInt32((*int32)(unsafe.Pointer(x)), mask)
	}
	return x.real.Or(mask)
}

// An Int64 is an atomic.Int64.
type Int64 struct{ real atomic.Int64 }

func (x *Int64) addr() *int64 { return (*int64)(unsafe.Pointer(&x.real)) }

// Load returns the value of x.
func (x *Int64) Load() int64 {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return LoadInt64((*int64)(unsafe.Pointer(x)))
	}
	return x.real.Load()
}

// Store sets x to val.
func (x *Int64) Store(val int64) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		StoreInt64((*int64)(unsafe.Pointer(x)), val)
		return
	}
	x.real.Store(val)
}

// Swap sets x to new and returns the previous value.
func (x *Int64) Swap(new int64) (old int64) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return SwapInt64((*int64)(unsafe.Pointer(x)), new)
	}
	return x.real.Swap(new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Int64) CompareAndSwap(old, new int64) (swapped bool) {
	if sched.Controlled() && sched.Active() {
		return sched.CompareAndSwapInt64(x.addr(), old, new)
	}
	return x.real.CompareAndSwap(old, new)
}

// Add adds delta to x and returns the new value.
func (x *Int64) Add(delta int64) (new int64) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return AddInt64((*int64)(unsafe.Pointer(x)), delta)
	}
	return x.real.Add(delta)
}

// And keeps the bits of x that are set in mask and returns the old value.
func (x *Int64) And(mask int64) (old int64) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return AndInt64((*int64)(unsafe.Pointer(x)), mask)
	}
	return x.real.And(mask)
}

// Or sets the bits of x that are set in mask and returns the old value.
func (x *Int64) Or(mask int64) (old int64) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return OrInt64((*int64)(unsafe.Pointer(x)), mask)
	}
	return x.real.Or(mask)
}

// A Uint32 is an atomic.Uint32.
type Uint32 struct{ real atomic.Uint32 }

func (x *Uint32) addr() *uint32 { return (*uint32)(unsafe.Pointer(&x.real)) }

// Load returns the value of x.
func (x *Uint32) Load() uint32 {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return LoadUint32((*uint32)(unsafe.Pointer(x)))
	}
	return x.real.Load()
}

// Store sets x to val.
func (x *Uint32) Store(val uint32) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		StoreUint32((*uint32)(unsafe.Pointer(x)), val)
		return
	}
	x.real.Store(val)
}

// Swap sets x to new and returns the previous value.
func (x *Uint32) Swap(new uint32) (old uint32) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return SwapUint32((*uint32)(unsafe.Pointer(x)), new)
	}
	return x.real.Swap(new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Uint32) CompareAndSwap(old, new uint32) (swapped bool) {
	if sched.Controlled() && sched.Active() {
		return sched.CompareAndSwapUint32(x.addr(), old, new)
	}
	return x.real.CompareAndSwap(old, new)
}

// Add adds delta to x and returns the new value.
func (x *Uint32) Add(delta uint32) (new uint32) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return AddUint32((*uint32)(unsafe.Pointer(x)), delta)
	}
	return x.real.Add(delta)
}

// And keeps the bits of x that are set in mask and returns the old value.
func (x *Uint32) And(mask uint32) (old uint32) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return AndUint32((*uint32)(unsafe.Pointer(x)), mask)
	}
	return x.real.And(mask)
}

// Or sets the bits of x that are set in mask and returns the old value.
func (x *Uint32) Or(mask uint32) (old uint32) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return OrUint32((*uint32)(unsafe.Pointer(x)), mask)
	}
	return x.real.Or(mask)
}

// A Uint64 is an atomic.Uint64.
type Uint64 struct{ real atomic.Uint64 }

func (x *Uint64) addr() *uint64 { return (*uint64)(unsafe.Pointer(&x.real)) }

// Load returns the value of x.
func (x *Uint64) Load() uint64 {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return LoadUint64((*uint64)(unsafe.Pointer(x)))
	}
	return x.real.Load()
}

// Store sets x to val.
func (x *Uint64) Store(val uint64) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		StoreUint64((*uint64)(unsafe.Pointer(x)), val)
		return
	}
	x.real.Store(val)
}

// Swap sets x to new and returns the previous value.
func (x *Uint64) Swap(new uint64) (old uint64) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return SwapUint64((*uint64)(unsafe.Pointer(x)), new)
	}
	return x.real.Swap(new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Uint64) CompareAndSwap(old, new uint64) (swapped bool) {
	if sched.Controlled() && sched.Active() {
		return sched.CompareAndSwapUint64(x.addr(), old, new)
	}
	return x.real.CompareAndSwap(old, new)
}

// Add adds delta to x and returns the new value.
func (x *Uint64) Add(delta uint64) (new uint64) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return AddUint64((*uint64)(unsafe.Pointer(x)), delta)
	}
	return x.real.Add(delta)
}

// And keeps the bits of x that are set in mask and returns the old value.
func (x *Uint64) And(mask uint64) (old uint64) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return AndUint64((*uint64)(unsafe.Pointer(x)), mask)
	}
	return x.real.And(mask)
}

// Or sets the bits of x that are set in mask and returns the old value.
func (x *Uint64) Or(mask uint64) (old uint64) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return OrUint64((*uint64)(unsafe.Pointer(x)), mask)
	}
	return x.real.Or(mask)
}

// A Uintptr is an atomic.Uintptr.
type Uintptr struct{ real atomic.Uintptr }

func (x *Uintptr) addr() *uintptr { return (*uintptr)(unsafe.Pointer(&x.real)) }

// Load returns the value of x.
func (x *Uintptr) Load() uintptr {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return LoadUintptr((*uintptr)(unsafe.Pointer(x)))
	}
	return x.real.Load()
}

// Store sets x to val.
func (x *Uintptr) Store(val uintptr) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		StoreUintptr((*uintptr)(unsafe.Pointer(x)), val)
		return
	}
	x.real.Store(val)
}

// Swap sets x to new and returns the previous value.
func (x *Uintptr) Swap(new uintptr) (old uintptr) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return SwapUintptr((*uintptr)(unsafe.Pointer(x)), new)
	}
	return x.real.Swap(new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Uintptr) CompareAndSwap(old, new uintptr) (swapped bool) {
	if sched.Controlled() && sched.Active() {
		return sched.CompareAndSwapUintptr(x.addr(), old, new)
	}
	return x.real.CompareAndSwap(old, new)
}

// Add adds delta to x and returns the new value.
func (x *Uintptr) Add(delta uintptr) (new uintptr) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return AddUintptr((*uintptr)(unsafe.Pointer(x)), delta)
	}
	return x.real.Add(delta)
}

// And keeps the bits of x that are set in mask and returns the old value.
func (x *Uintptr) And(mask uintptr) (old uintptr) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return AndUintptr((*uintptr)(unsafe.Pointer(x)), mask)
	}
	return x.real.And(mask)
}

// Or sets the bits of x that are set in mask and returns the old value.
func (x *Uintptr) Or(mask uintptr) (old uintptr) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		return OrUintptr((*uintptr)(unsafe.Pointer(x)), mask)
	}
	return x.real.Or(mask)
}
