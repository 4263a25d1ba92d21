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
	if !ordering() {
		return r.readsMap().MapKeys()
	}
	found := r.entries()
	keys := make([]reflect.Value, len(found))
	for i, e := range found {
		keys[i] = e.key
	}
	return keys
}

// reflectedEntry is a key and, if it cannot be looked up, its value.
type reflectedEntry struct{ key, v reflect.Value }

// entries returns the entries of the map that r is, in the order in which a loop is to go over them.
func (r Reflected) entries() (found []reflectedEntry) {
	r.readsMap()
	if !ordering() {
		return r.collect()
	}
	hook.Serve(func() { found = r.sortedEntries() })
	if len(found) < 2 {
		return found
	}
	order := hook.MapOrder(len(found), false, func() string { return "a range by package reflect over a " + r.Type().String() })
	if order == nil {
		return found
	}
	arranged := make([]reflectedEntry, len(order))
	for i, at := range order {
		arranged[i] = found[at]
	}
	return arranged
}

// collect returns the entries of the map that r is, in any order.
func (r Reflected) collect() (found []reflectedEntry) {
	for i := r.Value.MapRange(); i.Next(); {
		e := reflectedEntry{key: i.Key()}
		if !e.key.Equal(e.key) {
			e.v = i.Value()
		}
		found = append(found, e)
	}
	return found
}

// sortedEntries is collect, sorted by the keys.
func (r Reflected) sortedEntries() []reflectedEntry {
	found := r.collect()
	if len(found) < 2 {
		return found
	}
	known, _ := hook.Shadow(r.UnsafePointer(), func() any { return noPlaces{} }).(places)
	place := func(k reflect.Value) int {
		if known == nil || !k.CanInterface() || !k.Comparable() {
			return 0
		}
		return known.place(k)
	}
	o := new(keyOrder)
	slices.SortStableFunc(found, func(a, b reflectedEntry) int { return o.compare(a.key, b.key, place(a.key), place(b.key)) })
	o.sorted()
	return found
}

// valueOf returns what the map that r is has for a key found in it before, invalid if that was deleted since. One that
// does not equal itself cannot be deleted but with all others.
func (r Reflected) valueOf(e reflectedEntry) reflect.Value {
	if e.v.IsValid() && r.readsMap().Len() > 0 {
		return e.v
	}
	return r.readsMap().MapIndex(e.key)
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
		for _, e := range r.entries() {
			if r.valueOf(e).IsValid() && !yield(e.key) {
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
		for _, e := range r.entries() {
			if v := r.valueOf(e); v.IsValid() && !yield(e.key, v) {
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
	m       reflect.Value
	entries []reflectedEntry
	begun   bool
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
		w.begun, w.entries = true, Reflect(w.m).entries()
	}
	for len(w.entries) > 0 {
		e := w.entries[0]
		w.entries = w.entries[1:]
		if v := Reflect(w.m).valueOf(e); v.IsValid() {
			one := reflect.MakeMapWithSize(w.m.Type(), 1)
			one.SetMapIndex(e.key, v)
			i.MapIter.Reset(one)
			break
		}
	}
	return i.MapIter.Next()
}
