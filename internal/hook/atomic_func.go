package hook

import (
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// This file has the functions of package sync/atomic, which use memory at an
// address. The memory stays the program's own: other code may read it, and it
// is not set back to zero when the next execution starts, so it should be
// made by the closure. A plain access of it that is not ordered with an atomic
// one is a data race, if one of them writes; see [ReadMemory].

// LoadInt32 returns *addr.
func LoadInt32(addr *int32) (val int32) {
	g, c := machine.RawNumber("LoadInt32", addr)
	return machine.LoadNumber[int32](g, c)
}

// LoadInt64 returns *addr.
func LoadInt64(addr *int64) (val int64) {
	g, c := machine.RawNumber("LoadInt64", addr)
	return machine.LoadNumber[int64](g, c)
}

// LoadUint32 returns *addr.
func LoadUint32(addr *uint32) (val uint32) {
	g, c := machine.RawNumber("LoadUint32", addr)
	return machine.LoadNumber[uint32](g, c)
}

// LoadUint64 returns *addr.
func LoadUint64(addr *uint64) (val uint64) {
	g, c := machine.RawNumber("LoadUint64", addr)
	return machine.LoadNumber[uint64](g, c)
}

// LoadUintptr returns *addr.
func LoadUintptr(addr *uintptr) (val uintptr) {
	g, c := machine.RawNumber("LoadUintptr", addr)
	return machine.LoadNumber[uintptr](g, c)
}

// StoreInt32 sets *addr to val.
func StoreInt32(addr *int32, val int32) {
	g, c := machine.RawNumber("StoreInt32", addr)
	machine.StoreNumber(g, c, val)
}

// StoreInt64 sets *addr to val.
func StoreInt64(addr *int64, val int64) {
	g, c := machine.RawNumber("StoreInt64", addr)
	machine.StoreNumber(g, c, val)
}

// StoreUint32 sets *addr to val.
func StoreUint32(addr *uint32, val uint32) {
	g, c := machine.RawNumber("StoreUint32", addr)
	machine.StoreNumber(g, c, val)
}

// StoreUint64 sets *addr to val.
func StoreUint64(addr *uint64, val uint64) {
	g, c := machine.RawNumber("StoreUint64", addr)
	machine.StoreNumber(g, c, val)
}

// StoreUintptr sets *addr to val.
func StoreUintptr(addr *uintptr, val uintptr) {
	g, c := machine.RawNumber("StoreUintptr", addr)
	machine.StoreNumber(g, c, val)
}

// SwapInt32 sets *addr to new and returns the previous value.
func SwapInt32(addr *int32, new int32) (old int32) {
	g, c := machine.RawNumber("SwapInt32", addr)
	return machine.UpdateNumber(g, trace.OpSwap, c, new)
}

// SwapInt64 sets *addr to new and returns the previous value.
func SwapInt64(addr *int64, new int64) (old int64) {
	g, c := machine.RawNumber("SwapInt64", addr)
	return machine.UpdateNumber(g, trace.OpSwap, c, new)
}

// SwapUint32 sets *addr to new and returns the previous value.
func SwapUint32(addr *uint32, new uint32) (old uint32) {
	g, c := machine.RawNumber("SwapUint32", addr)
	return machine.UpdateNumber(g, trace.OpSwap, c, new)
}

// SwapUint64 sets *addr to new and returns the previous value.
func SwapUint64(addr *uint64, new uint64) (old uint64) {
	g, c := machine.RawNumber("SwapUint64", addr)
	return machine.UpdateNumber(g, trace.OpSwap, c, new)
}

// SwapUintptr sets *addr to new and returns the previous value.
func SwapUintptr(addr *uintptr, new uintptr) (old uintptr) {
	g, c := machine.RawNumber("SwapUintptr", addr)
	return machine.UpdateNumber(g, trace.OpSwap, c, new)
}

// CompareAndSwapInt32 sets *addr to new if it is old, and reports whether it was.
func CompareAndSwapInt32(addr *int32, old, new int32) (swapped bool) {
	g, c := machine.RawNumber("CompareAndSwapInt32", addr)
	return machine.CasNumber(g, c, old, new)
}

// CompareAndSwapInt64 sets *addr to new if it is old, and reports whether it was.
func CompareAndSwapInt64(addr *int64, old, new int64) (swapped bool) {
	g, c := machine.RawNumber("CompareAndSwapInt64", addr)
	return machine.CasNumber(g, c, old, new)
}

// CompareAndSwapUint32 sets *addr to new if it is old, and reports whether it was.
func CompareAndSwapUint32(addr *uint32, old, new uint32) (swapped bool) {
	g, c := machine.RawNumber("CompareAndSwapUint32", addr)
	return machine.CasNumber(g, c, old, new)
}

// CompareAndSwapUint64 sets *addr to new if it is old, and reports whether it was.
func CompareAndSwapUint64(addr *uint64, old, new uint64) (swapped bool) {
	g, c := machine.RawNumber("CompareAndSwapUint64", addr)
	return machine.CasNumber(g, c, old, new)
}

// CompareAndSwapUintptr sets *addr to new if it is old, and reports whether it was.
func CompareAndSwapUintptr(addr *uintptr, old, new uintptr) (swapped bool) {
	g, c := machine.RawNumber("CompareAndSwapUintptr", addr)
	return machine.CasNumber(g, c, old, new)
}

// AddInt32 adds delta to *addr, wrapping around, and returns the new value.
func AddInt32(addr *int32, delta int32) (new int32) {
	g, c := machine.RawNumber("AddInt32", addr)
	return machine.UpdateNumber(g, trace.OpAdd, c, delta)
}

// AddInt64 adds delta to *addr, wrapping around, and returns the new value.
func AddInt64(addr *int64, delta int64) (new int64) {
	g, c := machine.RawNumber("AddInt64", addr)
	return machine.UpdateNumber(g, trace.OpAdd, c, delta)
}

// AddUint32 adds delta to *addr, wrapping around, and returns the new value.
func AddUint32(addr *uint32, delta uint32) (new uint32) {
	g, c := machine.RawNumber("AddUint32", addr)
	return machine.UpdateNumber(g, trace.OpAdd, c, delta)
}

// AddUint64 adds delta to *addr, wrapping around, and returns the new value.
func AddUint64(addr *uint64, delta uint64) (new uint64) {
	g, c := machine.RawNumber("AddUint64", addr)
	return machine.UpdateNumber(g, trace.OpAdd, c, delta)
}

// AddUintptr adds delta to *addr, wrapping around, and returns the new value.
func AddUintptr(addr *uintptr, delta uintptr) (new uintptr) {
	g, c := machine.RawNumber("AddUintptr", addr)
	return machine.UpdateNumber(g, trace.OpAdd, c, delta)
}

// AndInt32 keeps those bits of *addr that are set in mask and returns the old value.
func AndInt32(addr *int32, mask int32) (old int32) {
	g, c := machine.RawNumber("AndInt32", addr)
	return machine.UpdateNumber(g, trace.OpAnd, c, mask)
}

// AndInt64 keeps those bits of *addr that are set in mask and returns the old value.
func AndInt64(addr *int64, mask int64) (old int64) {
	g, c := machine.RawNumber("AndInt64", addr)
	return machine.UpdateNumber(g, trace.OpAnd, c, mask)
}

// AndUint32 keeps those bits of *addr that are set in mask and returns the old value.
func AndUint32(addr *uint32, mask uint32) (old uint32) {
	g, c := machine.RawNumber("AndUint32", addr)
	return machine.UpdateNumber(g, trace.OpAnd, c, mask)
}

// AndUint64 keeps those bits of *addr that are set in mask and returns the old value.
func AndUint64(addr *uint64, mask uint64) (old uint64) {
	g, c := machine.RawNumber("AndUint64", addr)
	return machine.UpdateNumber(g, trace.OpAnd, c, mask)
}

// AndUintptr keeps those bits of *addr that are set in mask and returns the old value.
func AndUintptr(addr *uintptr, mask uintptr) (old uintptr) {
	g, c := machine.RawNumber("AndUintptr", addr)
	return machine.UpdateNumber(g, trace.OpAnd, c, mask)
}

// OrInt32 sets those bits of *addr that are set in mask and returns the old value.
func OrInt32(addr *int32, mask int32) (old int32) {
	g, c := machine.RawNumber("OrInt32", addr)
	return machine.UpdateNumber(g, trace.OpOr, c, mask)
}

// OrInt64 sets those bits of *addr that are set in mask and returns the old value.
func OrInt64(addr *int64, mask int64) (old int64) {
	g, c := machine.RawNumber("OrInt64", addr)
	return machine.UpdateNumber(g, trace.OpOr, c, mask)
}

// OrUint32 sets those bits of *addr that are set in mask and returns the old value.
func OrUint32(addr *uint32, mask uint32) (old uint32) {
	g, c := machine.RawNumber("OrUint32", addr)
	return machine.UpdateNumber(g, trace.OpOr, c, mask)
}

// OrUint64 sets those bits of *addr that are set in mask and returns the old value.
func OrUint64(addr *uint64, mask uint64) (old uint64) {
	g, c := machine.RawNumber("OrUint64", addr)
	return machine.UpdateNumber(g, trace.OpOr, c, mask)
}

// OrUintptr sets those bits of *addr that are set in mask and returns the old value.
func OrUintptr(addr *uintptr, mask uintptr) (old uintptr) {
	g, c := machine.RawNumber("OrUintptr", addr)
	return machine.UpdateNumber(g, trace.OpOr, c, mask)
}
