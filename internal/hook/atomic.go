package hook

import (
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// This file has the functions of package sync/atomic, which use memory at an address. The
// memory stays the program's own: other code may read it, and it is not set back to zero when
// the next execution starts. So the closure should make it. A plain access of it that is not
// ordered with an atomic one is a data race, if one of them writes; see [ReadMemory].

// Load returns *addr.
func Load[T machine.Integer](addr *T) (val T) {
	g, o := machine.RawNumber("Load", addr)
	return machine.LoadNumber[T](g, o)
}

// Store sets *addr to val.
func Store[T machine.Integer](addr *T, val T) {
	g, o := machine.RawNumber("Store", addr)
	machine.StoreNumber(g, o, val)
}

// Swap sets *addr to new and returns the previous value.
func Swap[T machine.Integer](addr *T, new T) (old T) {
	g, o := machine.RawNumber("Swap", addr)
	return machine.UpdateNumber(g, trace.OpSwap, o, new)
}

// CompareAndSwap sets *addr to new if it is old, and reports whether it was.
func CompareAndSwap[T machine.Integer](addr *T, old, new T) (swapped bool) {
	g, o := machine.RawNumber("CompareAndSwap", addr)
	return machine.CompareAndSwapNumber(g, o, old, new)
}

// Unused says that the calling goroutine does not use the result of its next operation, if that is
// an Add, And or Or: see [machine.Goroutine.Unused]. It has no effect in a goroutine that is not
// controlled.
func Unused() {
	if co := machine.Callers.Look(); co != nil && co.G != nil && !co.M.Closing {
		co.G.Unused()
	}
}

// Add adds delta to *addr, wrapping around, and returns the new value.
func Add[T machine.Integer](addr *T, delta T) (new T) {
	g, o := machine.RawNumber("Add", addr)
	return machine.UpdateNumber(g, trace.OpAdd, o, delta)
}

// And keeps the bits of *addr that are set in mask and returns the old value.
func And[T machine.Integer](addr *T, mask T) (old T) {
	g, o := machine.RawNumber("And", addr)
	return machine.UpdateNumber(g, trace.OpAnd, o, mask)
}

// Or sets the bits of *addr that are set in mask and returns the old value.
func Or[T machine.Integer](addr *T, mask T) (old T) {
	g, o := machine.RawNumber("Or", addr)
	return machine.UpdateNumber(g, trace.OpOr, o, mask)
}

// Atomic performs an atomic operation on the size bytes at p for which this package has no
// function. It calls do, and no other event comes in between. The kind describes the operation:
// an [trace.OpLoad] has no effect, an [trace.OpStore] observes nothing, and an [trace.OpSwap]
// does both. Reports show the result of do, which must not panic nor use primitives.
func Atomic(kind trace.Kind, p unsafe.Pointer, size uintptr, do func() any) {
	g := machine.Enter("Atomic")
	x := g.Memory(p, size, machine.FormCode)
	g.Req.Mem.Do = do
	g.Ask(kind, x)
	g.EndCode()
}

// AtomicCAS is a CompareAndSwap of the size bytes at p for which this package has no function.
// If equal returns true it calls set, see [Atomic], and returns true. It also calls equal at
// other times, to know what the operation would do.
func AtomicCAS(p unsafe.Pointer, size uintptr, equal func() bool, set func() any) bool {
	g := machine.Enter("AtomicCAS")
	x := g.Memory(p, size, machine.FormCode)
	g.Req.Mem.Equal, g.Req.Mem.Do = equal, set
	g.Ask(trace.OpCAS, x)
	g.EndCode()
	return g.Reply.Ok
}

// LoadPointer returns *addr.
func LoadPointer(addr *unsafe.Pointer) (val unsafe.Pointer) {
	_, val = machine.AskPointer("LoadPointer", addr, trace.OpLoad, nil, nil)
	return val
}

// StorePointer sets *addr to val.
func StorePointer(addr *unsafe.Pointer, val unsafe.Pointer) {
	machine.AskPointer("StorePointer", addr, trace.OpStore, nil, val)
}

// SwapPointer sets *addr to new and returns the previous value.
func SwapPointer(addr *unsafe.Pointer, new unsafe.Pointer) (old unsafe.Pointer) {
	_, old = machine.AskPointer("SwapPointer", addr, trace.OpSwap, nil, new)
	return old
}

// CompareAndSwapPointer sets *addr to new if it is old, and reports whether it
// was.
func CompareAndSwapPointer(addr *unsafe.Pointer, old, new unsafe.Pointer) (swapped bool) {
	g, _ := machine.AskPointer("CompareAndSwapPointer", addr, trace.OpCAS, old, new)
	return g.Reply.Ok
}
