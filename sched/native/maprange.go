package native

import (
	"reflect"
	"slices"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched/native/access"
)

// A loop over a map is inside a loop over a [Walk]. Without control that has one round, with
// the map itself, so that the inner loop is unchanged. Under control it has one round for every
// key, with a map of that key alone, so that gopor determines the order. The order is that of
// [sortEntries], as changed by [hook.MapOrder]. An entry that is deleted before its round is
// left out. For entries that are made meanwhile see mapgrowth.go.

// A Walk is a range over a map.
type Walk[K comparable, V any] struct {
	m       map[K]V
	rounds  int
	one     map[K]V // under control: the entry of this round
	entries []entry[K, V]
	alike   bool // the loop does the same in every order
	made    *passage
}

// entry is a key and, if it cannot be looked up, its value.
type entry[K comparable, V any] struct {
	key K
	v   V
}

// Over begins a range over m. Every round reads the map.
func Over[M ~map[K]V, K comparable, V any](m M) Walk[K, V] {
	if hook.Controlled() {
		return over(map[K]V(access.ReadMap(m)))
	}
	return Walk[K, V]{m: m}
}

// OverAll is Over for a loop that has one pair of variables for all rounds, the other results.
func OverAll[M ~map[K]V, K comparable, V any](m M) (w Walk[K, V], k K, v V) {
	return Over(m), k, v
}

func over[K comparable, V any](m map[K]V) Walk[K, V] {
	if !hook.Active() || hook.Unwinding() || len(m) == 0 {
		return Walk[K, V]{m: m}
	}
	w := Walk[K, V]{m: m, one: make(map[K]V, 1), made: begin(headerOf(m))}
	hook.Serve(w.collect)
	return w
}

// collect finds the entries of the map, in any order.
func (w *Walk[K, V]) collect() {
	w.entries = make([]entry[K, V], 0, len(w.m))
	for k, v := range w.m {
		e := entry[K, V]{key: k}
		if k != k {
			e.v = v
		}
		w.entries = append(w.entries, e)
	}
}

// Alike says that the loop does the same in every order of the keys.
func (w Walk[K, V]) Alike() Walk[K, V] {
	w.alike = true
	return w
}

// arrange puts the entries in order.
func (w *Walk[K, V]) arrange() {
	hook.Serve(func() { sortEntries(w.m, w.entries) })
	order := hook.MapOrder(len(w.entries), w.alike, func() string {
		return "a range over a " + reflect.TypeFor[map[K]V]().String()
	})
	if order == nil {
		return
	}
	entries := make([]entry[K, V], len(order))
	for i, at := range order {
		entries[i] = w.entries[at]
	}
	w.entries = entries
}

// Next begins the next round, if there is one.
func (w *Walk[K, V]) Next() bool {
	w.rounds++
	if w.one != nil {
		return w.next()
	}
	return w.rounds == 1
}

func (w *Walk[K, V]) next() bool {
	clear(w.one)
	if w.rounds == 1 {
		w.arrange()
	}
	if w.rounds > 1 {
		access.ReadMap(w.m)
		if k, ok := w.made.next(w); ok {
			key, _ := k.(K) // nil is a key of an interface type
			w.one[key] = w.m[key]
			return true
		}
	}
	for len(w.entries) > 0 && len(w.m) > 0 {
		e := w.entries[0]
		w.entries = w.entries[1:]
		v, ok := w.m[e.key]
		if e.key != e.key { // it cannot be looked up, and is deleted only with all others
			v, ok = e.v, true
		}
		if ok {
			w.one[e.key] = v
			return true
		}
	}
	w.made.end()
	return false
}

// The following methods implement [walking].

func (w *Walk[K, V]) has(k any) bool {
	key, _ := k.(K)
	_, ok := w.m[key]
	return ok
}

func (w *Walk[K, V]) sort(keys []any) {
	entries := make([]entry[K, V], len(keys))
	for i, k := range keys {
		entries[i].key, _ = k.(K)
	}
	sortEntries(w.m, entries)
	for i, e := range entries {
		keys[i] = e.key
	}
}

func (w *Walk[K, V]) skip(k any) {
	key, _ := k.(K)
	w.entries = slices.DeleteFunc(w.entries, func(e entry[K, V]) bool { return e.key == key })
}

func (w *Walk[K, V]) over() string { return reflect.TypeFor[map[K]V]().String() }

// Map returns the map for the inner loop of this round.
func (w *Walk[K, V]) Map() map[K]V {
	if w.one != nil {
		return w.one
	}
	return w.m
}
