package native

import (
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
)

// This file makes package reflect visit maps in the order of a loop.

// ordering reports whether the order of maps matters to the calling goroutine.
func ordering() bool { return hook.Active() && !hook.Unwinding() }

// readsMap announces a read of the map in r.
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

// entries returns the entries of the map in r, in the order in which a loop visits them.
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

// collect returns the entries of the map in r, in any order.
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
	sortReflected(r.UnsafePointer(), found)
	return found
}

// sortReflected sorts entries of the map at m by their keys.
func sortReflected(m unsafe.Pointer, found []reflectedEntry) {
	places := factsOf(m).places
	place := func(k reflect.Value) int {
		if places == nil || !k.CanInterface() || !k.Comparable() {
			return 0
		}
		return places[k.Interface()]
	}
	o := new(keyOrder)
	slices.SortStableFunc(found, func(a, b reflectedEntry) int { return o.compare(a.key, b.key, place(a.key), place(b.key)) })
	o.sorted()
}

// valueOf returns the value of the map in r for a key that was found before, or the invalid
// value if the key was deleted since. A key that does not equal itself is deleted only with all
// others.
func (r Reflected) valueOf(e reflectedEntry) reflect.Value {
	if e.v.IsValid() && r.readsMap().Len() > 0 {
		return e.v
	}
	return r.readsMap().MapIndex(e.key)
}

func (r Reflected) Seq() iter.Seq[reflect.Value] {
	if r.Kind() != reflect.Map || !ordering() {
		return r.Value.Seq()
	}
	return func(yield func(reflect.Value) bool) {
		for w := (&mapWalk{m: r.Value}); w.next(); {
			if !yield(w.at.key) {
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
		for w := (&mapWalk{m: r.Value}); w.next(); {
			if !yield(w.at.key, w.at.v) {
				return
			}
		}
	}
}

// SetMapIndex announces which entry it makes, which package reflect itself does not.
func (r Reflected) SetMapIndex(key, elem reflect.Value) {
	if !hook.Controlled() || !elem.IsValid() || r.Kind() != reflect.Map || r.IsNil() || !r.CanInterface() || !(execution{}).Ranges(r.UnsafePointer()) ||
		!key.IsValid() || !key.CanInterface() || !key.Type().AssignableTo(r.Type().Key()) || !key.Comparable() {
		r.Value.SetMapIndex(key, elem)
		return
	}
	m, isNew := r.UnsafePointer(), false
	hook.WriteMemory(m, 1)
	hook.Serve(func() { isNew = !r.Value.MapIndex(key).IsValid() })
	if isNew {
		execution{}.Makes(m, key.Convert(r.Type().Key()).Interface())
	}
	hook.Serve(func() { r.Value.SetMapIndex(key, elem) })
}

func (r Reflected) MapRange() *reflect.MapIter {
	i := r.readsMap().MapRange()
	Iterate(i).begin(r.Value)
	return i
}

// Iterating is a reflect.MapIter. Under control it visits maps of one key each, one after the
// other.
type Iterating struct{ *reflect.MapIter }

// Iterate returns i, for Iterate(i).Next().
func Iterate(i *reflect.MapIter) Iterating { return Iterating{i} }

// mapWalk is a range by package reflect.
type mapWalk struct {
	m       reflect.Value
	entries []reflectedEntry // the unvisited ones of the entries at the beginning
	begun   bool
	at      reflectedEntry // the present entry
	made    *passage
}

// next begins the next iteration, if there is one.
func (w *mapWalk) next() bool {
	m := Reflect(w.m)
	if !w.begun {
		w.begun, w.entries = true, m.entries()
		if len(w.entries) > 0 {
			w.made = begin(m.UnsafePointer())
		}
	} else if w.made != nil {
		m.readsMap()
		if k, ok := w.made.next(w); ok {
			w.at = reflectedEntry{w.key(k), w.m.MapIndex(w.key(k))}
			return true
		}
	}
	for len(w.entries) > 0 {
		e := w.entries[0]
		w.entries = w.entries[1:]
		if v := m.valueOf(e); v.IsValid() {
			w.at = reflectedEntry{e.key, v}
			return true
		}
	}
	if w.made != nil {
		w.made.end()
	}
	return false
}

// key returns k as a key of the map.
func (w *mapWalk) key(k any) reflect.Value {
	if k == nil {
		return reflect.Zero(w.m.Type().Key())
	}
	return reflect.ValueOf(k).Convert(w.m.Type().Key())
}

// The following methods implement [walking].

func (w *mapWalk) has(k any) bool { return w.m.MapIndex(w.key(k)).IsValid() }

func (w *mapWalk) sort(keys []any) {
	entries := make([]reflectedEntry, len(keys))
	for i, k := range keys {
		entries[i].key = w.key(k)
	}
	sortReflected(w.m.UnsafePointer(), entries)
	for i, e := range entries {
		keys[i] = e.key.Interface()
	}
}

func (w *mapWalk) skip(k any) {
	w.entries = slices.DeleteFunc(w.entries, func(e reflectedEntry) bool {
		return e.key.CanInterface() && e.key.Comparable() && e.key.Interface() == k
	})
}

func (w *mapWalk) over() string { return w.m.Type().String() }

// begin makes i iterate over m. It does not control the order if the content of m is
// inaccessible, since m came from an unexported field.
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
	if w.next() {
		one := reflect.MakeMapWithSize(w.m.Type(), 1)
		one.SetMapIndex(w.at.key, w.at.v)
		i.MapIter.Reset(one)
	}
	return i.MapIter.Next()
}
