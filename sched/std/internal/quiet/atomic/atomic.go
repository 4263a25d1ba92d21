// Package atomic takes the place of package sync/atomic in packages of the standard library
// that are compiled to announce accesses of memory. Its operations order accesses under
// control, as the originals do, but their order is not explored.
package atomic

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/live"
)

// use orders the calling goroutine's events before later uses of p by other goroutines, and
// their earlier uses before its next event.
func use(p unsafe.Pointer) {
	if live.In() {
		live.Caller.Acquire(p)
		live.Caller.Release(p)
	}
}

// read is use for an operation that changes nothing.
func read(p unsafe.Pointer) {
	if live.In() {
		live.Caller.Acquire(p)
	}
}

// Int32 is an atomic.Int32.
type Int32 struct{ real atomic.Int32 }

func (x *Int32) Load() int32          { read(unsafe.Pointer(x)); return x.real.Load() }
func (x *Int32) Store(v int32)        { use(unsafe.Pointer(x)); x.real.Store(v) }
func (x *Int32) Swap(v int32) int32   { use(unsafe.Pointer(x)); return x.real.Swap(v) }
func (x *Int32) Add(d int32) int32    { use(unsafe.Pointer(x)); return x.real.Add(d) }
func (x *Int32) And(mask int32) int32 { use(unsafe.Pointer(x)); return x.real.And(mask) }
func (x *Int32) Or(mask int32) int32  { use(unsafe.Pointer(x)); return x.real.Or(mask) }
func (x *Int32) CompareAndSwap(old, new int32) bool {
	use(unsafe.Pointer(x))
	return x.real.CompareAndSwap(old, new)
}

func LoadInt32(p *int32) int32            { read(unsafe.Pointer(p)); return atomic.LoadInt32(p) }
func StoreInt32(p *int32, v int32)        { use(unsafe.Pointer(p)); atomic.StoreInt32(p, v) }
func SwapInt32(p *int32, v int32) int32   { use(unsafe.Pointer(p)); return atomic.SwapInt32(p, v) }
func AddInt32(p *int32, d int32) int32    { use(unsafe.Pointer(p)); return atomic.AddInt32(p, d) }
func AndInt32(p *int32, mask int32) int32 { use(unsafe.Pointer(p)); return atomic.AndInt32(p, mask) }
func OrInt32(p *int32, mask int32) int32  { use(unsafe.Pointer(p)); return atomic.OrInt32(p, mask) }
func CompareAndSwapInt32(p *int32, old, new int32) bool {
	use(unsafe.Pointer(p))
	return atomic.CompareAndSwapInt32(p, old, new)
}

// Int64 is an atomic.Int64.
type Int64 struct{ real atomic.Int64 }

func (x *Int64) Load() int64          { read(unsafe.Pointer(x)); return x.real.Load() }
func (x *Int64) Store(v int64)        { use(unsafe.Pointer(x)); x.real.Store(v) }
func (x *Int64) Swap(v int64) int64   { use(unsafe.Pointer(x)); return x.real.Swap(v) }
func (x *Int64) Add(d int64) int64    { use(unsafe.Pointer(x)); return x.real.Add(d) }
func (x *Int64) And(mask int64) int64 { use(unsafe.Pointer(x)); return x.real.And(mask) }
func (x *Int64) Or(mask int64) int64  { use(unsafe.Pointer(x)); return x.real.Or(mask) }
func (x *Int64) CompareAndSwap(old, new int64) bool {
	use(unsafe.Pointer(x))
	return x.real.CompareAndSwap(old, new)
}

func LoadInt64(p *int64) int64            { read(unsafe.Pointer(p)); return atomic.LoadInt64(p) }
func StoreInt64(p *int64, v int64)        { use(unsafe.Pointer(p)); atomic.StoreInt64(p, v) }
func SwapInt64(p *int64, v int64) int64   { use(unsafe.Pointer(p)); return atomic.SwapInt64(p, v) }
func AddInt64(p *int64, d int64) int64    { use(unsafe.Pointer(p)); return atomic.AddInt64(p, d) }
func AndInt64(p *int64, mask int64) int64 { use(unsafe.Pointer(p)); return atomic.AndInt64(p, mask) }
func OrInt64(p *int64, mask int64) int64  { use(unsafe.Pointer(p)); return atomic.OrInt64(p, mask) }
func CompareAndSwapInt64(p *int64, old, new int64) bool {
	use(unsafe.Pointer(p))
	return atomic.CompareAndSwapInt64(p, old, new)
}

// Uint32 is an atomic.Uint32.
type Uint32 struct{ real atomic.Uint32 }

func (x *Uint32) Load() uint32           { read(unsafe.Pointer(x)); return x.real.Load() }
func (x *Uint32) Store(v uint32)         { use(unsafe.Pointer(x)); x.real.Store(v) }
func (x *Uint32) Swap(v uint32) uint32   { use(unsafe.Pointer(x)); return x.real.Swap(v) }
func (x *Uint32) Add(d uint32) uint32    { use(unsafe.Pointer(x)); return x.real.Add(d) }
func (x *Uint32) And(mask uint32) uint32 { use(unsafe.Pointer(x)); return x.real.And(mask) }
func (x *Uint32) Or(mask uint32) uint32  { use(unsafe.Pointer(x)); return x.real.Or(mask) }
func (x *Uint32) CompareAndSwap(old, new uint32) bool {
	use(unsafe.Pointer(x))
	return x.real.CompareAndSwap(old, new)
}

func LoadUint32(p *uint32) uint32           { read(unsafe.Pointer(p)); return atomic.LoadUint32(p) }
func StoreUint32(p *uint32, v uint32)       { use(unsafe.Pointer(p)); atomic.StoreUint32(p, v) }
func SwapUint32(p *uint32, v uint32) uint32 { use(unsafe.Pointer(p)); return atomic.SwapUint32(p, v) }
func AddUint32(p *uint32, d uint32) uint32  { use(unsafe.Pointer(p)); return atomic.AddUint32(p, d) }
func AndUint32(p *uint32, mask uint32) uint32 {
	use(unsafe.Pointer(p))
	return atomic.AndUint32(p, mask)
}
func OrUint32(p *uint32, mask uint32) uint32 { use(unsafe.Pointer(p)); return atomic.OrUint32(p, mask) }
func CompareAndSwapUint32(p *uint32, old, new uint32) bool {
	use(unsafe.Pointer(p))
	return atomic.CompareAndSwapUint32(p, old, new)
}

// Uint64 is an atomic.Uint64.
type Uint64 struct{ real atomic.Uint64 }

func (x *Uint64) Load() uint64           { read(unsafe.Pointer(x)); return x.real.Load() }
func (x *Uint64) Store(v uint64)         { use(unsafe.Pointer(x)); x.real.Store(v) }
func (x *Uint64) Swap(v uint64) uint64   { use(unsafe.Pointer(x)); return x.real.Swap(v) }
func (x *Uint64) Add(d uint64) uint64    { use(unsafe.Pointer(x)); return x.real.Add(d) }
func (x *Uint64) And(mask uint64) uint64 { use(unsafe.Pointer(x)); return x.real.And(mask) }
func (x *Uint64) Or(mask uint64) uint64  { use(unsafe.Pointer(x)); return x.real.Or(mask) }
func (x *Uint64) CompareAndSwap(old, new uint64) bool {
	use(unsafe.Pointer(x))
	return x.real.CompareAndSwap(old, new)
}

func LoadUint64(p *uint64) uint64           { read(unsafe.Pointer(p)); return atomic.LoadUint64(p) }
func StoreUint64(p *uint64, v uint64)       { use(unsafe.Pointer(p)); atomic.StoreUint64(p, v) }
func SwapUint64(p *uint64, v uint64) uint64 { use(unsafe.Pointer(p)); return atomic.SwapUint64(p, v) }
func AddUint64(p *uint64, d uint64) uint64  { use(unsafe.Pointer(p)); return atomic.AddUint64(p, d) }
func AndUint64(p *uint64, mask uint64) uint64 {
	use(unsafe.Pointer(p))
	return atomic.AndUint64(p, mask)
}
func OrUint64(p *uint64, mask uint64) uint64 { use(unsafe.Pointer(p)); return atomic.OrUint64(p, mask) }
func CompareAndSwapUint64(p *uint64, old, new uint64) bool {
	use(unsafe.Pointer(p))
	return atomic.CompareAndSwapUint64(p, old, new)
}

// Uintptr is an atomic.Uintptr.
type Uintptr struct{ real atomic.Uintptr }

func (x *Uintptr) Load() uintptr            { read(unsafe.Pointer(x)); return x.real.Load() }
func (x *Uintptr) Store(v uintptr)          { use(unsafe.Pointer(x)); x.real.Store(v) }
func (x *Uintptr) Swap(v uintptr) uintptr   { use(unsafe.Pointer(x)); return x.real.Swap(v) }
func (x *Uintptr) Add(d uintptr) uintptr    { use(unsafe.Pointer(x)); return x.real.Add(d) }
func (x *Uintptr) And(mask uintptr) uintptr { use(unsafe.Pointer(x)); return x.real.And(mask) }
func (x *Uintptr) Or(mask uintptr) uintptr  { use(unsafe.Pointer(x)); return x.real.Or(mask) }
func (x *Uintptr) CompareAndSwap(old, new uintptr) bool {
	use(unsafe.Pointer(x))
	return x.real.CompareAndSwap(old, new)
}

func LoadUintptr(p *uintptr) uintptr     { read(unsafe.Pointer(p)); return atomic.LoadUintptr(p) }
func StoreUintptr(p *uintptr, v uintptr) { use(unsafe.Pointer(p)); atomic.StoreUintptr(p, v) }
func SwapUintptr(p *uintptr, v uintptr) uintptr {
	use(unsafe.Pointer(p))
	return atomic.SwapUintptr(p, v)
}
func AddUintptr(p *uintptr, d uintptr) uintptr {
	use(unsafe.Pointer(p))
	return atomic.AddUintptr(p, d)
}
func AndUintptr(p *uintptr, mask uintptr) uintptr {
	use(unsafe.Pointer(p))
	return atomic.AndUintptr(p, mask)
}
func OrUintptr(p *uintptr, mask uintptr) uintptr {
	use(unsafe.Pointer(p))
	return atomic.OrUintptr(p, mask)
}
func CompareAndSwapUintptr(p *uintptr, old, new uintptr) bool {
	use(unsafe.Pointer(p))
	return atomic.CompareAndSwapUintptr(p, old, new)
}

// Bool is an atomic.Bool.
type Bool struct{ real atomic.Bool }

func (x *Bool) Load() bool       { read(unsafe.Pointer(x)); return x.real.Load() }
func (x *Bool) Store(v bool)     { use(unsafe.Pointer(x)); x.real.Store(v) }
func (x *Bool) Swap(v bool) bool { use(unsafe.Pointer(x)); return x.real.Swap(v) }
func (x *Bool) CompareAndSwap(old, new bool) bool {
	use(unsafe.Pointer(x))
	return x.real.CompareAndSwap(old, new)
}

// Pointer is an atomic.Pointer.
type Pointer[T any] struct{ real atomic.Pointer[T] }

func (x *Pointer[T]) Load() *T     { read(unsafe.Pointer(x)); return x.real.Load() }
func (x *Pointer[T]) Store(v *T)   { use(unsafe.Pointer(x)); x.real.Store(v) }
func (x *Pointer[T]) Swap(v *T) *T { use(unsafe.Pointer(x)); return x.real.Swap(v) }
func (x *Pointer[T]) CompareAndSwap(old, new *T) bool {
	use(unsafe.Pointer(x))
	return x.real.CompareAndSwap(old, new)
}

// Value is an atomic.Value.
type Value struct{ real atomic.Value }

func (x *Value) Load() any      { read(unsafe.Pointer(x)); return x.real.Load() }
func (x *Value) Store(v any)    { use(unsafe.Pointer(x)); x.real.Store(v) }
func (x *Value) Swap(v any) any { use(unsafe.Pointer(x)); return x.real.Swap(v) }
func (x *Value) CompareAndSwap(old, new any) bool {
	use(unsafe.Pointer(x))
	return x.real.CompareAndSwap(old, new)
}

func LoadPointer(p *unsafe.Pointer) unsafe.Pointer {
	read(unsafe.Pointer(p))
	return atomic.LoadPointer(p)
}

func StorePointer(p *unsafe.Pointer, v unsafe.Pointer) {
	use(unsafe.Pointer(p))
	atomic.StorePointer(p, v)
}

func SwapPointer(p *unsafe.Pointer, v unsafe.Pointer) unsafe.Pointer {
	use(unsafe.Pointer(p))
	return atomic.SwapPointer(p, v)
}

func CompareAndSwapPointer(p *unsafe.Pointer, old, new unsafe.Pointer) bool {
	use(unsafe.Pointer(p))
	return atomic.CompareAndSwapPointer(p, old, new)
}
