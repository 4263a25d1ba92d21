package access

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/live"
)

// The functions of this file announce accesses of memory with the size of their arguments.

// noescape hides from the compiler that a function keeps a pointer. The receivers of
// announcements keep it for as long as an execution lasts, unless it points to the stack.
func noescape(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}

// ReadValue announces a read of *p and returns it.
func ReadValue[T any](p *T) T {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		live.Caller.Read(noescape(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	}
	return *p
}

// Value returns v. The compiler announces the read of the variable that is copied at the call,
// since Value is inlined there.
func Value[T any](v T) T { return v }

// Loads announces a read of n bytes at p, which the runtime is about to do, and returns p.
func Loads(p unsafe.Pointer, n uintptr) unsafe.Pointer {
	if atomic.LoadInt32(&live.Goroutines) != 0 && p != nil {
		live.Caller.Read(noescape(p), n)
	}
	return p
}

// Stores announces a write of n bytes at p, which the runtime is about to do, and returns p.
func Stores(p unsafe.Pointer, n uintptr) unsafe.Pointer {
	if atomic.LoadInt32(&live.Goroutines) != 0 && p != nil {
		live.Caller.Write(noescape(p), n)
	}
	return p
}

// ReadSlice announces a read of all elements of s and returns s.
func ReadSlice[S ~[]E, E any](s S) S {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		readSlice([]E(s))
	}
	return s
}

func readSlice[E any](s []E) {
	var e E
	live.Caller.Read(noescape(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(e))
}

func wroteSlice[E any](s []E) {
	var e E
	live.Caller.Write(noescape(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(e))
}

// Grow returns s, for Grow(s).By(x, y): append(s, x, y).
func Grow[S ~[]E, E any](s S) Growing[S, E] { return Growing[S, E]{s} }

// Growing is a slice to which elements are about to be appended.
type Growing[S ~[]E, E any] struct{ s S }

// By returns append(s, e...). It announces a write of the new elements if there is room for
// them. Otherwise it announces a read of the old ones, which are moved then.
func (g Growing[S, E]) By(e ...E) S {
	if len(e) > 0 && atomic.LoadInt32(&live.Goroutines) != 0 {
		if n := len(g.s); len(e) <= cap(g.s)-n {
			wroteSlice([]E(g.s[n : n+len(e)]))
		} else {
			readSlice([]E(g.s))
		}
	}
	return append(g.s, e...)
}

// GrowAt is Grow of *p, which is read after the elements are known.
func GrowAt[S ~[]E, E any](p *S) GrowingAt[S, E] { return GrowingAt[S, E]{p} }

// GrowingAt is a variable with a slice to which elements are about to be appended.
type GrowingAt[S ~[]E, E any] struct{ p *S }

// By returns append(*p, e...).
func (g GrowingAt[S, E]) By(e ...E) S { return Grow(ReadValue(g.p)).By(e...) }

// Append is append(s, e...), where one call returns all arguments.
func Append[S ~[]E, E any](s S, e ...E) S { return Grow(s).By(e...) }
