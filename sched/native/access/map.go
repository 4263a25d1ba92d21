package access

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/live"
)

// This file announces accesses of maps. A map counts as one variable, as for the race detector.

// ReadMap announces a read of m, with any keys, and returns m.
func ReadMap[M ~map[K]V, K comparable, V any](m M) M {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		live.Caller.Read(headerOf(m), 1)
	}
	return m
}

// WriteMap announces a write of m, with any keys, and returns m.
func WriteMap[M ~map[K]V, K comparable, V any](m M) M {
	wroteMap(m)
	makesSome(headerOf(m))
	return m
}

// wroteMap announces a write of m.
func wroteMap[M ~map[K]V, K comparable, V any](m M) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		live.Caller.Write(headerOf(m), 1)
	}
}

// makes announces that m[k] is about to be set. If there is no entry yet, that makes one, which
// an active loop over m may visit.
func makes[K comparable, V any](m map[K]V, k K) {
	if atomic.LoadInt32(&live.Ranged) != 0 && live.Caller.Ranges(headerOf(m)) {
		if _, ok := m[k]; !ok {
			live.Caller.Makes(headerOf(m), k)
		}
	}
}

// makesSome announces that an entry with an unknown key may be made in the map at m.
func makesSome(m unsafe.Pointer) {
	if atomic.LoadInt32(&live.Ranged) != 0 && live.Caller.Ranges(m) {
		live.Caller.MakesSome(m)
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

// InMap returns the map m, for InMap(m).At(k) and so on: the key is evaluated after m and
// before the access.
func InMap[M ~map[K]V, K comparable, V any](m M) Map[K, V] { return Map[K, V]{m: m} }

// InMapAt is InMap of *p, which is read after the other operands are known.
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

// Insert is Set. It also notes the order of the insertion of k, if the map does not have k.
func (m Map[K, V]) Insert(k K, v V) {
	wroteMap(m.m)
	makes(m.m, k)
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		live.Caller.Inserts(headerOf(m.m), k)
	}
	m.m[k] = v
}

// Delete is delete(m, k).
func (m Map[K, V]) Delete(k K) { Delete(m.m, k) }

// Delete is delete(m, k), where one call returns both arguments.
func Delete[M ~map[K]V, K comparable, V any](m M, k K) {
	wroteMap(m)
	delete(m, k)
}

// Key returns the entry of k, for an assignment that also reads it.
func (m Map[K, V]) Key(k K) Entry[K, V] { return Entry[K, V]{m, k} }

// Entry is the entry of a key, which the map need not have.
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

// Writes has the entries of maps that an assignment will set.
type Writes struct {
	list []func()
	// SoFar is the number of operands that are entries and have their values.
	SoFar int
}

// Done sets the entries, in order.
func (w *Writes) Done() {
	for _, set := range w.list {
		set()
	}
}

// DoneSoFar sets the entries that have their values. It is deferred where other operands may
// panic.
func (w *Writes) DoneSoFar() {
	w.list = w.list[:w.SoFar]
	w.Done()
}

// LateSet returns room for the value to which Done sets the entry of k.
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

// The methods of MapAt are those of [Map].

func (m MapAt[M, K, V]) At(k K) V           { return m.read().At(k) }
func (m MapAt[M, K, V]) Find(k K) (V, bool) { return m.read().Find(k) }
func (m MapAt[M, K, V]) Set(k K, v V)       { m.read().Set(k, v) }
func (m MapAt[M, K, V]) Insert(k K, v V)    { m.read().Insert(k, v) }
func (m MapAt[M, K, V]) Delete(k K)         { m.read().Delete(k) }
