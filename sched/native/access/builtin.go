package access

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/live"
)

// This file announces the accesses of builtin functions. Rewritten code calls no builtin
// function that its source does not call: the name may mean something else there.

// Copy is copy(dst, src). It announces exactly the copied elements.
func Copy[D, S ~[]E, E any](dst D, src S) int {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		n := min(len(dst), len(src))
		readSlice([]E(src)[:n])
		wroteSlice([]E(dst)[:n])
	}
	return copy(dst, src)
}

// CopyBytes is Copy from a string, or from any type that a type parameter allows.
func CopyBytes[D ~[]byte, S ~string | ~[]byte](dst D, src S) int {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		n := min(len(dst), len(src))
		readBytes(src[:n])
		wroteSlice([]byte(dst)[:n])
	}
	return copy(dst, src)
}

// readBytes announces a read of s if s is not a string.
func readBytes[S ~string | ~[]byte](s S) {
	if unsafe.Sizeof(s) == unsafe.Sizeof([]byte(nil)) { // not a string
		live.Caller.Read(noescape(*(*unsafe.Pointer)(unsafe.Pointer(&s))), uintptr(len(s)))
	}
}

// ClearMap is clear(m).
func ClearMap[M ~map[K]V, K comparable, V any](m M) {
	wroteMap(m)
	clear(m)
}

// ClearSlice is clear(s).
func ClearSlice[S ~[]E, E any](s S) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		wroteSlice([]E(s))
	}
	clear(s)
}
