package native

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
)

// The functions of this file announce plain accesses of memory. They are inlined,
// and where nobody is controlled they cost a nanosecond. What their arguments
// point to escapes to the heap.

// Off reports whether nobody is controlled. Then the calling goroutine is not, and
// will not be: what it does may be done as in the source.
func Off() bool { return atomic.LoadInt32(&live.Goroutines) == 0 }

// Load returns *p.
func Load[T any](p *T) T {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		hook.ReadMemory(unsafe.Pointer(p), unsafe.Sizeof(*p))
	}
	return *p
}

// Cell is a variable that is about to be set.
type Cell[T any] struct{ p *T }

// At returns the variable at p, for At(p).Set(v): the assignment *p = v, in which
// v is evaluated after p and before the access.
func At[T any](p *T) Cell[T] { return Cell[T]{p} }

// Set sets the variable to v.
func (c Cell[T]) Set(v T) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		hook.WriteMemory(unsafe.Pointer(c.p), unsafe.Sizeof(*c.p))
	}
	*c.p = v
}

// Read announces a read of *p and returns p.
func Read[T any](p *T) *T {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		hook.ReadMemory(unsafe.Pointer(p), unsafe.Sizeof(*p))
	}
	return p
}

// Then announces a read of *p that comes after the evaluation of v, and returns v.
func Then[T, V any](v V, p *T) V {
	Read(p)
	return v
}

// ThenRead is [Then].
func ThenRead[T, V any](v V, p *T) V { return Then(v, p) }

// ThenWrite announces a write of *p that comes after the evaluation of v, and returns
// v.
func ThenWrite[T, V any](v V, p *T) V {
	Write(p)
	return v
}

// ThenMap is Then for a read of m, of whatever keys.
func ThenMap[V any, M ~map[K]E, K comparable, E any](v V, m M) V {
	ReadMap(m)
	return v
}

// Write announces a write of *p and returns p.
func Write[T any](p *T) *T {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		hook.WriteMemory(unsafe.Pointer(p), unsafe.Sizeof(*p))
	}
	return p
}

// Wrote tells of a write of *p that has just happened.
func Wrote[T any](p *T) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		hook.WriteMemory(unsafe.Pointer(p), unsafe.Sizeof(*p))
	}
}

// ReadSlice announces a read of all elements of s and returns s.
func ReadSlice[S ~[]E, E any](s S) S {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		readSlice([]E(s))
	}
	return s
}

// WroteSlice tells of a write of all elements of s, and returns s.
func WroteSlice[S ~[]E, E any](s S) S {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		wroteSlice([]E(s))
	}
	return s
}

// Grow returns s, for Grow(s).By(x, y): append(s, x, y).
func Grow[S ~[]E, E any](s S) Growing[S, E] { return Growing[S, E]{s} }

// Growing is a slice that elements are about to be appended to.
type Growing[S ~[]E, E any] struct{ s S }

// By returns append(s, e...). It announces a write of the new elements if there
// is room for them, and otherwise a read of the old ones, which are moved then.
func (g Growing[S, E]) By(e ...E) S {
	if len(e) > 0 && atomic.LoadInt32(&live.Goroutines) != 0 {
		if n := len(g.s); len(e) <= cap(g.s)-n {
			WroteSlice(g.s[n : n+len(e)])
		} else {
			ReadSlice(g.s)
		}
	}
	return append(g.s, e...)
}

// GrowAt is Grow of *p, which is read when the elements are known.
func GrowAt[S ~[]E, E any](p *S) GrowingAt[S, E] { return GrowingAt[S, E]{p} }

// GrowingAt is a variable with a slice that elements are about to be appended to.
type GrowingAt[S ~[]E, E any] struct{ p *S }

// By returns append(*p, e...).
func (g GrowingAt[S, E]) By(e ...E) S { return Grow(Load(g.p)).By(e...) }

// ReadMap announces a read of m, of whatever keys, and returns m. A map counts as
// one variable, as it does for the race detector.
func ReadMap[M ~map[K]V, K comparable, V any](m M) M {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		hook.ReadMemory(*(*unsafe.Pointer)(unsafe.Pointer(&m)), 1)
	}
	return m
}

// WriteMap announces a write of m, to whatever keys, and returns m.
func WriteMap[M ~map[K]V, K comparable, V any](m M) M {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		hook.WriteMemory(*(*unsafe.Pointer)(unsafe.Pointer(&m)), 1)
	}
	return m
}
