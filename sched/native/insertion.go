package native

import (
	"cmp"
	"reflect"
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

// facts are what an execution knows of a map.
type facts struct {
	places map[any]int // the order in which keys were inserted that have addresses, from 1 on
	growth             // see there
}

// factsOf returns what is known of the map at m in the running execution.
func factsOf(m unsafe.Pointer) *facts {
	return hook.Shadow(m, func() any { return new(facts) }).(*facts)
}

// headerOf returns the address of a map, which is not nil.
func headerOf[K comparable, V any](m map[K]V) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&m))
}

func init() {
	live.Inserts = insert
	live.Ranges, live.Makes, live.MakesSome = ranges, makes, makesSome
}

// insert knows that k is about to be inserted into the map at m, if it is not there.
func insert(m unsafe.Pointer, k any) {
	if m == nil || k == nil || plainKey(reflect.TypeOf(k).Kind()) || !hook.Active() || hook.Unwinding() || !reflect.ValueOf(k).Comparable() || k != k {
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
