package exec

import (
	"reflect"
	"unsafe"
)

// This file looks up what is in kept maps by the map's own code for maps of plain words. That takes
// a fifth of the time of package reflect. Where maps keep their entries, and how keys are hashed,
// depends on the size of keys and values, and on whether keys are strings. So a map is looked at as
// one of another type that has these in common with it.

// sameOf returns what compares maps of type t, or nil if package reflect has to do that.
func sameOf(t reflect.Type) func(*keptMap) bool {
	const word = unsafe.Sizeof(uintptr(0))
	switch k := t.Key(); k.Kind() {
	case reflect.String:
		return sameOfValues[string](t.Elem())
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.Pointer, reflect.UnsafePointer, reflect.Chan:
		if k.Size() == word {
			return sameOfValues[uintptr](t.Elem())
		}
	}
	return nil
}

// sameOfValues is sameOf for keys that are like those of type K.
func sameOfValues[K comparable](elem reflect.Type) func(*keptMap) bool {
	const word = unsafe.Sizeof(uintptr(0))
	switch elem.Size() {
	case 0:
		return same[K, struct{}]
	case 1:
		return same[K, uint8]
	case word:
		return same[K, uintptr]
	case 2 * word:
		return same[K, [2]uintptr]
	case 3 * word:
		return same[K, [3]uintptr]
	case 4 * word:
		return same[K, [4]uintptr]
	}
	return nil
}

// same reports whether the entries of a map that is like a map[K]V are as they were.
func same[K, V comparable](m *keptMap) bool {
	at := m.m.UnsafePointer()
	now := *(*map[K]V)(unsafe.Pointer(&at))
	keys := unsafe.Slice((*K)(m.keys.UnsafePointer()), m.n)
	vals := unsafe.Slice((*V)(m.vals.UnsafePointer()), m.n)
	for i := range keys {
		if v, there := now[keys[i]]; !there || v != vals[i] {
			return false
		}
	}
	return true
}
