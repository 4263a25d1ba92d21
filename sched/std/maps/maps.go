package maps

import (
	"iter"
	"maps"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched/native"
	"github.com/gopor/gopor/sched/native/access"
)

// All returns an iterator over the keys and values of m.
func All[Map ~map[K]V, K comparable, V any](m Map) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for w := native.Over(m); w.Next(); {
			for k, v := range w.Map() {
				if !yield(k, v) {
					return
				}
			}
		}
	}
}

// Keys returns an iterator over the keys of m.
func Keys[Map ~map[K]V, K comparable, V any](m Map) iter.Seq[K] {
	return func(yield func(K) bool) {
		for k := range All(m) {
			if !yield(k) {
				return
			}
		}
	}
}

// Values returns an iterator over the values of m.
func Values[Map ~map[K]V, K comparable, V any](m Map) iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, v := range All(m) {
			if !yield(v) {
				return
			}
		}
	}
}

// Insert sets the entries of m from seq.
func Insert[Map ~map[K]V, K comparable, V any](m Map, seq iter.Seq2[K, V]) {
	for k, v := range seq {
		access.InMap(m).Insert(k, v)
	}
}

// Collect returns a map with the entries of seq.
func Collect[K comparable, V any](seq iter.Seq2[K, V]) map[K]V {
	m := make(map[K]V)
	for k, v := range seq {
		access.InMap(m).Insert(k, v)
	}
	return m
}

// Equal reports whether two maps have the same entries.
func Equal[M1, M2 ~map[K]V, K, V comparable](m1 M1, m2 M2) bool {
	return maps.Equal(access.ReadMap(m1), access.ReadMap(m2))
}

// EqualFunc is Equal with values compared by eq.
func EqualFunc[M1 ~map[K]V1, M2 ~map[K]V2, K comparable, V1, V2 any](m1 M1, m2 M2, eq func(V1, V2) bool) bool {
	if len(access.ReadMap(m1)) != len(access.ReadMap(m2)) {
		return false
	}
	for k, v1 := range All(m1) {
		if v2, ok := access.ReadMap(m2)[k]; !ok || !eq(v1, v2) {
			return false
		}
	}
	return true
}

// Clone returns a copy of m.
func Clone[M ~map[K]V, K comparable, V any](m M) M {
	if !hook.Active() || len(access.ReadMap(m)) == 0 {
		return maps.Clone(m)
	}
	c := make(M, len(m))
	for w := native.Over(m).Alike(); w.Next(); {
		for k, v := range w.Map() {
			access.InMap(c).Insert(k, v)
		}
	}
	return c
}

// Copy sets the entries of dst from src.
func Copy[M1 ~map[K]V, M2 ~map[K]V, K comparable, V any](dst M1, src M2) {
	for w := native.Over(src).Alike(); w.Next(); {
		for k, v := range w.Map() {
			access.InMap(dst).Insert(k, v)
		}
	}
}

// DeleteFunc deletes the entries for which del returns true.
func DeleteFunc[M ~map[K]V, K comparable, V any](m M, del func(K, V) bool) {
	for k, v := range All(m) {
		if del(k, v) {
			access.Delete(m, k)
		}
	}
}
