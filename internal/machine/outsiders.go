package machine

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// OutsiderUse is something that a goroutine did that nobody controls.
type OutsiderUse struct {
	P     unsafe.Pointer
	Epoch *atomic.Uint64 // of a primitive, nil for memory and channels
	Pcs   [16]uintptr
	N     int
}

var Outsiders struct {
	executions atomic.Int32 // how many go on
	Uses       atomic.Int32 // entries of the table
	Table      [256]atomic.Pointer[OutsiderUse]
}

// Outside leaves word of what the calling goroutine does, which is not controlled. Of
// what it does again nothing is left.
func Outside(p unsafe.Pointer, epoch *atomic.Uint64) {
	if p == nil || Outsiders.executions.Load() == 0 {
		return
	}
	slot := OutsiderSlot(p)
	if slot.Load() != nil {
		return
	}
	u := &OutsiderUse{P: p, Epoch: epoch}
	u.N = runtime.Callers(2, u.Pcs[:])
	if slot.CompareAndSwap(nil, u) {
		Outsiders.Uses.Add(1)
	}
}

func OutsiderSlot(p unsafe.Pointer) *atomic.Pointer[OutsiderUse] {
	return &Outsiders.Table[slotOf(uintptr(p)<<2, len(Outsiders.Table))]
}

// EnterOutsiders and leaveOutsiders are called when an execution begins and when it is
// over. When the last one is, the table is emptied.
func EnterOutsiders() { Outsiders.executions.Add(1) }

func LeaveOutsiders() {
	if Outsiders.executions.Add(-1) == 0 && Outsiders.Uses.Swap(0) != 0 {
		for i := range Outsiders.Table {
			Outsiders.Table[i].Store(nil)
		}
	}
}
