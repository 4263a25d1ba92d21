package atomic

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/sched"
)

// LoadInt32 returns *addr.
func LoadInt32(addr *int32) (val int32) {
	if sched.Controlled() && sched.Active() {
		return sched.LoadInt32(addr)
	}
	return atomic.LoadInt32(addr)
}

// LoadInt64 returns *addr.
func LoadInt64(addr *int64) (val int64) {
	if sched.Controlled() && sched.Active() {
		return sched.LoadInt64(addr)
	}
	return atomic.LoadInt64(addr)
}

// LoadUint32 returns *addr.
func LoadUint32(addr *uint32) (val uint32) {
	if sched.Controlled() && sched.Active() {
		return sched.LoadUint32(addr)
	}
	return atomic.LoadUint32(addr)
}

// LoadUint64 returns *addr.
func LoadUint64(addr *uint64) (val uint64) {
	if sched.Controlled() && sched.Active() {
		return sched.LoadUint64(addr)
	}
	return atomic.LoadUint64(addr)
}

// LoadUintptr returns *addr.
func LoadUintptr(addr *uintptr) (val uintptr) {
	if sched.Controlled() && sched.Active() {
		return sched.LoadUintptr(addr)
	}
	return atomic.LoadUintptr(addr)
}

// LoadPointer returns *addr.
func LoadPointer(addr *unsafe.Pointer) (val unsafe.Pointer) {
	if sched.Controlled() && sched.Active() {
		return sched.LoadPointer(addr)
	}
	return atomic.LoadPointer(addr)
}

// StoreInt32 sets *addr to val.
func StoreInt32(addr *int32, val int32) {
	if sched.Controlled() && sched.Active() {
		sched.StoreInt32(addr, val)
		return
	}
	atomic.StoreInt32(addr, val)
}

// StoreInt64 sets *addr to val.
func StoreInt64(addr *int64, val int64) {
	if sched.Controlled() && sched.Active() {
		sched.StoreInt64(addr, val)
		return
	}
	atomic.StoreInt64(addr, val)
}

// StoreUint32 sets *addr to val.
func StoreUint32(addr *uint32, val uint32) {
	if sched.Controlled() && sched.Active() {
		sched.StoreUint32(addr, val)
		return
	}
	atomic.StoreUint32(addr, val)
}

// StoreUint64 sets *addr to val.
func StoreUint64(addr *uint64, val uint64) {
	if sched.Controlled() && sched.Active() {
		sched.StoreUint64(addr, val)
		return
	}
	atomic.StoreUint64(addr, val)
}

// StoreUintptr sets *addr to val.
func StoreUintptr(addr *uintptr, val uintptr) {
	if sched.Controlled() && sched.Active() {
		sched.StoreUintptr(addr, val)
		return
	}
	atomic.StoreUintptr(addr, val)
}

// StorePointer sets *addr to val.
func StorePointer(addr *unsafe.Pointer, val unsafe.Pointer) {
	if sched.Controlled() && sched.Active() {
		sched.StorePointer(addr, val)
		return
	}
	atomic.StorePointer(addr, val)
}

// SwapInt32 sets *addr to new and returns the previous value.
func SwapInt32(addr *int32, new int32) (old int32) {
	if sched.Controlled() && sched.Active() {
		return sched.SwapInt32(addr, new)
	}
	return atomic.SwapInt32(addr, new)
}

// SwapInt64 sets *addr to new and returns the previous value.
func SwapInt64(addr *int64, new int64) (old int64) {
	if sched.Controlled() && sched.Active() {
		return sched.SwapInt64(addr, new)
	}
	return atomic.SwapInt64(addr, new)
}

// SwapUint32 sets *addr to new and returns the previous value.
func SwapUint32(addr *uint32, new uint32) (old uint32) {
	if sched.Controlled() && sched.Active() {
		return sched.SwapUint32(addr, new)
	}
	return atomic.SwapUint32(addr, new)
}

// SwapUint64 sets *addr to new and returns the previous value.
func SwapUint64(addr *uint64, new uint64) (old uint64) {
	if sched.Controlled() && sched.Active() {
		return sched.SwapUint64(addr, new)
	}
	return atomic.SwapUint64(addr, new)
}

// SwapUintptr sets *addr to new and returns the previous value.
func SwapUintptr(addr *uintptr, new uintptr) (old uintptr) {
	if sched.Controlled() && sched.Active() {
		return sched.SwapUintptr(addr, new)
	}
	return atomic.SwapUintptr(addr, new)
}

// SwapPointer sets *addr to new and returns the previous value.
func SwapPointer(addr *unsafe.Pointer, new unsafe.Pointer) (old unsafe.Pointer) {
	if sched.Controlled() && sched.Active() {
		return sched.SwapPointer(addr, new)
	}
	return atomic.SwapPointer(addr, new)
}

// CompareAndSwapInt32 sets *addr to new if it is old, and reports whether it was.
func CompareAndSwapInt32(addr *int32, old, new int32) (swapped bool) {
	if sched.Controlled() && sched.Active() {
		return sched.CompareAndSwapInt32(addr, old, new)
	}
	return atomic.CompareAndSwapInt32(addr, old, new)
}

// CompareAndSwapInt64 sets *addr to new if it is old, and reports whether it was.
func CompareAndSwapInt64(addr *int64, old, new int64) (swapped bool) {
	if sched.Controlled() && sched.Active() {
		return sched.CompareAndSwapInt64(addr, old, new)
	}
	return atomic.CompareAndSwapInt64(addr, old, new)
}

// CompareAndSwapUint32 sets *addr to new if it is old, and reports whether it was.
func CompareAndSwapUint32(addr *uint32, old, new uint32) (swapped bool) {
	if sched.Controlled() && sched.Active() {
		return sched.CompareAndSwapUint32(addr, old, new)
	}
	return atomic.CompareAndSwapUint32(addr, old, new)
}

// CompareAndSwapUint64 sets *addr to new if it is old, and reports whether it was.
func CompareAndSwapUint64(addr *uint64, old, new uint64) (swapped bool) {
	if sched.Controlled() && sched.Active() {
		return sched.CompareAndSwapUint64(addr, old, new)
	}
	return atomic.CompareAndSwapUint64(addr, old, new)
}

// CompareAndSwapUintptr sets *addr to new if it is old, and reports whether it was.
func CompareAndSwapUintptr(addr *uintptr, old, new uintptr) (swapped bool) {
	if sched.Controlled() && sched.Active() {
		return sched.CompareAndSwapUintptr(addr, old, new)
	}
	return atomic.CompareAndSwapUintptr(addr, old, new)
}

// CompareAndSwapPointer sets *addr to new if it is old, and reports whether it was.
func CompareAndSwapPointer(addr *unsafe.Pointer, old, new unsafe.Pointer) (swapped bool) {
	if sched.Controlled() && sched.Active() {
		return sched.CompareAndSwapPointer(addr, old, new)
	}
	return atomic.CompareAndSwapPointer(addr, old, new)
}

// AddInt32 adds delta to *addr and returns the new value.
func AddInt32(addr *int32, delta int32) (new int32) {
	if sched.Controlled() && sched.Active() {
		return sched.AddInt32(addr, delta)
	}
	return atomic.AddInt32(addr, delta)
}

// AddInt64 adds delta to *addr and returns the new value.
func AddInt64(addr *int64, delta int64) (new int64) {
	if sched.Controlled() && sched.Active() {
		return sched.AddInt64(addr, delta)
	}
	return atomic.AddInt64(addr, delta)
}

// AddUint32 adds delta to *addr and returns the new value.
func AddUint32(addr *uint32, delta uint32) (new uint32) {
	if sched.Controlled() && sched.Active() {
		return sched.AddUint32(addr, delta)
	}
	return atomic.AddUint32(addr, delta)
}

// AddUint64 adds delta to *addr and returns the new value.
func AddUint64(addr *uint64, delta uint64) (new uint64) {
	if sched.Controlled() && sched.Active() {
		return sched.AddUint64(addr, delta)
	}
	return atomic.AddUint64(addr, delta)
}

// AddUintptr adds delta to *addr and returns the new value.
func AddUintptr(addr *uintptr, delta uintptr) (new uintptr) {
	if sched.Controlled() && sched.Active() {
		return sched.AddUintptr(addr, delta)
	}
	return atomic.AddUintptr(addr, delta)
}

// AndInt32 keeps the bits of *addr that are set in mask and returns the old value.
func AndInt32(addr *int32, mask int32) (old int32) {
	if sched.Controlled() && sched.Active() {
		return sched.AndInt32(addr, mask)
	}
	return atomic.AndInt32(addr, mask)
}

// AndInt64 keeps the bits of *addr that are set in mask and returns the old value.
func AndInt64(addr *int64, mask int64) (old int64) {
	if sched.Controlled() && sched.Active() {
		return sched.AndInt64(addr, mask)
	}
	return atomic.AndInt64(addr, mask)
}

// AndUint32 keeps the bits of *addr that are set in mask and returns the old value.
func AndUint32(addr *uint32, mask uint32) (old uint32) {
	if sched.Controlled() && sched.Active() {
		return sched.AndUint32(addr, mask)
	}
	return atomic.AndUint32(addr, mask)
}

// AndUint64 keeps the bits of *addr that are set in mask and returns the old value.
func AndUint64(addr *uint64, mask uint64) (old uint64) {
	if sched.Controlled() && sched.Active() {
		return sched.AndUint64(addr, mask)
	}
	return atomic.AndUint64(addr, mask)
}

// AndUintptr keeps the bits of *addr that are set in mask and returns the old value.
func AndUintptr(addr *uintptr, mask uintptr) (old uintptr) {
	if sched.Controlled() && sched.Active() {
		return sched.AndUintptr(addr, mask)
	}
	return atomic.AndUintptr(addr, mask)
}

// OrInt32 sets the bits of *addr that are set in mask and returns the old value.
func OrInt32(addr *int32, mask int32) (old int32) {
	if sched.Controlled() && sched.Active() {
		return sched.OrInt32(addr, mask)
	}
	return atomic.OrInt32(addr, mask)
}

// OrInt64 sets the bits of *addr that are set in mask and returns the old value.
func OrInt64(addr *int64, mask int64) (old int64) {
	if sched.Controlled() && sched.Active() {
		return sched.OrInt64(addr, mask)
	}
	return atomic.OrInt64(addr, mask)
}

// OrUint32 sets the bits of *addr that are set in mask and returns the old value.
func OrUint32(addr *uint32, mask uint32) (old uint32) {
	if sched.Controlled() && sched.Active() {
		return sched.OrUint32(addr, mask)
	}
	return atomic.OrUint32(addr, mask)
}

// OrUint64 sets the bits of *addr that are set in mask and returns the old value.
func OrUint64(addr *uint64, mask uint64) (old uint64) {
	if sched.Controlled() && sched.Active() {
		return sched.OrUint64(addr, mask)
	}
	return atomic.OrUint64(addr, mask)
}

// OrUintptr sets the bits of *addr that are set in mask and returns the old value.
func OrUintptr(addr *uintptr, mask uintptr) (old uintptr) {
	if sched.Controlled() && sched.Active() {
		return sched.OrUintptr(addr, mask)
	}
	return atomic.OrUintptr(addr, mask)
}
