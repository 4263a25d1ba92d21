package conformance

import (
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// cell is memory for atomic operations. Values are small numbers, which stand for
// pointers and so on where need be.
type cell interface {
	load() int64
	store(v int64)
	swap(v int64) int64
	cas(old, new int64) bool
}

// number is a cell to calculate with.
type number interface {
	cell
	add(v int64) int64
	and(v int64) int64
	or(v int64) int64
}

type integer interface {
	int32 | int64 | uint32 | uint64 | uintptr
}

// typed is an atomic of a type of its own, such as sched.Int32.
type typed[T integer, A interface {
	Load() T
	Store(T)
	Swap(T) T
	CompareAndSwap(old, new T) bool
	Add(T) T
	And(T) T
	Or(T) T
}] struct{ a A }

func (x typed[T, A]) load() int64             { return int64(x.a.Load()) }
func (x typed[T, A]) store(v int64)           { x.a.Store(T(v)) }
func (x typed[T, A]) swap(v int64) int64      { return int64(x.a.Swap(T(v))) }
func (x typed[T, A]) cas(old, new int64) bool { return x.a.CompareAndSwap(T(old), T(new)) }
func (x typed[T, A]) add(v int64) int64       { return int64(x.a.Add(T(v))) }
func (x typed[T, A]) and(v int64) int64       { return int64(x.a.And(T(v))) }
func (x typed[T, A]) or(v int64) int64        { return int64(x.a.Or(T(v))) }

// word is a variable for the functions, such as hook.Add[int32].
type word[T integer] struct {
	v *T
	f *functions[T]
}

type functions[T integer] struct {
	load         func(*T) T
	store        func(*T, T)
	swap         func(*T, T) T
	cas          func(*T, T, T) bool
	add, and, or func(*T, T) T
}

func (x word[T]) load() int64             { return int64(x.f.load(x.v)) }
func (x word[T]) store(v int64)           { x.f.store(x.v, T(v)) }
func (x word[T]) swap(v int64) int64      { return int64(x.f.swap(x.v, T(v))) }
func (x word[T]) cas(old, new int64) bool { return x.f.cas(x.v, T(old), T(new)) }
func (x word[T]) add(v int64) int64       { return int64(x.f.add(x.v, T(v))) }
func (x word[T]) and(v int64) int64       { return int64(x.f.and(x.v, T(v))) }
func (x word[T]) or(v int64) int64        { return int64(x.f.or(x.v, T(v))) }

var (
	int32s  = functions[int32]{hook.Load[int32], hook.Store[int32], hook.Swap[int32], hook.CompareAndSwap[int32], hook.Add[int32], hook.And[int32], hook.Or[int32]}
	int64s  = functions[int64]{hook.Load[int64], hook.Store[int64], hook.Swap[int64], hook.CompareAndSwap[int64], hook.Add[int64], hook.And[int64], hook.Or[int64]}
	uint32s = functions[uint32]{hook.Load[uint32], hook.Store[uint32], hook.Swap[uint32], hook.CompareAndSwap[uint32], hook.Add[uint32], hook.And[uint32], hook.Or[uint32]}
	uint64s = functions[uint64]{hook.Load[uint64], hook.Store[uint64], hook.Swap[uint64], hook.CompareAndSwap[uint64], hook.Add[uint64], hook.And[uint64], hook.Or[uint64]}
	uintps  = functions[uintptr]{hook.Load[uintptr], hook.Store[uintptr], hook.Swap[uintptr], hook.CompareAndSwap[uintptr], hook.Add[uintptr], hook.And[uintptr], hook.Or[uintptr]}
)

// newNumber makes an atomic number of type n: five types, and the functions for
// five.
func newNumber(n int64) number {
	switch n {
	case 0:
		return typed[int32, *sched.Int32]{new(sched.Int32)}
	case 1:
		return typed[int64, *sched.Int64]{new(sched.Int64)}
	case 2:
		return typed[uint32, *sched.Uint32]{new(sched.Uint32)}
	case 3:
		return typed[uint64, *sched.Uint64]{new(sched.Uint64)}
	case 4:
		return typed[uintptr, *sched.Uintptr]{new(sched.Uintptr)}
	case 5:
		return word[int32]{new(int32), &int32s}
	case 6:
		return word[int64]{new(int64), &int64s}
	case 7:
		return word[uint32]{new(uint32), &uint32s}
	case 8:
		return word[uint64]{new(uint64), &uint64s}
	}
	return word[uintptr]{new(uintptr), &uintps}
}

// flag is a Bool.
type flag struct{ b sched.Bool }

func (x *flag) load() int64             { return truth(x.b.Load()) }
func (x *flag) store(v int64)           { x.b.Store(v != 0) }
func (x *flag) swap(v int64) int64      { return truth(x.b.Swap(v != 0)) }
func (x *flag) cas(old, new int64) bool { return x.b.CompareAndSwap(old != 0, new != 0) }

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// targets are what pointers point at; nil is number 0.
type targets [4]int64

func (t *targets) at(v int64) *int64 {
	if v &= 3; v != 0 {
		return &t[v]
	}
	return nil
}

func (t *targets) number(p *int64) int64 {
	for v := range t {
		if p == &t[v] {
			return int64(v)
		}
	}
	return 0
}

// pointer is a Pointer.
type pointer struct {
	*targets
	p sched.Pointer[int64]
}

func (x *pointer) load() int64             { return x.number(x.p.Load()) }
func (x *pointer) store(v int64)           { x.p.Store(x.at(v)) }
func (x *pointer) swap(v int64) int64      { return x.number(x.p.Swap(x.at(v))) }
func (x *pointer) cas(old, new int64) bool { return x.p.CompareAndSwap(x.at(old), x.at(new)) }

// address is an unsafe.Pointer, for the functions.
type address struct {
	*targets
	p unsafe.Pointer
}

func (x *address) load() int64 { return x.number((*int64)(hook.LoadPointer(&x.p))) }
func (x *address) store(v int64) {
	hook.StorePointer(&x.p, unsafe.Pointer(x.at(v)))
}
func (x *address) swap(v int64) int64 {
	return x.number((*int64)(hook.SwapPointer(&x.p, unsafe.Pointer(x.at(v)))))
}
func (x *address) cas(old, new int64) bool {
	return hook.CompareAndSwapPointer(&x.p, unsafe.Pointer(x.at(old)), unsafe.Pointer(x.at(new)))
}

func (e *env) newPointer(n int64) cell {
	if n == 0 {
		return &pointer{targets: &e.targets}
	}
	return &address{targets: &e.targets}
}

// value is a Value.
type value struct{ v sched.Value }

// things are what Values hold: of two types, nil, which none may be given, and
// something that cannot be compared.
var things = [4]any{nil, 1, 2, [1]any{[]int(nil)}}

func thing(v int64) any { return things[v&3] }

func numberOf(x any) int64 {
	switch x := x.(type) {
	case nil:
		return 0
	case int:
		return int64(x)
	}
	return 3
}

func (x *value) load() int64             { return numberOf(x.v.Load()) }
func (x *value) store(v int64)           { x.v.Store(thing(v)) }
func (x *value) swap(v int64) int64      { return numberOf(x.v.Swap(thing(v))) }
func (x *value) cas(old, new int64) bool { return x.v.CompareAndSwap(thing(old), thing(new)) }

// vars is two plain variables.
type vars [2]*sched.Var[int64]

func newVars() *vars { return &vars{sched.NewVar[int64](0), sched.NewVar[int64](1)} }

// memory is plain memory, used in overlapping ranges.
type memory [memorySize]byte

const memorySize = 16

// read returns what the bytes from one up to another hold, as a number.
func (m *memory) read(from, to int64) (v int64) {
	hook.ReadMemory(unsafe.Pointer(&m[from]), uintptr(to-from))
	for _, b := range m[from:to] {
		v = v*31 + int64(b)
	}
	return v
}

// write changes these bytes to v, whatever they hold: it is told as no read.
func (m *memory) write(from, to, v int64) {
	hook.WriteMemory(unsafe.Pointer(&m[from]), uintptr(to-from))
	for i := from; i < to; i++ {
		m[i] = byte(v)
	}
}

// number returns the number in the four bytes that byte i belongs to.
func (m *memory) number(i int64) *uint32 { return (*uint32)(unsafe.Pointer(&m[i&^3])) }

// wide is number for eight bytes.
func (m *memory) wide(i int64) *uint64 { return (*uint64)(unsafe.Pointer(&m[i&^7])) }

// unused performs an operation without a look at its result. Those on memory commute then.
func unused(do func(int64) int64, v int64) int64 {
	hook.Unused()
	do(v)
	return 0
}

// What no primitive holds starts every execution as it was.

func (x word[T]) reset()  { *x.v = 0 }
func (x *address) reset() { x.p = nil }
func (m *memory) reset()  { clear(m[:]) }
