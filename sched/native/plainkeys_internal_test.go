package native

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"
)

// TestPlainOrder compares values of many types as reflection does.
func TestPlainOrder(t *testing.T) {
	type named string
	type pair struct {
		A uint8
		B named
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
		reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex64](), reflect.TypeFor[complex128](), reflect.TypeFor[named](),
		reflect.TypeFor[[3]int16](), reflect.TypeFor[struct{}](), reflect.TypeFor[struct{ S [2]named }](),
		reflect.TypeFor[struct {
			A bool
			B [2]pair
			C complex64
		}](),
	} {
		compare, r := plainOrder(typ), rand.New(rand.NewPCG(1, 2))
		if compare == nil {
			t.Errorf("%v is not plain", typ)
			continue
		}
		signs := map[int]bool{}
		for range 300 {
			a, b := small(typ, r), small(typ, r)
			got, want := compare(a.Addr().UnsafePointer(), b.Addr().UnsafePointer()), compareKeys(a, b, 0)
			if got != want {
				t.Errorf("%v: %v against %v is %d, by reflection %d", typ, a, b, got, want)
			}
			signs[want] = true
		}
		if len(signs) != 3 && typ.Size() > 0 {
			t.Errorf("%v: only %v", typ, signs)
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[*int](), reflect.TypeFor[any](), reflect.TypeFor[chan int](), reflect.TypeFor[struct{ p *int }](), reflect.TypeFor[[1]error](), reflect.TypeFor[unsafe.Pointer]()} {
		if plainOrder(typ) != nil {
			t.Errorf("%v is plain", typ)
		}
	}
}

// small returns a value of a type. Each number in it is one of three, so that many parts are equal.
func small(t reflect.Type, r *rand.Rand) reflect.Value {
	v := reflect.New(t).Elem()
	n := r.IntN(3) - 1
	switch {
	case t.Kind() == reflect.Bool:
		v.SetBool(n > 0)
	case t.Kind() == reflect.String:
		v.SetString("xyz"[:n+1])
	case v.CanInt():
		v.SetInt(int64(n))
	case v.CanUint():
		v.SetUint(uint64(n))
	case v.CanFloat():
		v.SetFloat(float64(n) / 2)
	case v.CanComplex():
		v.SetComplex(complex(float64(n), float64(r.IntN(3))))
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(small(t.Elem(), r))
		}
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(small(t.Field(i).Type, r))
		}
	}
	return v
}
