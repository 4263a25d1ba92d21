package native

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
)

// This file has what builtin functions do to memory that may be shared. Rewritten
// code calls no builtin function that its source does not call: there, the name
// may mean something else.

// Count is len(s).
func Count[S ~[]E, E any](s S) int { return len(s) }

// Copy is copy(dst, src). It announces what is copied, and no more.
func Copy[D, S ~[]E, E any](dst D, src S) int {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		n := min(len(dst), len(src))
		readSlice([]E(src)[:n])
		wroteSlice([]E(dst)[:n])
	}
	return copy(dst, src)
}

// CopyBytes is Copy from a string, or from whatever a type parameter allows.
func CopyBytes[D ~[]byte, S ~string | ~[]byte](dst D, src S) int {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		n := min(len(dst), len(src))
		readBytes(src[:n])
		wroteSlice([]byte(dst)[:n])
	}
	return copy(dst, src)
}

// readBytes announces a read of s if that can change.
func readBytes[S ~string | ~[]byte](s S) {
	if reflect.TypeOf(s).Kind() == reflect.Slice {
		hook.ReadMemory(*(*unsafe.Pointer)(unsafe.Pointer(&s)), uintptr(len(s)))
	}
}

// ClearMap is clear(m).
func ClearMap[M ~map[K]V, K comparable, V any](m M) { clear(WriteMap(m)) }

// ClearSlice is clear(s).
func ClearSlice[S ~[]E, E any](s S) { clear(WroteSlice(s)) }

// Grown tells of what append(old, ...) has done, which has returned grown: as for
// the race detector, it writes the new elements, and reads the old ones if it
// moves them.
func Grown[S ~[]E, E any](old, grown S) S {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		if cap(grown) > cap(old) {
			readSlice([]E(old))
		}
		wroteSlice([]E(grown)[len(old):])
	}
	return grown
}

// InMap returns the map m, for InMap(m).At(k) and so on: the key is evaluated
// after m and before the access.
func InMap[M ~map[K]V, K comparable, V any](m M) Map[K, V] { return Map[K, V]{m} }

// Map is a map that is about to be used.
type Map[K comparable, V any] struct{ m map[K]V }

// At is m[k].
func (m Map[K, V]) At(k K) V { return ReadMap(m.m)[k] }

// Find is m[k] with a second result.
func (m Map[K, V]) Find(k K) (V, bool) {
	v, ok := ReadMap(m.m)[k]
	return v, ok
}

// Delete is delete(m, k).
func (m Map[K, V]) Delete(k K) { delete(WriteMap(m.m), k) }

func readSlice[E any](s []E) {
	var e E
	hook.ReadMemory(unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))*unsafe.Sizeof(e))
}

func wroteSlice[E any](s []E) {
	var e E
	hook.WriteMemory(unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))*unsafe.Sizeof(e))
}
