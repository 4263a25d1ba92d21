package native

import (
	"cmp"
	"reflect"
	"slices"
	"sort"
	"strings"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
)

// sortEntries sorts the entries of a map by their keys.
func sortEntries[K comparable, V any](m map[K]V, entries []entry[K, V]) {
	switch list := any(entries).(type) {
	case []entry[string, V]:
		slices.SortFunc(list, func(a, b entry[string, V]) int { return strings.Compare(a.key, b.key) })
	case []entry[int, V]:
		slices.SortFunc(list, func(a, b entry[int, V]) int { return cmp.Compare(a.key, b.key) })
	default:
		if compare := plainOrder(reflect.TypeFor[K]()); compare != nil {
			sort.Sort(byPlainKey[K, V]{entries, compare})
			return
		}
		known, o := factsOf(headerOf(m)).places, new(keyOrder)
		slices.SortStableFunc(entries, func(a, b entry[K, V]) int {
			return o.compare(reflect.ValueOf(&a.key).Elem(), reflect.ValueOf(&b.key).Elem(), known[a.key], known[b.key])
		})
		o.sorted()
	}
}

// byPlainKey sorts entries by plain keys. It takes the addresses of keys in place, since those of
// copies would be objects of the heap.
type byPlainKey[K comparable, V any] struct {
	entries []entry[K, V]
	compare comparison
}

func (s byPlainKey[K, V]) Len() int      { return len(s.entries) }
func (s byPlainKey[K, V]) Swap(i, j int) { s.entries[i], s.entries[j] = s.entries[j], s.entries[i] }
func (s byPlainKey[K, V]) Less(i, j int) bool {
	return s.compare(unsafe.Pointer(&s.entries[i].key), unsafe.Pointer(&s.entries[j].key)) < 0
}

// mostPointers is the number of pointers that are followed to distinguish keys.
const mostPointers = 4

// compareKeys orders values of one type. Numbers, strings, booleans and values composed of them
// are ordered by content, interfaces first by their dynamic type. Channels are ordered by the
// goroutine that has made them. Addresses differ from execution to execution, so pointers are
// ordered by what they point to, down to some depth. Pointers to equal values compare as equal.
func compareKeys(a, b reflect.Value, pointers int) int {
	parts := func(a, b reflect.Value) int { return compareKeys(a, b, pointers) }
	switch a.Kind() {
	case reflect.Bool:
		return cmp.Compare(btoi(a.Bool()), btoi(b.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return cmp.Compare(a.Int(), b.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return cmp.Compare(a.Uint(), b.Uint())
	case reflect.Float32, reflect.Float64:
		return cmp.Compare(a.Float(), b.Float())
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return cmp.Or(cmp.Compare(real(x), real(y)), cmp.Compare(imag(x), imag(y)))
	case reflect.String:
		return strings.Compare(a.String(), b.String())
	case reflect.Slice:
		if c := cmp.Compare(a.Len(), b.Len()); c != 0 {
			return c
		}
		return compareAll(a.Len(), a.Index, b.Index, parts)
	case reflect.Array:
		return compareAll(a.Len(), a.Index, b.Index, parts)
	case reflect.Struct:
		return compareAll(a.NumField(), a.Field, b.Field, parts)
	case reflect.Map:
		return cmp.Compare(a.Len(), b.Len())
	}
	return compareReferences(a, b, pointers)
}

// compareAll compares the parts of two values one by one.
func compareAll(n int, a, b func(int) reflect.Value, compare func(a, b reflect.Value) int) int {
	for i := range n {
		if c := compare(a(i), b(i)); c != 0 {
			return c
		}
	}
	return 0
}

// compareReferences is compareKeys for values that may be nil, which comes first.
func compareReferences(a, b reflect.Value, pointers int) int {
	if a.Kind() == reflect.UnsafePointer {
		return 0
	}
	if a.IsNil() || b.IsNil() {
		return cmp.Compare(btoi(!a.IsNil()), btoi(!b.IsNil()))
	}
	switch a.Kind() {
	case reflect.Interface:
		a, b = a.Elem(), b.Elem()
		s, t := a.Type(), b.Type()
		if s != t {
			return cmp.Or(strings.Compare(s.String(), t.String()), strings.Compare(s.PkgPath(), t.PkgPath()))
		}
		return compareKeys(a, b, pointers)
	case reflect.Chan:
		return slices.Compare(hook.ChanPlace(a.UnsafePointer()), hook.ChanPlace(b.UnsafePointer()))
	case reflect.Pointer:
		if pointers > 0 && a.UnsafePointer() != b.UnsafePointer() {
			return compareKeys(a.Elem(), b.Elem(), pointers-1)
		}
	}
	return 0
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
