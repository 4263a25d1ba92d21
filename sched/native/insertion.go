package native

import (
	"cmp"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/sched"
)

// This file tells the keys of a map apart that look alike, since they are pointers or
// have some: they come in the order in which they were first inserted in the
// execution. All that use a map are in an order, or else there is a data race, so all
// executions of a trace have the same one. To number keys beyond a map would not do.
//
// Keys that were inserted before the execution, or by code that is not rewritten,
// come first, by what they point to, and in the end by their addresses, which is
// noted.

// insertions has the keys of a map that were inserted in an execution.
type insertions[K comparable] struct {
	of map[K]int // from 1 on
}

// inserted returns what is known of m in the running execution.
func inserted[K comparable, V any](m map[K]V) *insertions[K] {
	known, ok := hook.Shadow(headerOf(m), func() any { return noPlaces{} }).(*insertions[K])
	if !ok {
		known = &insertions[K]{make(map[K]int)}
		hook.SetShadow(headerOf(m), known)
	}
	return known
}

// headerOf returns the address of a map, which is not nil.
func headerOf[K comparable, V any](m map[K]V) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&m))
}

// Insert announces a write of m, for Insert(m).Put(k)[k] = v.
func Insert[M ~map[K]V, K comparable, V any](m M) Insertion[M, K, V] {
	return Insertion[M, K, V]{WriteMap(m)}
}

// InsertOwn is Insert for a map that no other goroutine uses.
func InsertOwn[M ~map[K]V, K comparable, V any](m M) Insertion[M, K, V] { return Insertion[M, K, V]{m} }

// Insertion is a map that a key is about to be put into.
type Insertion[M ~map[K]V, K comparable, V any] struct{ m M }

// Put returns the map, and knows that k is inserted now, if it is not there.
func (i Insertion[M, K, V]) Put(k K) M {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		insert(map[K]V(i.m), k)
	}
	return i.m
}

func insert[K comparable, V any](m map[K]V, k K) {
	if m == nil || plainKey(reflect.TypeFor[K]().Kind()) || !hook.Active() || hook.Unwinding() || !reflect.ValueOf(&k).Elem().Comparable() || k != k {
		return
	}
	known := inserted(m).of
	if known[k] == 0 {
		known[k] = len(known) + 1
	}
}

// plainKey reports whether keys of a kind are told apart by what they are.
func plainKey(k reflect.Kind) bool { return k <= reflect.Complex128 || k == reflect.String }

// keyOrder orders keys.
type keyOrder struct {
	alike bool // some differ in addresses only
}

// compare orders two keys, given their places in the order of insertion, or 0.
func (o *keyOrder) compare(a, b reflect.Value, m, n int) int {
	if c := cmp.Or(compareKeys(a, b, 0), cmp.Compare(m, n)); c != 0 || m != 0 {
		return c
	}
	c := compareKeys(a, b, mostPointers)
	if c == 0 {
		c = compareAddresses(a, b)
		o.alike = o.alike || c != 0
	}
	return c
}

// sorted is told when all are in order.
func (o *keyOrder) sorted() {
	if o.alike {
		sched.Assume(sched.AssumeSource, "the addresses of keys that look alike")
	}
}

// compareAddresses orders values that differ in pointers only.
func compareAddresses(a, b reflect.Value) int {
	switch a.Kind() {
	case reflect.Pointer, reflect.UnsafePointer, reflect.Chan:
		return cmp.Compare(a.Pointer(), b.Pointer())
	case reflect.Interface:
		if a.IsNil() {
			return 0
		}
		return compareAddresses(a.Elem(), b.Elem())
	case reflect.Array:
		return compareAll(a.Len(), a.Index, b.Index, compareAddresses)
	case reflect.Struct:
		return compareAll(a.NumField(), a.Field, b.Field, compareAddresses)
	}
	return 0
}
