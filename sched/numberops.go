package sched

import (
	"unsafe"

	"github.com/gopor/gopor/sched/trace"
)

// rawNumber returns the calling goroutine and the object of the number at
// address p, which must not be nil.
func rawNumber[T integer](what string, p *T) (*goroutine, object) {
	_ = *p
	g := enter(what)
	return g, g.memory(unsafe.Pointer(p), unsafe.Sizeof(*p), formNumber)
}

// rawPointer is rawNumber for a pointer.
func rawPointer(what string, p *unsafe.Pointer) (*goroutine, object) {
	_ = *p
	g := enter(what)
	return g, g.memory(unsafe.Pointer(p), unsafe.Sizeof(*p), formPointer)
}

// endCode shows what an operation of formCode has done, and forgets it.
func (g *goroutine) endCode() {
	o := &g.req.mem
	if g.m.Record {
		if g.op.Kind == trace.OpCAS && !g.reply.ok {
			g.noteResult("failed")
		} else {
			g.noteResult(o.value)
		}
	}
	o.equal, o.do, o.value = nil, nil, nil
}

// integer is what the atomic numbers are made of.
type integer interface {
	int32 | int64 | uint32 | uint64 | uintptr
}

// maskOf returns the bits that a T has.
func maskOf[T integer]() uint64 {
	var zero T
	return ^uint64(0) >> (64 - 8*unsafe.Sizeof(zero))
}

// number is an atomic number of type T. What its methods are called by is that of the
// type and method of the program.
type number[T integer] struct{ k key[cell] }

// use returns the calling goroutine, which is about to use x.
func (x *number[T]) use(what string) (*goroutine, *cell) {
	g := enter(what)
	c, fresh := find(g.m, &x.k)
	if fresh {
		c.what, c.mask = what, maskOf[T]()
	}
	return g, c
}

func (x *number[T]) load(what string) T {
	g, c := x.use(what)
	return loadNumber[T](g, c)
}

func (x *number[T]) store(what string, v T) {
	g, c := x.use(what)
	storeNumber(g, c, v)
}

func (x *number[T]) update(what string, kind trace.Kind, v T) T {
	g, c := x.use(what)
	return updateNumber(g, kind, c, v)
}

func (x *number[T]) cas(what string, old, new T) bool {
	g, c := x.use(what)
	return casNumber(g, c, old, new)
}

func loadNumber[T integer](g *goroutine, o object) T {
	g.ask(trace.OpLoad, o)
	v := T(g.reply.val)
	if g.m.Record {
		g.noteResult(v)
	}
	return v
}

func storeNumber[T integer](g *goroutine, o object, v T) {
	g.askNumbers(trace.OpStore, o, uint64(v)&maskOf[T](), 0)
	if g.m.Record {
		g.noteResult(v)
	}
}

// updateNumber performs an OpAdd, OpSwap, OpAnd or OpOr, and returns what the
// operation of package atomic returns.
func updateNumber[T integer](g *goroutine, kind trace.Kind, o object, v T) T {
	g.askNumbers(kind, o, uint64(v)&maskOf[T](), 0)
	if g.m.Record {
		g.noteResult(T(g.reply.left))
	}
	return T(g.reply.val)
}

func casNumber[T integer](g *goroutine, o object, old, new T) bool {
	g.askNumbers(trace.OpCAS, o, uint64(old)&maskOf[T](), uint64(new)&maskOf[T]())
	if g.m.Record {
		g.noteCAS(g.reply.ok, T(g.reply.left))
	}
	return g.reply.ok
}

// noteCAS shows what a CompareAndSwap has left behind.
func (g *goroutine) noteCAS(swapped bool, v any) {
	if swapped {
		g.noteResult(v)
	} else {
		g.noteResult("failed: " + show(v))
	}
}

// askPointer makes a request to the pointer at addr, which must not be nil, and
// returns what was there. A CompareAndSwap expects old.
func askPointer(what string, addr *unsafe.Pointer, kind trace.Kind, old, new unsafe.Pointer) (*goroutine, unsafe.Pointer) {
	g, o := rawPointer(what, addr)
	g.req.mem.old, g.req.mem.new = old, new
	g.ask(kind, o)
	was := g.req.mem.old
	g.req.mem.old, g.req.mem.new = nil, nil
	if g.m.Record {
		if kind == trace.OpCAS {
			g.noteCAS(g.reply.ok, *addr)
		} else {
			g.noteResult(*addr)
		}
	}
	return g, was
}
