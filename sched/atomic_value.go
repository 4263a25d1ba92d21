package sched

import (
	"github.com/gopor/gopor/sched/trace"
	"reflect"
	"unsafe"
)

// slot is an atomic location that holds a Go value: a pointer, or what a Value
// holds. The request takes its arguments from g.x and g.y, and leaves what was
// there in g.x.
type slot struct {
	header
	v     any
	typed bool // values must not be nil nor change their type
	what  string
}

func (s *slot) reset()                { s.v = nil }
func (s *slot) kind() string          { return s.what }
func (s *slot) blame(*Machine) string { return "" }

// raised is what the comparison of two values has panicked with.
type raised struct{ v any }

// same reports whether a == b. If comparing them panics, it returns that.
func same(a, b any) (eq bool, r *raised) {
	defer func() {
		if v := recover(); v != nil {
			r = &raised{v}
		}
	}()
	return a == b, nil
}

// mismatch reports whether v is of another type than what a Value holds.
func (s *slot) mismatch(v any) bool {
	return s.typed && s.v != nil && reflect.TypeOf(s.v) != reflect.TypeOf(v)
}

func (s *slot) describe(m *Machine, g *goroutine) bool {
	switch g.op.Kind {
	case trace.OpLoad:
		g.op.Touch(s.id, trace.ModeRead)
		return true
	case trace.OpCAS:
		mode := trace.ModeRead
		if !s.mismatch(g.y) {
			if eq, r := same(s.v, g.x); eq && r == nil {
				mode = trace.ModeWrite
			}
		}
		g.op.Touch(s.id, mode)
		return false
	}
	g.op.Touch(s.id, trace.ModeWrite)
	return true
}

func (s *slot) perform(m *Machine, g *goroutine, alt int32) {
	g.ok = true
	switch g.op.Kind {
	case trace.OpStore, trace.OpSwap:
		if s.mismatch(g.x) {
			g.fault = "sync/atomic: " + g.op.Kind.String() + " of inconsistently typed value into Value"
			g.ok = false
			break
		}
		s.v, g.x = g.x, s.v
	case trace.OpCAS:
		s.compareAndSwap(g)
	default:
		g.x = s.v
	}
	if m.mm != nil {
		m.mm.atomic(&s.header, g, g.op.Kind != trace.OpStore, g.op.Kind != trace.OpLoad && g.ok)
	}
}

func (s *slot) compareAndSwap(g *goroutine) {
	g.ok = false
	if s.mismatch(g.y) {
		g.fault = "sync/atomic: compare and swap of inconsistently typed value into Value"
		return
	}
	eq, r := same(s.v, g.x)
	if r != nil {
		g.x = r
		return
	}
	if eq {
		s.v, g.ok = g.y, true
	}
}

// ask makes a request to s with arguments x and y, and returns what was there.
func (s *slot) ask(g *goroutine, kind trace.Kind, x, y any) any {
	g.x, g.y = x, y
	g.request(kind, s)
	v := g.x
	g.x, g.y = nil, nil
	if r, ok := v.(*raised); ok {
		panic(r.v)
	}
	if g.c.opt.Record {
		if kind == trace.OpCAS {
			g.noteCAS(g.ok, s.v)
		} else {
			g.noteResult(s.v)
		}
	}
	return v
}

func (s *slot) use(op, what string) *goroutine {
	g := enter(op)
	g.c.m.bind(s)
	s.what = what
	return g
}

// A Pointer is a pointer to a T that is used atomically, like atomic.Pointer.
// It is nil at the start of every execution.
type Pointer[T any] struct {
	_ [0]*T // Pointers of different types do not convert into each other
	s slot
}

// box makes all nil pointers one value.
func box[T any](p *T) any {
	if p == nil {
		return nil
	}
	return p
}

func unbox[T any](v any) *T {
	p, _ := v.(*T)
	return p
}

// Load returns the pointer.
func (x *Pointer[T]) Load() *T {
	return unbox[T](x.s.ask(x.s.use("Pointer.Load", "Pointer"), trace.OpLoad, nil, nil))
}

// Store sets the pointer to val.
func (x *Pointer[T]) Store(val *T) {
	x.s.ask(x.s.use("Pointer.Store", "Pointer"), trace.OpStore, box(val), nil)
}

// Swap sets the pointer to new and returns the previous one.
func (x *Pointer[T]) Swap(new *T) (old *T) {
	return unbox[T](x.s.ask(x.s.use("Pointer.Swap", "Pointer"), trace.OpSwap, box(new), nil))
}

// CompareAndSwap sets the pointer to new if it is old, and reports whether it
// was.
func (x *Pointer[T]) CompareAndSwap(old, new *T) (swapped bool) {
	g := x.s.use("Pointer.CompareAndSwap", "Pointer")
	x.s.ask(g, trace.OpCAS, box(old), box(new))
	return g.ok
}

// A Value holds values of one type, like atomic.Value. It is empty at the start
// of every execution.
type Value struct{ s slot }

func (v *Value) use(op string) *goroutine {
	g := v.s.use(op, "Value")
	v.s.typed = true
	return g
}

// Load returns the value set last, nil if there is none.
func (v *Value) Load() (val any) { return v.s.ask(v.use("Value.Load"), trace.OpLoad, nil, nil) }

// Store sets the value. It panics if val is nil or of another type than the
// values before.
func (v *Value) Store(val any) {
	g := v.use("Value.Store")
	if val == nil {
		panic("sync/atomic: store of nil value into Value")
	}
	v.s.ask(g, trace.OpStore, val, nil)
}

// Swap sets the value and returns the previous one, nil if there was none. It
// panics if new is nil or of another type than the values before.
func (v *Value) Swap(new any) (old any) {
	g := v.use("Value.Swap")
	if new == nil {
		panic("sync/atomic: swap of nil value into Value")
	}
	return v.s.ask(g, trace.OpSwap, new, nil)
}

// CompareAndSwap sets the value to new if it is old, and reports whether it
// was. It panics if new is nil or of another type than old or the values
// before, and if the values cannot be compared.
func (v *Value) CompareAndSwap(old, new any) (swapped bool) {
	g := v.use("Value.CompareAndSwap")
	if new == nil {
		panic("sync/atomic: compare and swap of nil value into Value")
	}
	if old != nil && reflect.TypeOf(old) != reflect.TypeOf(new) {
		panic("sync/atomic: compare and swap of inconsistently typed values")
	}
	v.s.ask(g, trace.OpCAS, old, new)
	return g.ok
}

// askPointer makes a request to the pointer at addr, which must not be nil, and
// returns what was there. A CompareAndSwap expects old.
func askPointer(what string, addr *unsafe.Pointer, kind trace.Kind, old, new unsafe.Pointer) (*goroutine, unsafe.Pointer) {
	g, o := rawPointer(what, addr)
	g.mem.old, g.mem.new = old, new
	g.request(kind, o)
	was := g.mem.old
	g.mem.old, g.mem.new = nil, nil
	if g.c.opt.Record {
		if kind == trace.OpCAS {
			g.noteCAS(g.ok, *addr)
		} else {
			g.noteResult(*addr)
		}
	}
	return g, was
}

// LoadPointer returns *addr.
func LoadPointer(addr *unsafe.Pointer) (val unsafe.Pointer) {
	_, val = askPointer("LoadPointer", addr, trace.OpLoad, nil, nil)
	return val
}

// StorePointer sets *addr to val.
func StorePointer(addr *unsafe.Pointer, val unsafe.Pointer) {
	askPointer("StorePointer", addr, trace.OpStore, nil, val)
}

// SwapPointer sets *addr to new and returns the previous value.
func SwapPointer(addr *unsafe.Pointer, new unsafe.Pointer) (old unsafe.Pointer) {
	_, old = askPointer("SwapPointer", addr, trace.OpSwap, nil, new)
	return old
}

// CompareAndSwapPointer sets *addr to new if it is old, and reports whether it
// was.
func CompareAndSwapPointer(addr *unsafe.Pointer, old, new unsafe.Pointer) (swapped bool) {
	g, _ := askPointer("CompareAndSwapPointer", addr, trace.OpCAS, old, new)
	return g.ok
}
