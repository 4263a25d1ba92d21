package sched

import (
	"github.com/gopor/gopor/sched/trace"
	"unsafe"
)

// The types of this file are used like those of package sync/atomic. The zero
// value is zero at the start of every execution. Every operation is one
// scheduling point; a CompareAndSwap that fails counts as a read.

// integer is what the atomic numbers are made of.
type integer interface {
	int32 | int64 | uint32 | uint64 | uintptr
}

// maskOf returns the bits that a T has.
func maskOf[T integer]() uint64 {
	var zero T
	return ^uint64(0) >> (64 - 8*unsafe.Sizeof(zero))
}

// use returns the calling goroutine, which is about to use c.
func (c *cell) use(what string, mask uint64) *goroutine {
	g := enter(what)
	if g.c.m.bind(c) {
		c.what, c.mask = what, mask
	}
	return g
}

// The operations on atomic numbers, for a goroutine that has announced its use.

func loadNumber[T integer](g *goroutine, o object) T {
	g.request(trace.OpLoad, o)
	v := T(g.val)
	if g.c.opt.Record {
		g.noteResult(v)
	}
	return v
}

func storeNumber[T integer](g *goroutine, o object, v T) {
	g.arg = uint64(v) & maskOf[T]()
	g.request(trace.OpStore, o)
	if g.c.opt.Record {
		g.noteResult(v)
	}
}

// updateNumber performs an OpAdd, OpSwap, OpAnd or OpOr, and returns what the
// operation of package atomic returns.
func updateNumber[T integer](g *goroutine, kind trace.Kind, o object, v T) T {
	g.arg = uint64(v) & maskOf[T]()
	g.request(kind, o)
	if g.c.opt.Record {
		g.noteResult(T(g.left))
	}
	return T(g.val)
}

func casNumber[T integer](g *goroutine, o object, old, new T) bool {
	g.arg, g.arg2 = uint64(old)&maskOf[T](), uint64(new)&maskOf[T]()
	g.request(trace.OpCAS, o)
	if g.c.opt.Record {
		g.noteCAS(g.ok, T(g.left))
	}
	return g.ok
}

// noteCAS shows what a CompareAndSwap has left behind.
func (g *goroutine) noteCAS(swapped bool, v any) {
	if swapped {
		g.noteResult(v)
	} else {
		g.noteResult("failed: " + show(v))
	}
}

// An Int32 is an int32 that is used atomically, like atomic.Int32.
type Int32 struct{ c cell }

// Load returns the value of x.
func (x *Int32) Load() int32 { return loadNumber[int32](x.c.use("Int32.Load", maskOf[int32]()), &x.c) }

// Store sets x to val.
func (x *Int32) Store(val int32) {
	storeNumber(x.c.use("Int32.Store", maskOf[int32]()), &x.c, val)
}

// Swap sets x to new and returns the previous value.
func (x *Int32) Swap(new int32) (old int32) {
	return updateNumber(x.c.use("Int32.Swap", maskOf[int32]()), trace.OpSwap, &x.c, new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Int32) CompareAndSwap(old, new int32) (swapped bool) {
	return casNumber(x.c.use("Int32.CompareAndSwap", maskOf[int32]()), &x.c, old, new)
}

// Add adds delta to x, wrapping around, and returns the new value.
func (x *Int32) Add(delta int32) (new int32) {
	return updateNumber(x.c.use("Int32.Add", maskOf[int32]()), trace.OpAdd, &x.c, delta)
}

// And keeps those bits of x that are set in mask and returns the old value.
func (x *Int32) And(mask int32) (old int32) {
	return updateNumber(x.c.use("Int32.And", maskOf[int32]()), trace.OpAnd, &x.c, mask)
}

// Or sets those bits of x that are set in mask and returns the old value.
func (x *Int32) Or(mask int32) (old int32) {
	return updateNumber(x.c.use("Int32.Or", maskOf[int32]()), trace.OpOr, &x.c, mask)
}

// An Int64 is an int64 that is used atomically, like atomic.Int64.
type Int64 struct{ c cell }

// Load returns the value of x.
func (x *Int64) Load() int64 { return loadNumber[int64](x.c.use("Int64.Load", maskOf[int64]()), &x.c) }

// Store sets x to val.
func (x *Int64) Store(val int64) {
	storeNumber(x.c.use("Int64.Store", maskOf[int64]()), &x.c, val)
}

// Swap sets x to new and returns the previous value.
func (x *Int64) Swap(new int64) (old int64) {
	return updateNumber(x.c.use("Int64.Swap", maskOf[int64]()), trace.OpSwap, &x.c, new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Int64) CompareAndSwap(old, new int64) (swapped bool) {
	return casNumber(x.c.use("Int64.CompareAndSwap", maskOf[int64]()), &x.c, old, new)
}

// Add adds delta to x, wrapping around, and returns the new value.
func (x *Int64) Add(delta int64) (new int64) {
	return updateNumber(x.c.use("Int64.Add", maskOf[int64]()), trace.OpAdd, &x.c, delta)
}

// And keeps those bits of x that are set in mask and returns the old value.
func (x *Int64) And(mask int64) (old int64) {
	return updateNumber(x.c.use("Int64.And", maskOf[int64]()), trace.OpAnd, &x.c, mask)
}

// Or sets those bits of x that are set in mask and returns the old value.
func (x *Int64) Or(mask int64) (old int64) {
	return updateNumber(x.c.use("Int64.Or", maskOf[int64]()), trace.OpOr, &x.c, mask)
}

// A Uint32 is a uint32 that is used atomically, like atomic.Uint32.
type Uint32 struct{ c cell }

// Load returns the value of x.
func (x *Uint32) Load() uint32 {
	return loadNumber[uint32](x.c.use("Uint32.Load", maskOf[uint32]()), &x.c)
}

// Store sets x to val.
func (x *Uint32) Store(val uint32) {
	storeNumber(x.c.use("Uint32.Store", maskOf[uint32]()), &x.c, val)
}

// Swap sets x to new and returns the previous value.
func (x *Uint32) Swap(new uint32) (old uint32) {
	return updateNumber(x.c.use("Uint32.Swap", maskOf[uint32]()), trace.OpSwap, &x.c, new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Uint32) CompareAndSwap(old, new uint32) (swapped bool) {
	return casNumber(x.c.use("Uint32.CompareAndSwap", maskOf[uint32]()), &x.c, old, new)
}

// Add adds delta to x, wrapping around, and returns the new value.
func (x *Uint32) Add(delta uint32) (new uint32) {
	return updateNumber(x.c.use("Uint32.Add", maskOf[uint32]()), trace.OpAdd, &x.c, delta)
}

// And keeps those bits of x that are set in mask and returns the old value.
func (x *Uint32) And(mask uint32) (old uint32) {
	return updateNumber(x.c.use("Uint32.And", maskOf[uint32]()), trace.OpAnd, &x.c, mask)
}

// Or sets those bits of x that are set in mask and returns the old value.
func (x *Uint32) Or(mask uint32) (old uint32) {
	return updateNumber(x.c.use("Uint32.Or", maskOf[uint32]()), trace.OpOr, &x.c, mask)
}

// A Uint64 is a uint64 that is used atomically, like atomic.Uint64.
type Uint64 struct{ c cell }

// Load returns the value of x.
func (x *Uint64) Load() uint64 {
	return loadNumber[uint64](x.c.use("Uint64.Load", maskOf[uint64]()), &x.c)
}

// Store sets x to val.
func (x *Uint64) Store(val uint64) {
	storeNumber(x.c.use("Uint64.Store", maskOf[uint64]()), &x.c, val)
}

// Swap sets x to new and returns the previous value.
func (x *Uint64) Swap(new uint64) (old uint64) {
	return updateNumber(x.c.use("Uint64.Swap", maskOf[uint64]()), trace.OpSwap, &x.c, new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Uint64) CompareAndSwap(old, new uint64) (swapped bool) {
	return casNumber(x.c.use("Uint64.CompareAndSwap", maskOf[uint64]()), &x.c, old, new)
}

// Add adds delta to x, wrapping around, and returns the new value.
func (x *Uint64) Add(delta uint64) (new uint64) {
	return updateNumber(x.c.use("Uint64.Add", maskOf[uint64]()), trace.OpAdd, &x.c, delta)
}

// And keeps those bits of x that are set in mask and returns the old value.
func (x *Uint64) And(mask uint64) (old uint64) {
	return updateNumber(x.c.use("Uint64.And", maskOf[uint64]()), trace.OpAnd, &x.c, mask)
}

// Or sets those bits of x that are set in mask and returns the old value.
func (x *Uint64) Or(mask uint64) (old uint64) {
	return updateNumber(x.c.use("Uint64.Or", maskOf[uint64]()), trace.OpOr, &x.c, mask)
}

// A Uintptr is a uintptr that is used atomically, like atomic.Uintptr.
type Uintptr struct{ c cell }

// Load returns the value of x.
func (x *Uintptr) Load() uintptr {
	return loadNumber[uintptr](x.c.use("Uintptr.Load", maskOf[uintptr]()), &x.c)
}

// Store sets x to val.
func (x *Uintptr) Store(val uintptr) {
	storeNumber(x.c.use("Uintptr.Store", maskOf[uintptr]()), &x.c, val)
}

// Swap sets x to new and returns the previous value.
func (x *Uintptr) Swap(new uintptr) (old uintptr) {
	return updateNumber(x.c.use("Uintptr.Swap", maskOf[uintptr]()), trace.OpSwap, &x.c, new)
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Uintptr) CompareAndSwap(old, new uintptr) (swapped bool) {
	return casNumber(x.c.use("Uintptr.CompareAndSwap", maskOf[uintptr]()), &x.c, old, new)
}

// Add adds delta to x, wrapping around, and returns the new value.
func (x *Uintptr) Add(delta uintptr) (new uintptr) {
	return updateNumber(x.c.use("Uintptr.Add", maskOf[uintptr]()), trace.OpAdd, &x.c, delta)
}

// And keeps those bits of x that are set in mask and returns the old value.
func (x *Uintptr) And(mask uintptr) (old uintptr) {
	return updateNumber(x.c.use("Uintptr.And", maskOf[uintptr]()), trace.OpAnd, &x.c, mask)
}

// Or sets those bits of x that are set in mask and returns the old value.
func (x *Uintptr) Or(mask uintptr) (old uintptr) {
	return updateNumber(x.c.use("Uintptr.Or", maskOf[uintptr]()), trace.OpOr, &x.c, mask)
}

// A Bool is a bool that is used atomically, like atomic.Bool.
type Bool struct{ c cell }

// Load returns the value of x.
func (x *Bool) Load() bool {
	return loadNumber[uint32](x.c.use("Bool.Load", 1), &x.c) != 0
}

// Store sets x to val.
func (x *Bool) Store(val bool) { storeNumber(x.c.use("Bool.Store", 1), &x.c, bit(val)) }

// Swap sets x to new and returns the previous value.
func (x *Bool) Swap(new bool) (old bool) {
	return updateNumber(x.c.use("Bool.Swap", 1), trace.OpSwap, &x.c, bit(new)) != 0
}

// CompareAndSwap sets x to new if it is old, and reports whether it was.
func (x *Bool) CompareAndSwap(old, new bool) (swapped bool) {
	return casNumber(x.c.use("Bool.CompareAndSwap", 1), &x.c, bit(old), bit(new))
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
