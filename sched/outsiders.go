package sched

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// outsiderUse is something that a goroutine did that nobody controls.
type outsiderUse struct {
	p     unsafe.Pointer
	epoch *atomic.Uint64 // of a primitive, nil for memory and channels
	pcs   [16]uintptr
	n     int
}

var outsiders struct {
	executions atomic.Int32 // how many go on
	uses       atomic.Int32 // entries of the table
	table      [256]atomic.Pointer[outsiderUse]
}

// outside leaves word of what the calling goroutine does, which is not controlled. Of
// what it does again nothing is left.
func outside(p unsafe.Pointer, epoch *atomic.Uint64) {
	if p == nil || outsiders.executions.Load() == 0 {
		return
	}
	slot := outsiderSlot(p)
	if slot.Load() != nil {
		return
	}
	u := &outsiderUse{p: p, epoch: epoch}
	u.n = runtime.Callers(2, u.pcs[:])
	if slot.CompareAndSwap(nil, u) {
		outsiders.uses.Add(1)
	}
}

func outsiderSlot(p unsafe.Pointer) *atomic.Pointer[outsiderUse] {
	return &outsiders.table[slotOf(uintptr(p)<<2, len(outsiders.table))]
}

// enterOutsiders and leaveOutsiders are called when an execution begins and when it is
// over. When the last one is, the table is emptied.
func enterOutsiders() { outsiders.executions.Add(1) }

func leaveOutsiders() {
	if outsiders.executions.Add(-1) == 0 && outsiders.uses.Swap(0) != 0 {
		for i := range outsiders.table {
			outsiders.table[i].Store(nil)
		}
	}
}
