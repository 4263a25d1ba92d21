package native

import (
	"cmp"
	"reflect"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// This file orders the keys of a map that look alike, since they are pointers or have some.
// They come in the order in which they were first inserted in the execution. All users of a map
// are ordered, or else there is a data race. So all executions of a trace have the same order.
// A numbering of keys beyond one map would not have that property.
//
// Keys that were inserted before the execution, or by code that is not rewritten, come first,
// by what they point to. Addresses decide last, which is noted as an assumption.

// facts has what an execution knows of a map.
type facts struct {
	// By key that is not plain, its place in the order of insertion, from 1.
	places map[any]int
	growth // see growth
}

// factsOf returns the facts of the map at m in the running execution.
func factsOf(m unsafe.Pointer) *facts {
	return hook.Shadow(m, func() any { return new(facts) }).(*facts)
}

// headerOf returns the address of a map, which is not nil.
func headerOf[K comparable, V any](m map[K]V) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&m))
}

// Inserts notes that k is about to be inserted into the map at m, unless the map has it.
func (execution) Inserts(m unsafe.Pointer, k any) {
	if m == nil || k == nil || !hook.Active() || plain(reflect.TypeOf(k)) || hook.Unwinding() || !reflect.ValueOf(k).Comparable() || k != k {
		return
	}
	hook.Serve(func() {
		f := factsOf(m)
		if f.places == nil {
			f.places = make(map[any]int)
		}
		if f.places[k] == 0 {
			f.places[k] = len(f.places) + 1
		}
	})
}

// keyOrder orders keys.
type keyOrder struct {
	alike bool // some keys differ in addresses only
}

// compare orders two keys. Arguments m and n are their places in the order of insertion, or 0.
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

// sorted is called when all keys are in order. It notes the assumption if addresses have
// decided.
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
