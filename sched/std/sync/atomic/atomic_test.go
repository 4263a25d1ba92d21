package atomic_test

import (
	"errors"
	"fmt"
	original "sync/atomic"
	"testing"
	"unsafe"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/internal/stdtest"
	"github.com/gopor/gopor/sched/std/sync/atomic"
)

// number is what the five number types have in common.
type number[T any] interface {
	Load() T
	Store(T)
	Swap(T) T
	CompareAndSwap(old, new T) bool
	Add(T) T
	And(T) T
	Or(T) T
}

// sequence uses every method of x, and ends with 0 in it.
func sequence[T int32 | int64 | uint32 | uint64 | uintptr](x number[T]) string {
	x.Store(5)
	text := fmt.Sprint(x.Swap(6), x.CompareAndSwap(5, 1), x.CompareAndSwap(6, 7), x.Add(3))
	minus := T(0)
	minus-- // all bits
	return text + fmt.Sprint(x.Or(5), x.And(minus-1), x.Load(), x.Add(minus), x.Swap(0))
}

func numbers[T int32 | int64 | uint32 | uint64 | uintptr](t *testing.T, twin, real number[T]) {
	t.Helper()
	want := sequence(real)
	if got := sequence(twin); got != want {
		t.Errorf("%T: got %s, want %s", twin, got, want)
	}
	if got := stdtest.Alone(t, func() string { return sequence(twin) }); got != want {
		t.Errorf("%T under control: got %s, want %s", twin, got, want)
	}
}

func TestNumbers(t *testing.T) {
	numbers[int32](t, new(atomic.Int32), new(original.Int32))
	numbers[int64](t, new(atomic.Int64), new(original.Int64))
	numbers[uint32](t, new(atomic.Uint32), new(original.Uint32))
	numbers[uint64](t, new(atomic.Uint64), new(original.Uint64))
	numbers[uintptr](t, new(atomic.Uintptr), new(original.Uintptr))
}

// TestMixed uses one memory as a number, by its address and outside of control.
func TestMixed(t *testing.T) {
	var x atomic.Int64
	p := (*int64)(unsafe.Pointer(&x))
	x.Store(1)
	var ptr atomic.Pointer[int64]
	found := stdtest.Same(t, func() string {
		atomic.StoreInt64(p, 1)
		h := sched.Go(func() { atomic.AddInt64(p, 1) })
		ptr.Store(p)
		ok := x.CompareAndSwap(1, 5)
		h.Join()
		return fmt.Sprint(ok, *ptr.Load())
	}, func() string {
		var x sched.Int64
		var ptr sched.Pointer[sched.Int64]
		x.Store(1)
		h := sched.Go(func() { x.Add(1) })
		ptr.Store(&x)
		ok := x.CompareAndSwap(1, 5)
		h.Join()
		return fmt.Sprint(ok, ptr.Load().Load())
	})
	if found.Outcomes != "false 2 | true 6" || found.Traces != 2 || found.Failures != "" {
		t.Errorf("%+v", found)
	}
	if v := x.Load(); v != 2 && v != 6 || ptr.Load() != p {
		t.Error(v, ptr.Load())
	}
}

func TestAligned(t *testing.T) {
	var s struct {
		a bool
		x atomic.Int64
		b bool
		y atomic.Uint64
	}
	if unsafe.Offsetof(s.x)%8 != 0 || unsafe.Offsetof(s.y)%8 != 0 || unsafe.Sizeof(s.x) != 8 {
		t.Error("64-bit numbers are not aligned to 64 bits")
	}
}

type boolean interface {
	Load() bool
	Store(bool)
	Swap(bool) bool
	CompareAndSwap(old, new bool) bool
}

func flags(b boolean) func() string {
	return func() string {
		b.Store(false)
		h := sched.Go(func() { b.CompareAndSwap(false, true) })
		was := b.Swap(true)
		h.Join()
		return fmt.Sprint(was, b.Load())
	}
}

type pointer[T any] interface {
	Load() *T
	Store(*T)
	Swap(*T) *T
	CompareAndSwap(old, new *T) bool
}

func pointers(p pointer[int]) func() string {
	return func() string {
		a, b := new(int), new(int)
		p.Store(a)
		h := sched.Go(func() { p.CompareAndSwap(a, nil) })
		was := p.Swap(b)
		h.Join()
		return fmt.Sprint(was == a, was == nil, p.Load() == b)
	}
}

type value interface {
	Load() any
	Store(any)
	Swap(any) any
	CompareAndSwap(old, new any) bool
}

func values(v value) func() string {
	return func() string {
		v.Store(1)
		h := sched.Go(func() { v.CompareAndSwap(1, 2) })
		was := v.Swap(3)
		h.Join()
		return fmt.Sprint(was, v.Load())
	}
}

// The counterparts in package sched are empty at the start of every execution,
// what lives in memory is not: so the programs begin with a Store.
func TestLikeSched(t *testing.T) {
	for name, found := range map[string]stdtest.Found{
		"false true":      stdtest.Same(t, flags(new(atomic.Bool)), flags(new(sched.Bool))),
		"true false true": stdtest.Same(t, pointers(new(atomic.Pointer[int])), pointers(new(sched.Pointer[int]))),
		"1 3":             stdtest.Same(t, values(new(atomic.Value)), values(new(sched.Value))),
	} {
		if found.Traces != 2 || found.Failures != "" || len(found.Outcomes) <= len(name) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestValuePanics asks for what an atomic.Value panics at.
func TestValuePanics(t *testing.T) {
	use := func(v value) string {
		text := fmt.Sprint(v.Load(), v.CompareAndSwap(1, 2), v.CompareAndSwap(nil, 1), v.CompareAndSwap(2, 3), v.Load())
		for _, f := range []func(){
			func() { v.Store(nil) },
			func() { v.Swap(nil) },
			func() { v.CompareAndSwap(1, nil) },
			func() { v.CompareAndSwap("x", 1) },
			func() { v.Store("x") },
			func() { v.Swap("x") },
			func() { v.CompareAndSwap("x", "y") },
			func() { v.CompareAndSwap(nil, "y") },
		} {
			text += ", " + stdtest.Caught(f)
		}
		return text + fmt.Sprint(v.Load())
	}
	want := use(new(original.Value))
	if got := use(new(atomic.Value)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := stdtest.Alone(t, func() string { return use(new(atomic.Value)) }); got != want {
		t.Errorf("under control: got  %s\nwant %s", got, want)
	}
	type odd struct{ v any }
	compare := func(v value) string {
		v.Store(odd{[]int{}})
		return stdtest.Caught(func() { v.CompareAndSwap(odd{[]int{}}, odd{1}) })
	}
	want = compare(new(original.Value))
	if got := stdtest.Alone(t, func() string { return compare(new(atomic.Value)) }); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestReport shows positions in the program, not in the twin.
func TestReport(t *testing.T) {
	var x atomic.Int32
	res, err := por.Explore(func() {
		x.Store(0)
		sched.Go(func() { x.Add(1) })
		if x.Add(1) == 2 {
			panic(errors.New("second"))
		}
	})
	if err != nil || len(res.Failures) != 1 {
		t.Fatal(res, err)
	}
	for _, e := range res.Failures[0].Entries {
		if e.Op() == "add" && e.Func != "github.com/gopor/gopor/sched/std/sync/atomic_test.TestReport.func1" &&
			e.Func != "github.com/gopor/gopor/sched/std/sync/atomic_test.TestReport.func1.1" {
			t.Errorf("%s in %s", e.Op(), e.Func)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	var real original.Int64
	var twin atomic.Int64
	b.Run("original", func(b *testing.B) {
		for b.Loop() {
			real.Add(1)
		}
	})
	b.Run("twin", func(b *testing.B) {
		for b.Loop() {
			twin.Add(1)
		}
	})
}
