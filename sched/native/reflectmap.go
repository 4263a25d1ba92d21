package native

import (
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
)

// This file lets package reflect go over maps in the order in which a loop goes.

// ordering reports whether the order of maps is the calling goroutine's business.
func ordering() bool { return hook.Controlled() && hook.Active() && !hook.Unwinding() }

// readsMap announces a read of the map that r is.
func (r Reflected) readsMap() reflect.Value {
	if hook.Controlled() && r.Kind() == reflect.Map && !r.IsNil() {
		hook.ReadMemory(r.UnsafePointer(), 1)
	}
	return r.Value
}

func (r Reflected) MapKeys() []reflect.Value {
	r.readsMap()
	if !ordering() {
		return r.Value.MapKeys()
	}
	var keys []reflect.Value
	hook.Serve(func() { keys = r.sortedKeys() })
	if len(keys) < 2 {
		return keys
	}
	order := hook.MapOrder(len(keys), false, func() string { return "a range by package reflect over a " + r.Type().String() })
	if order == nil {
		return keys
	}
	arranged := make([]reflect.Value, len(order))
	for i, at := range order {
		arranged[i] = keys[at]
	}
	return arranged
}

// sortedKeys returns the keys of the map that r is in the order in which a loop
// goes over them.
func (r Reflected) sortedKeys() []reflect.Value {
	keys := r.Value.MapKeys()
	if len(keys) < 2 {
		return keys
	}
	known, _ := hook.Shadow(r.UnsafePointer(), func() any { return noPlaces{} }).(places)
	place := func(k reflect.Value) int {
		if known == nil || !k.CanInterface() || !k.Comparable() {
			return 0
		}
		return known.place(k)
	}
	o := new(keyOrder)
	slices.SortStableFunc(keys, func(a, b reflect.Value) int { return o.compare(a, b, place(a), place(b)) })
	o.sorted()
	return keys
}

// places tells the order in which keys were inserted, from 1 on.
type places interface{ place(k reflect.Value) int }

// noPlaces stands for a map of whose keys nothing is known.
type noPlaces struct{}

func (noPlaces) place(reflect.Value) int { return 0 }

func (n insertions) place(k reflect.Value) int { return n[k.Interface()] }

func (r Reflected) Seq() iter.Seq[reflect.Value] {
	if r.Kind() != reflect.Map || !ordering() {
		return r.Value.Seq()
	}
	return func(yield func(reflect.Value) bool) {
		for _, k := range r.MapKeys() {
			if r.readsMap().MapIndex(k).IsValid() && !yield(k) {
				return
			}
		}
	}
}

func (r Reflected) Seq2() iter.Seq2[reflect.Value, reflect.Value] {
	if r.Kind() != reflect.Map || !ordering() {
		return r.Value.Seq2()
	}
	return func(yield func(k, v reflect.Value) bool) {
		for _, k := range r.MapKeys() {
			if v := r.readsMap().MapIndex(k); v.IsValid() && !yield(k, v) {
				return
			}
		}
	}
}

func (r Reflected) MapRange() *reflect.MapIter {
	i := r.readsMap().MapRange()
	Iterate(i).begin(r.Value)
	return i
}

// Iterating is a reflect.MapIter. Under control it goes over maps of one key each,
// one after the other.
type Iterating struct{ *reflect.MapIter }

// Iterate returns i, for Iterate(i).Next().
func Iterate(i *reflect.MapIter) Iterating { return Iterating{i} }

// mapWalk is what is left of a range.
type mapWalk struct {
	m     reflect.Value
	keys  []reflect.Value
	begun bool
}

// begin lets i go over m, unless nobody may know what m has: it came from a field
// that is not exported.
func (i Iterating) begin(m reflect.Value) {
	if ordering() {
		w := &mapWalk{m: m}
		if !m.IsValid() || !m.CanInterface() {
			w = nil
		}
		hook.SetShadow(unsafe.Pointer(i.MapIter), w)
	}
}

func (i Iterating) Reset(m reflect.Value) {
	i.MapIter.Reset(m)
	i.begin(m)
}

func (i Iterating) Next() bool {
	if !ordering() {
		return i.MapIter.Next()
	}
	w, _ := hook.Shadow(unsafe.Pointer(i.MapIter), func() any { return (*mapWalk)(nil) }).(*mapWalk)
	if w == nil {
		return i.MapIter.Next()
	}
	if !w.begun {
		w.begun, w.keys = true, Reflect(w.m).MapKeys()
	}
	for len(w.keys) > 0 {
		k := w.keys[0]
		w.keys = w.keys[1:]
		if v := Reflect(w.m).readsMap().MapIndex(k); v.IsValid() {
			one := reflect.MakeMapWithSize(w.m.Type(), 1)
			one.SetMapIndex(k, v)
			i.MapIter.Reset(one)
			break
		}
	}
	return i.MapIter.Next()
}
