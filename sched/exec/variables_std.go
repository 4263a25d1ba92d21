package exec

import (
	"reflect"
	"unsafe"

	"github.com/gopor/gopor/internal/stack"
)

// This file keeps what is in a sync.Map that a struct of the standard library's has, such as
// expvar.Map: the rest of the struct is put back, and would not go with it.

var quietSync = stack.Module + "/sched/std/internal/quiet/sync"

// storer is a sync.Map, as the standard library has it under control.
type storer interface {
	ranger
	Load(key any) (value any, ok bool)
	Store(key, value any)
	Clear()
}

// stdMap is such a map, and what was in it.
type stdMap struct {
	m          storer
	p          unsafe.Pointer
	keys, vals []any
}

// mostStd is how many entries of such maps are compared after every execution: their changes are
// not announced.
const mostStd = 256

// keepStdMap copies what is in the map of type t at p, and what can be reached from there.
func (k *keeper) keepStdMap(p unsafe.Pointer, t reflect.Type) {
	m := &stdMap{m: reflect.NewAt(t, p).Interface().(storer), p: p}
	m.m.Range(func(key, value any) bool {
		m.keys, m.vals = append(m.keys, key), append(m.vals, value)
		return true
	})
	n := len(m.keys)
	if size := 32 * n; k.room < size {
		return
	} else {
		k.room -= size
	}
	k.work += 1 + 16*n
	k.maps = append(k.maps, keptMap{sync: m, root: k.root})
	if k.std += n; k.std <= mostStd {
		k.heat(-len(k.maps))
	}
	for i := range n {
		k.follow(reflect.ValueOf(&m.keys[i]).Elem())
		k.follow(reflect.ValueOf(&m.vals[i]).Elem())
	}
}

// changed reports whether the map is not as it was.
func (m *stdMap) changed() bool {
	n := 0
	m.m.Range(func(any, any) bool { n++; return n <= len(m.keys) })
	if n != len(m.keys) {
		return true
	}
	for i, key := range m.keys {
		if v, ok := m.m.Load(key); !ok || !identical(v, m.vals[i]) {
			return true
		}
	}
	return false
}

// identical reports whether two interfaces have the same words. Their values may not be comparable.
func identical(a, b any) bool {
	return *(*[2]unsafe.Pointer)(unsafe.Pointer(&a)) == *(*[2]unsafe.Pointer)(unsafe.Pointer(&b))
}

func (m *stdMap) restore() {
	m.m.Clear()
	for i, key := range m.keys {
		m.m.Store(key, m.vals[i])
	}
}
