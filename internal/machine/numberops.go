package machine

import (
	"unsafe"

	"github.com/gopor/gopor/sched/trace"
)

// RawNumber returns the calling goroutine and the object of the number at
// address p, which must not be nil.
func RawNumber[T Integer](what string, p *T) (*Goroutine, Object) {
	_ = *p
	g := Enter(what)
	return g, g.Memory(unsafe.Pointer(p), unsafe.Sizeof(*p), formNumber)
}

// rawPointer is rawNumber for a pointer.
func rawPointer(what string, p *unsafe.Pointer) (*Goroutine, Object) {
	_ = *p
	g := Enter(what)
	return g, g.Memory(unsafe.Pointer(p), unsafe.Sizeof(*p), formPointer)
}

// EndCode shows what an operation of formCode has done, and forgets it.
func (g *Goroutine) EndCode() {
	o := g.Req.Mem
	if g.M.Record {
		if g.Op.Kind == trace.OpCAS && !g.Reply.Ok {
			g.NoteResult("failed")
		} else {
			g.NoteResult(o.value)
		}
	}
	o.Equal, o.Do, o.value = nil, nil, nil
}

// Integer is what the atomic numbers are made of.
type Integer interface {
	int32 | int64 | uint32 | uint64 | uintptr
}

// maskOf returns the bits that a T has.
func maskOf[T Integer]() uint64 {
	var zero T
	return ^uint64(0) >> (64 - 8*unsafe.Sizeof(zero))
}

// Number is an atomic number of type T. What its methods are called by is that of the
// type and method of the program.
type Number[T Integer] struct{ k Key[cell] }

// use returns the calling goroutine, which is about to use x.
func (x *Number[T]) use(what string) (*Goroutine, *cell) {
	g := Enter(what)
	c, fresh := Meet(g.M, &x.k)
	if fresh {
		c.what, c.mask = what, maskOf[T]()
		Publish(g.M, &x.k, c)
	}
	return g, c
}

func (x *Number[T]) Load(what string) T { return LoadNumber[T](x.use(what)) }

func (x *Number[T]) Store(what string, v T) {
	g, c := x.use(what)
	StoreNumber(g, c, v)
}

func (x *Number[T]) Update(what string, kind trace.Kind, v T) T {
	g, c := x.use(what)
	return UpdateNumber(g, kind, c, v)
}

func (x *Number[T]) CompareAndSwap(what string, old, new T) bool {
	g, c := x.use(what)
	return CompareAndSwapNumber(g, c, old, new)
}

func LoadNumber[T Integer](g *Goroutine, o Object) T {
	g.Ask(trace.OpLoad, o)
	v := T(g.Reply.Val)
	if g.M.Record {
		g.NoteResult(v)
	}
	return v
}

func StoreNumber[T Integer](g *Goroutine, o Object, v T) {
	g.AskNumbers(trace.OpStore, o, uint64(v)&maskOf[T](), 0)
	if g.M.Record {
		g.NoteResult(v)
	}
}

// Unused says that the program does not use the result of g's next operation, if that is an OpAdd,
// OpAnd or OpOr of memory. Then the operation observes nothing: it comes in any order with others
// of its kind and size, and what others did before theirs does not happen before what g does next.
// While states are named it is an operation like the others.
func (g *Goroutine) Unused() { g.Req.unused = g.seq + 1 }

// UpdateNumber performs an OpAdd, OpSwap, OpAnd or OpOr, and returns what the
// operation of package atomic returns.
func UpdateNumber[T Integer](g *Goroutine, kind trace.Kind, o Object, v T) T {
	if o := g.Req.Mem; o != nil {
		o.unused = g.Req.unused == g.seq+1 && g.M.Keys == nil
	}
	g.AskNumbers(kind, o, uint64(v)&maskOf[T](), 0)
	if g.M.Record {
		g.NoteResult(T(g.Reply.left))
	}
	return T(g.Reply.Val)
}

func CompareAndSwapNumber[T Integer](g *Goroutine, o Object, old, new T) bool {
	g.AskNumbers(trace.OpCAS, o, uint64(old)&maskOf[T](), uint64(new)&maskOf[T]())
	if g.M.Record {
		g.noteCAS(g.Reply.Ok, T(g.Reply.left))
	}
	return g.Reply.Ok
}

// noteCAS shows what a CompareAndSwap has left behind.
func (g *Goroutine) noteCAS(swapped bool, v any) {
	if swapped {
		g.NoteResult(v)
	} else {
		g.NoteResult("failed: " + g.show(v))
	}
}

// AskPointer makes a request to the pointer at addr, which must not be nil, and
// returns what was there. A CompareAndSwap expects old.
func AskPointer(what string, addr *unsafe.Pointer, kind trace.Kind, old, new unsafe.Pointer) (*Goroutine, unsafe.Pointer) {
	g, o := rawPointer(what, addr)
	k := g.Req.Mem
	k.old, k.new = old, new
	g.Ask(kind, o)
	was := k.old
	k.old, k.new = nil, nil
	if g.M.Record {
		if kind == trace.OpCAS {
			g.noteCAS(g.Reply.Ok, *addr)
		} else {
			g.NoteResult(*addr)
		}
	}
	return g, was
}
