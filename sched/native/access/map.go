package access

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/live"
)

// This file is about accesses of maps. A map counts as one variable, as it does for the
// race detector.

// ReadMap announces a read of m, of whatever keys, and returns m.
func ReadMap[M ~map[K]V, K comparable, V any](m M) M {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		live.Read(headerOf(m), 1)
	}
	return m
}

// WriteMap announces a write of m, to whatever keys, and returns m.
func WriteMap[M ~map[K]V, K comparable, V any](m M) M {
	wroteMap(m)
	makesSome(headerOf(m))
	return m
}

// wroteMap announces a write of m.
func wroteMap[M ~map[K]V, K comparable, V any](m M) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		live.Write(headerOf(m), 1)
	}
}

// makes notes that m[k] is about to be set: that makes an entry, if there is none. A loop over m that is under
// way may meet it.
func makes[K comparable, V any](m map[K]V, k K) {
	if atomic.LoadInt32(&live.Ranged) != 0 && live.Ranges(headerOf(m)) {
		if _, ok := m[k]; !ok {
			live.Makes(headerOf(m), k)
		}
	}
}

// makesSome notes that an entry of the map at m may be made, of an unknown key.
func makesSome(m unsafe.Pointer) {
	if atomic.LoadInt32(&live.Ranged) != 0 && live.Ranges(m) {
		live.MakesSome(m)
	}
}

// StoresMap is [Stores] for the map at m, of which the runtime is about to set an entry.
func StoresMap(m unsafe.Pointer, n uintptr) unsafe.Pointer {
	Stores(m, n)
	makesSome(m)
	return m
}

// headerOf returns the address of a map.
func headerOf[K comparable, V any](m map[K]V) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&m))
}

// InMap returns the map m, for InMap(m).At(k) and so on: the key is evaluated
// after m and before the access.
func InMap[M ~map[K]V, K comparable, V any](m M) Map[K, V] { return Map[K, V]{m: m} }

// InMapAt is InMap of *p, which is read when all else is known.
func InMapAt[M ~map[K]V, K comparable, V any](p *M) MapAt[M, K, V] { return MapAt[M, K, V]{p} }

// Map is a map that is about to be used.
type Map[K comparable, V any] struct{ m map[K]V }

// At is m[k].
func (m Map[K, V]) At(k K) V { return ReadMap(m.m)[k] }

// Find is m[k] with a second result.
func (m Map[K, V]) Find(k K) (V, bool) {
	v, ok := ReadMap(m.m)[k]
	return v, ok
}

// Set is m[k] = v.
func (m Map[K, V]) Set(k K, v V) {
	wroteMap(m.m)
	makes(m.m, k)
	m.m[k] = v
}

// Insert is Set, and knows that k is inserted now, if it is not there.
func (m Map[K, V]) Insert(k K, v V) {
	wroteMap(m.m)
	makes(m.m, k)
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		live.Inserts(headerOf(m.m), k)
	}
	m.m[k] = v
}

// Delete is delete(m, k).
func (m Map[K, V]) Delete(k K) { Delete(m.m, k) }

// Delete is delete(m, k), of what one call returns.
func Delete[M ~map[K]V, K comparable, V any](m M, k K) {
	wroteMap(m)
	delete(m, k)
}

// Key returns the entry of k, for an assignment that reads it, too.
func (m Map[K, V]) Key(k K) Entry[K, V] { return Entry[K, V]{m, k} }

// Entry is that of a key, which need not be in the map.
type Entry[K comparable, V any] struct {
	m Map[K, V]
	k K
}

// Get is m[k].
func (e Entry[K, V]) Get() V { return e.m.At(e.k) }

// Set is m[k] = v.
func (e Entry[K, V]) Set(v V) { e.m.Set(e.k, v) }

// Insert is Set, see [Map.Insert].
func (e Entry[K, V]) Insert(v V) { e.m.Insert(e.k, v) }

// Writes are entries of maps that are to be set.
type Writes struct {
	list []func()
	// SoFar is how many of the assignment's operands that are entries have got their values.
	SoFar int
}

// Done sets the entries, in order.
func (w *Writes) Done() {
	for _, set := range w.list {
		set()
	}
}

// DoneSoFar sets those entries that have got their values: it is deferred where others than entries may panic.
func (w *Writes) DoneSoFar() {
	w.list = w.list[:w.SoFar]
	w.Done()
}

// LateSet returns room for a value that Done sets the entry of k to.
func (m Map[K, V]) LateSet(w *Writes, k K) *V {
	v := new(V)
	w.list = append(w.list, func() { m.Set(k, *v) })
	return v
}

// LateInsert is LateSet by [Map.Insert].
func (m Map[K, V]) LateInsert(w *Writes, k K) *V {
	v := new(V)
	w.list = append(w.list, func() { m.Insert(k, *v) })
	return v
}

// MapAt is a variable with a map that is about to be used.
type MapAt[M ~map[K]V, K comparable, V any] struct{ p *M }

func (m MapAt[M, K, V]) read() Map[K, V] { return InMap(ReadValue(m.p)) }

// The methods are those of [Map].

func (m MapAt[M, K, V]) At(k K) V           { return m.read().At(k) }
func (m MapAt[M, K, V]) Find(k K) (V, bool) { return m.read().Find(k) }
func (m MapAt[M, K, V]) Set(k K, v V)       { m.read().Set(k, v) }
func (m MapAt[M, K, V]) Insert(k K, v V)    { m.read().Insert(k, v) }
func (m MapAt[M, K, V]) Delete(k K)         { m.read().Delete(k) }
