package sched

import (
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// The types of this file are used like those of package sync/atomic. The zero
// value is zero at the start of every execution. Every operation is one
// scheduling point; a CompareAndSwap that fails counts as a read.

// An Int32 is an int32 that is used atomically, like atomic.Int32.
type Int32 struct{ n machine.Number[int32] }

// Load returns the value of x.
func (x *Int32) Load() int32 { return x.n.Load("Int32.Load") }

// Store sets x to val.
func (x *Int32) Store(val int32) {
	x.n.Store("Int32.Store", val)
}

// Swap sets x to new and returns the previous value.
func (x *Int32) Swap(new int32) (old int32) {
	return x.n.Update("Int32.Swap", trace.OpSwap, new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Int32) CompareAndSwap(old, new int32) (swapped bool) {
	return x.n.CompareAndSwap("Int32.CompareAndSwap", old, new)
}

// Add adds delta to x, wrapping around, and returns the new value.
func (x *Int32) Add(delta int32) (new int32) {
	return x.n.Update("Int32.Add", trace.OpAdd, delta)
}

// And keeps those bits of x that are set in mask and returns the old value.
func (x *Int32) And(mask int32) (old int32) {
	return x.n.Update("Int32.And", trace.OpAnd, mask)
}

// Or sets those bits of x that are set in mask and returns the old value.
func (x *Int32) Or(mask int32) (old int32) {
	return x.n.Update("Int32.Or", trace.OpOr, mask)
}

// An Int64 is an int64 that is used atomically, like atomic.Int64.
type Int64 struct{ n machine.Number[int64] }

// Load returns the value of x.
func (x *Int64) Load() int64 { return x.n.Load("Int64.Load") }

// Store sets x to val.
func (x *Int64) Store(val int64) {
	x.n.Store("Int64.Store", val)
}

// Swap sets x to new and returns the previous value.
func (x *Int64) Swap(new int64) (old int64) {
	return x.n.Update("Int64.Swap", trace.OpSwap, new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Int64) CompareAndSwap(old, new int64) (swapped bool) {
	return x.n.CompareAndSwap("Int64.CompareAndSwap", old, new)
}

// Add adds delta to x, wrapping around, and returns the new value.
func (x *Int64) Add(delta int64) (new int64) {
	return x.n.Update("Int64.Add", trace.OpAdd, delta)
}

// And keeps those bits of x that are set in mask and returns the old value.
func (x *Int64) And(mask int64) (old int64) {
	return x.n.Update("Int64.And", trace.OpAnd, mask)
}

// Or sets those bits of x that are set in mask and returns the old value.
func (x *Int64) Or(mask int64) (old int64) {
	return x.n.Update("Int64.Or", trace.OpOr, mask)
}

// A Uint32 is a uint32 that is used atomically, like atomic.Uint32.
type Uint32 struct{ n machine.Number[uint32] }

// Load returns the value of x.
func (x *Uint32) Load() uint32 {
	return x.n.Load("Uint32.Load")
}

// Store sets x to val.
func (x *Uint32) Store(val uint32) {
	x.n.Store("Uint32.Store", val)
}

// Swap sets x to new and returns the previous value.
func (x *Uint32) Swap(new uint32) (old uint32) {
	return x.n.Update("Uint32.Swap", trace.OpSwap, new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Uint32) CompareAndSwap(old, new uint32) (swapped bool) {
	return x.n.CompareAndSwap("Uint32.CompareAndSwap", old, new)
}

// Add adds delta to x, wrapping around, and returns the new value.
func (x *Uint32) Add(delta uint32) (new uint32) {
	return x.n.Update("Uint32.Add", trace.OpAdd, delta)
}

// And keeps those bits of x that are set in mask and returns the old value.
func (x *Uint32) And(mask uint32) (old uint32) {
	return x.n.Update("Uint32.And", trace.OpAnd, mask)
}

// Or sets those bits of x that are set in mask and returns the old value.
func (x *Uint32) Or(mask uint32) (old uint32) {
	return x.n.Update("Uint32.Or", trace.OpOr, mask)
}

// A Uint64 is a uint64 that is used atomically, like atomic.Uint64.
type Uint64 struct{ n machine.Number[uint64] }

// Load returns the value of x.
func (x *Uint64) Load() uint64 {
	return x.n.Load("Uint64.Load")
}

// Store sets x to val.
func (x *Uint64) Store(val uint64) {
	x.n.Store("Uint64.Store", val)
}

// Swap sets x to new and returns the previous value.
func (x *Uint64) Swap(new uint64) (old uint64) {
	return x.n.Update("Uint64.Swap", trace.OpSwap, new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Uint64) CompareAndSwap(old, new uint64) (swapped bool) {
	return x.n.CompareAndSwap("Uint64.CompareAndSwap", old, new)
}

// Add adds delta to x, wrapping around, and returns the new value.
func (x *Uint64) Add(delta uint64) (new uint64) {
	return x.n.Update("Uint64.Add", trace.OpAdd, delta)
}

// And keeps those bits of x that are set in mask and returns the old value.
func (x *Uint64) And(mask uint64) (old uint64) {
	return x.n.Update("Uint64.And", trace.OpAnd, mask)
}

// Or sets those bits of x that are set in mask and returns the old value.
func (x *Uint64) Or(mask uint64) (old uint64) {
	return x.n.Update("Uint64.Or", trace.OpOr, mask)
}

// A Uintptr is a uintptr that is used atomically, like atomic.Uintptr.
type Uintptr struct{ n machine.Number[uintptr] }

// Load returns the value of x.
func (x *Uintptr) Load() uintptr {
	return x.n.Load("Uintptr.Load")
}

// Store sets x to val.
func (x *Uintptr) Store(val uintptr) {
	x.n.Store("Uintptr.Store", val)
}

// Swap sets x to new and returns the previous value.
func (x *Uintptr) Swap(new uintptr) (old uintptr) {
	return x.n.Update("Uintptr.Swap", trace.OpSwap, new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Uintptr) CompareAndSwap(old, new uintptr) (swapped bool) {
	return x.n.CompareAndSwap("Uintptr.CompareAndSwap", old, new)
}

// Add adds delta to x, wrapping around, and returns the new value.
func (x *Uintptr) Add(delta uintptr) (new uintptr) {
	return x.n.Update("Uintptr.Add", trace.OpAdd, delta)
}

// And keeps those bits of x that are set in mask and returns the old value.
func (x *Uintptr) And(mask uintptr) (old uintptr) {
	return x.n.Update("Uintptr.And", trace.OpAnd, mask)
}

// Or sets those bits of x that are set in mask and returns the old value.
func (x *Uintptr) Or(mask uintptr) (old uintptr) {
	return x.n.Update("Uintptr.Or", trace.OpOr, mask)
}

// A Bool is a bool that is used atomically, like atomic.Bool.
type Bool struct{ n machine.Number[uint32] }

// Load returns the value of x.
func (x *Bool) Load() bool {
	return x.n.Load("Bool.Load") != 0
}

// Store sets x to val.
func (x *Bool) Store(val bool) { x.n.Store("Bool.Store", bit(val)) }

// Swap sets x to new and returns the previous value.
func (x *Bool) Swap(new bool) (old bool) {
	return x.n.Update("Bool.Swap", trace.OpSwap, bit(new)) != 0
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Bool) CompareAndSwap(old, new bool) (swapped bool) {
	return x.n.CompareAndSwap("Bool.CompareAndSwap", bit(old), bit(new))
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
