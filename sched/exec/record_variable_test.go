package exec

import (
	"reflect"
	"testing"
	"unsafe"
)

// TestFieldAt names every part of a variable. Elements of arrays have the name of the array.
func TestFieldAt(t *testing.T) {
	type inner struct {
		a int8
		b [2]int64
	}
	var x struct {
		n     int
		inner inner
		rest  []int
	}
	for off, want := range map[uintptr]string{
		unsafe.Offsetof(x.n): ".n",
		unsafe.Offsetof(x.inner) + unsafe.Offsetof(x.inner.a):     ".inner.a",
		unsafe.Offsetof(x.inner) + unsafe.Offsetof(x.inner.a) + 1: ".inner", // padding
		unsafe.Offsetof(x.inner) + unsafe.Offsetof(x.inner.b) + 8: ".inner.b",
		unsafe.Offsetof(x.rest):                                   ".rest",
	} {
		if got := fieldAt(reflect.TypeOf(x), off); got != want {
			t.Errorf("offset %d: %q, want %q", off, got, want)
		}
	}
	if got := fieldAt(reflect.TypeOf(0), 0); got != "" {
		t.Errorf("a number has the field %q", got)
	}
}
