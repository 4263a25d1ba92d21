package likeness

import (
	"runtime"
	"testing"
	"unsafe"
)

var heap [][]uintptr // keeps what is in it out of the stack

// TestLikeness compares what could be closures, word by word.
func TestLikeness(t *testing.T) {
	outer := func() { t.Helper() }
	code := **(**uintptr)(unsafe.Pointer(&outer))
	pair := func(n int, change func(f, g []uintptr)) (x, y unsafe.Pointer) {
		f, g := make([]uintptr, n), make([]uintptr, n)
		heap = append(heap, f, g)
		f[0], g[0] = code, code
		change(f, g)
		return unsafe.Pointer(&f[0]), unsafe.Pointer(&g[0])
	}
	at := func(i int) func(f, g []uintptr) {
		return func(f, g []uintptr) { g[i] = 5 }
	}
	same := func(f, g []uintptr) {}
	for _, x := range []struct {
		name   string
		words  int
		change func(f, g []uintptr)
		want   Likeness
	}{
		{"same", 4, same, Surely},
		{"last of four", 4, at(3), None},
		{"code", 4, at(0), None},
		{"last of six", 6, at(5), Perhaps},
		{"fifth of six", 6, at(4), None},
		{"both", 6, func(f, g []uintptr) { g[4], g[5] = 1, 1 }, None},
		{"third last of 36", 36, at(33), Perhaps},
		{"fourth last of 36", 36, at(32), None},
		{"large", 100, func(f, g []uintptr) {}, None},
	} {
		for range 20 { // some at the beginning of a span
			f, g := pair(x.words, x.change)
			if unsafe.Sizeof(code) != 8 && x.want == Perhaps {
				continue // other sizes
			}
			if got := Of(f, g, 1); got != x.want {
				t.Errorf("%s: %d, want %d", x.name, got, x.want)
			}
			if got := Of(f, f, 0); got != Surely {
				t.Errorf("%s: %d with itself", x.name, got)
			}
			runtime.KeepAlive(f)
		}
	}
	var inner, other []uintptr
	f, g := pair(4, func(f, g []uintptr) {
		inner, other = make([]uintptr, 3), make([]uintptr, 3)
		heap = append(heap, inner, other)
		inner[0], other[0] = code, code
		*(*unsafe.Pointer)(unsafe.Pointer(&f[1])), *(*unsafe.Pointer)(unsafe.Pointer(&g[1])) = unsafe.Pointer(&inner[0]), unsafe.Pointer(&other[0])
	})
	if got := Of(f, g, 2); got != Surely {
		t.Errorf("closures in closures: %d", got)
	}
	if got := Of(f, g, 1); got != None {
		t.Errorf("closures too deep: %d", got)
	}
	for _, x := range []uintptr{0, 1, 8, 1 << 20, 1<<20 + 1, ^uintptr(0) / 3, ^uintptr(7)} {
		if codeAt(x) != 0 {
			t.Errorf("%#x is the address of a closure", x)
		}
	}
}
