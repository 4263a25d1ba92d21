package atomic

import (
	"sync/atomic"
	"unsafe"
)

// The functions and methods of this file are what rewritten code calls where nobody
// is controlled, and it knows that: Gopor__LoadInt32 in place of LoadInt32. They cost
// what the originals do.

func Gopor__LoadInt32(addr *int32) int32                     { return atomic.LoadInt32(addr) }
func Gopor__LoadInt64(addr *int64) int64                     { return atomic.LoadInt64(addr) }
func Gopor__LoadUint32(addr *uint32) uint32                  { return atomic.LoadUint32(addr) }
func Gopor__LoadUint64(addr *uint64) uint64                  { return atomic.LoadUint64(addr) }
func Gopor__LoadUintptr(addr *uintptr) uintptr               { return atomic.LoadUintptr(addr) }
func Gopor__LoadPointer(addr *unsafe.Pointer) unsafe.Pointer { return atomic.LoadPointer(addr) }

func Gopor__StoreInt32(addr *int32, val int32)                     { atomic.StoreInt32(addr, val) }
func Gopor__StoreInt64(addr *int64, val int64)                     { atomic.StoreInt64(addr, val) }
func Gopor__StoreUint32(addr *uint32, val uint32)                  { atomic.StoreUint32(addr, val) }
func Gopor__StoreUint64(addr *uint64, val uint64)                  { atomic.StoreUint64(addr, val) }
func Gopor__StoreUintptr(addr *uintptr, val uintptr)               { atomic.StoreUintptr(addr, val) }
func Gopor__StorePointer(addr *unsafe.Pointer, val unsafe.Pointer) { atomic.StorePointer(addr, val) }

func Gopor__SwapInt32(addr *int32, new int32) int32         { return atomic.SwapInt32(addr, new) }
func Gopor__SwapInt64(addr *int64, new int64) int64         { return atomic.SwapInt64(addr, new) }
func Gopor__SwapUint32(addr *uint32, new uint32) uint32     { return atomic.SwapUint32(addr, new) }
func Gopor__SwapUint64(addr *uint64, new uint64) uint64     { return atomic.SwapUint64(addr, new) }
func Gopor__SwapUintptr(addr *uintptr, new uintptr) uintptr { return atomic.SwapUintptr(addr, new) }
func Gopor__SwapPointer(addr *unsafe.Pointer, new unsafe.Pointer) unsafe.Pointer {
	return atomic.SwapPointer(addr, new)
}

func Gopor__CompareAndSwapInt32(addr *int32, old, new int32) bool {
	return atomic.CompareAndSwapInt32(addr, old, new)
}
func Gopor__CompareAndSwapInt64(addr *int64, old, new int64) bool {
	return atomic.CompareAndSwapInt64(addr, old, new)
}
func Gopor__CompareAndSwapUint32(addr *uint32, old, new uint32) bool {
	return atomic.CompareAndSwapUint32(addr, old, new)
}
func Gopor__CompareAndSwapUint64(addr *uint64, old, new uint64) bool {
	return atomic.CompareAndSwapUint64(addr, old, new)
}
func Gopor__CompareAndSwapUintptr(addr *uintptr, old, new uintptr) bool {
	return atomic.CompareAndSwapUintptr(addr, old, new)
}
func Gopor__CompareAndSwapPointer(addr *unsafe.Pointer, old, new unsafe.Pointer) bool {
	return atomic.CompareAndSwapPointer(addr, old, new)
}

func Gopor__AddInt32(addr *int32, delta int32) int32         { return atomic.AddInt32(addr, delta) }
func Gopor__AddInt64(addr *int64, delta int64) int64         { return atomic.AddInt64(addr, delta) }
func Gopor__AddUint32(addr *uint32, delta uint32) uint32     { return atomic.AddUint32(addr, delta) }
func Gopor__AddUint64(addr *uint64, delta uint64) uint64     { return atomic.AddUint64(addr, delta) }
func Gopor__AddUintptr(addr *uintptr, delta uintptr) uintptr { return atomic.AddUintptr(addr, delta) }

func Gopor__AndInt32(addr *int32, mask int32) int32         { return atomic.AndInt32(addr, mask) }
func Gopor__AndInt64(addr *int64, mask int64) int64         { return atomic.AndInt64(addr, mask) }
func Gopor__AndUint32(addr *uint32, mask uint32) uint32     { return atomic.AndUint32(addr, mask) }
func Gopor__AndUint64(addr *uint64, mask uint64) uint64     { return atomic.AndUint64(addr, mask) }
func Gopor__AndUintptr(addr *uintptr, mask uintptr) uintptr { return atomic.AndUintptr(addr, mask) }

func Gopor__OrInt32(addr *int32, mask int32) int32         { return atomic.OrInt32(addr, mask) }
func Gopor__OrInt64(addr *int64, mask int64) int64         { return atomic.OrInt64(addr, mask) }
func Gopor__OrUint32(addr *uint32, mask uint32) uint32     { return atomic.OrUint32(addr, mask) }
func Gopor__OrUint64(addr *uint64, mask uint64) uint64     { return atomic.OrUint64(addr, mask) }
func Gopor__OrUintptr(addr *uintptr, mask uintptr) uintptr { return atomic.OrUintptr(addr, mask) }

func (x *Int32) Gopor__Load() int32                        { return x.real.Load() }
func (x *Int32) Gopor__Store(val int32)                    { x.real.Store(val) }
func (x *Int32) Gopor__Swap(new int32) int32               { return x.real.Swap(new) }
func (x *Int32) Gopor__CompareAndSwap(old, new int32) bool { return x.real.CompareAndSwap(old, new) }
func (x *Int32) Gopor__Add(delta int32) int32              { return x.real.Add(delta) }
func (x *Int32) Gopor__And(mask int32) int32               { return x.real.And(mask) }
func (x *Int32) Gopor__Or(mask int32) int32                { return x.real.Or(mask) }

func (x *Int64) Gopor__Load() int64                        { return x.real.Load() }
func (x *Int64) Gopor__Store(val int64)                    { x.real.Store(val) }
func (x *Int64) Gopor__Swap(new int64) int64               { return x.real.Swap(new) }
func (x *Int64) Gopor__CompareAndSwap(old, new int64) bool { return x.real.CompareAndSwap(old, new) }
func (x *Int64) Gopor__Add(delta int64) int64              { return x.real.Add(delta) }
func (x *Int64) Gopor__And(mask int64) int64               { return x.real.And(mask) }
func (x *Int64) Gopor__Or(mask int64) int64                { return x.real.Or(mask) }

func (x *Uint32) Gopor__Load() uint32                        { return x.real.Load() }
func (x *Uint32) Gopor__Store(val uint32)                    { x.real.Store(val) }
func (x *Uint32) Gopor__Swap(new uint32) uint32              { return x.real.Swap(new) }
func (x *Uint32) Gopor__CompareAndSwap(old, new uint32) bool { return x.real.CompareAndSwap(old, new) }
func (x *Uint32) Gopor__Add(delta uint32) uint32             { return x.real.Add(delta) }
func (x *Uint32) Gopor__And(mask uint32) uint32              { return x.real.And(mask) }
func (x *Uint32) Gopor__Or(mask uint32) uint32               { return x.real.Or(mask) }

func (x *Uint64) Gopor__Load() uint64                        { return x.real.Load() }
func (x *Uint64) Gopor__Store(val uint64)                    { x.real.Store(val) }
func (x *Uint64) Gopor__Swap(new uint64) uint64              { return x.real.Swap(new) }
func (x *Uint64) Gopor__CompareAndSwap(old, new uint64) bool { return x.real.CompareAndSwap(old, new) }
func (x *Uint64) Gopor__Add(delta uint64) uint64             { return x.real.Add(delta) }
func (x *Uint64) Gopor__And(mask uint64) uint64              { return x.real.And(mask) }
func (x *Uint64) Gopor__Or(mask uint64) uint64               { return x.real.Or(mask) }

func (x *Uintptr) Gopor__Load() uintptr            { return x.real.Load() }
func (x *Uintptr) Gopor__Store(val uintptr)        { x.real.Store(val) }
func (x *Uintptr) Gopor__Swap(new uintptr) uintptr { return x.real.Swap(new) }
func (x *Uintptr) Gopor__CompareAndSwap(old, new uintptr) bool {
	return x.real.CompareAndSwap(old, new)
}
func (x *Uintptr) Gopor__Add(delta uintptr) uintptr { return x.real.Add(delta) }
func (x *Uintptr) Gopor__And(mask uintptr) uintptr  { return x.real.And(mask) }
func (x *Uintptr) Gopor__Or(mask uintptr) uintptr   { return x.real.Or(mask) }

func (x *Bool) Gopor__Load() bool                        { return x.real.Load() }
func (x *Bool) Gopor__Store(val bool)                    { x.real.Store(val) }
func (x *Bool) Gopor__Swap(new bool) bool                { return x.real.Swap(new) }
func (x *Bool) Gopor__CompareAndSwap(old, new bool) bool { return x.real.CompareAndSwap(old, new) }

func (x *Pointer[T]) Gopor__Load() *T                        { return x.real.Load() }
func (x *Pointer[T]) Gopor__Store(val *T)                    { x.real.Store(val) }
func (x *Pointer[T]) Gopor__Swap(new *T) *T                  { return x.real.Swap(new) }
func (x *Pointer[T]) Gopor__CompareAndSwap(old, new *T) bool { return x.real.CompareAndSwap(old, new) }
