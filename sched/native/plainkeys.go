package native

import (
	"cmp"
	"reflect"
	"strings"
	"sync"
	"unsafe"
)

// A key is plain if its type has no addresses, so that its content distinguishes it from all
// others: a number, a string, a boolean, and a struct or an array of these. Maps with plain keys
// need no order of insertion. The order of such keys is found once a type, without reflection for
// each comparison.

// comparison orders the values at two addresses as [compareKeys] does.
type comparison func(a, b unsafe.Pointer) int

// plainOrders has the comparisons that were made, by type, nil for types that are not plain.
var plainOrders sync.Map

// plainOrder returns the comparison for keys of a type, nil if they are not plain.
func plainOrder(t reflect.Type) comparison {
	if known, ok := plainOrders.Load(t); ok {
		return known.(comparison)
	}
	c := newPlainOrder(t)
	plainOrders.Store(t, c)
	return c
}

// plain reports whether keys of a type are plain. Most are by their kind.
func plain(t reflect.Type) bool {
	k := t.Kind()
	return k <= reflect.Complex128 || k == reflect.String || plainOrder(t) != nil
}

func newPlainOrder(t reflect.Type) comparison {
	switch t.Kind() {
	case reflect.Bool:
		return func(a, b unsafe.Pointer) int { return cmp.Compare(btoi(*(*bool)(a)), btoi(*(*bool)(b))) }
	case reflect.Int:
		return comparePlain[int]
	case reflect.Int8:
		return comparePlain[int8]
	case reflect.Int16:
		return comparePlain[int16]
	case reflect.Int32:
		return comparePlain[int32]
	case reflect.Int64:
		return comparePlain[int64]
	case reflect.Uint:
		return comparePlain[uint]
	case reflect.Uint8:
		return comparePlain[uint8]
	case reflect.Uint16:
		return comparePlain[uint16]
	case reflect.Uint32:
		return comparePlain[uint32]
	case reflect.Uint64:
		return comparePlain[uint64]
	case reflect.Uintptr:
		return comparePlain[uintptr]
	case reflect.Float32:
		return comparePlain[float32]
	case reflect.Float64:
		return comparePlain[float64]
	case reflect.Complex64:
		return oneByOne([]part{{0, comparePlain[float32]}, {4, comparePlain[float32]}})
	case reflect.Complex128:
		return oneByOne([]part{{0, comparePlain[float64]}, {8, comparePlain[float64]}})
	case reflect.String:
		return func(a, b unsafe.Pointer) int { return strings.Compare(*(*string)(a), *(*string)(b)) }
	case reflect.Array:
		return plainParts(t.Len(), func(i int) (reflect.Type, uintptr) { return t.Elem(), uintptr(i) * t.Elem().Size() })
	case reflect.Struct:
		return plainParts(t.NumField(), func(i int) (reflect.Type, uintptr) { return t.Field(i).Type, t.Field(i).Offset })
	}
	return nil
}

// comparePlain is the [comparison] of a type that Go orders.
func comparePlain[T cmp.Ordered](a, b unsafe.Pointer) int { return cmp.Compare(*(*T)(a), *(*T)(b)) }

// part is a part of a value: where it begins, and how it is compared.
type part struct {
	at      uintptr
	compare comparison
}

// mostParts is how many parts a plain key has at most. One that has more is compared as if it were
// not plain.
const mostParts = 64

// plainParts is [plainOrder] for values of n parts, whose types and places at returns.
func plainParts(n int, at func(i int) (reflect.Type, uintptr)) comparison {
	if n > mostParts {
		return nil
	}
	parts := make([]part, n)
	for i := range parts {
		t, where := at(i)
		if parts[i] = (part{where, plainOrder(t)}); parts[i].compare == nil {
			return nil
		}
	}
	return oneByOne(parts)
}

// oneByOne compares one part after the other.
func oneByOne(parts []part) comparison {
	if len(parts) == 1 && parts[0].at == 0 {
		return parts[0].compare
	}
	return func(a, b unsafe.Pointer) int {
		for _, p := range parts {
			if c := p.compare(unsafe.Add(a, p.at), unsafe.Add(b, p.at)); c != 0 {
				return c
			}
		}
		return 0
	}
}
