package native_test

import (
	"math"
	"reflect"
	"testing"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/native"
)

// TestReflected races each method with an access of the variable, and compares
// what it does with what the method of reflect.Value does.
func TestReflected(t *testing.T) {
	type value = interface {
		Bool() bool
		Int() int64
		Uint() uint64
		Float() float64
		Complex() complex128
		Interface() any
		String() string
		Set(reflect.Value)
		SetBool(bool)
		SetInt(int64)
		SetUint(uint64)
		SetFloat(float64)
		SetComplex(complex128)
		SetString(string)
		SetBytes([]byte)
		SetPointer(unsafe.Pointer)
		SetZero()
	}
	here := unsafe.Pointer(t)
	tests := map[string]struct {
		of     any
		f      func(value) any
		writes bool
	}{
		"Bool":       {true, func(v value) any { return v.Bool() }, false},
		"Int":        {-3, func(v value) any { return v.Int() }, false},
		"Uint":       {uint8(3), func(v value) any { return v.Uint() }, false},
		"Float":      {math.Pi, func(v value) any { return v.Float() }, false},
		"Complex":    {1i, func(v value) any { return v.Complex() }, false},
		"Interface":  {[2]int{1, 2}, func(v value) any { return v.Interface() }, false},
		"String":     {"abc", func(v value) any { return v.String() }, false},
		"Set":        {[2]int{}, func(v value) any { v.Set(reflect.ValueOf([2]int{5, 6})); return nil }, true},
		"SetBool":    {false, func(v value) any { v.SetBool(true); return nil }, true},
		"SetInt":     {1, func(v value) any { v.SetInt(2); return nil }, true},
		"SetUint":    {uint(1), func(v value) any { v.SetUint(2); return nil }, true},
		"SetFloat":   {1.0, func(v value) any { v.SetFloat(2); return nil }, true},
		"SetComplex": {1i, func(v value) any { v.SetComplex(2i); return nil }, true},
		"SetString":  {"a", func(v value) any { v.SetString("b"); return nil }, true},
		"SetBytes":   {[]byte{1}, func(v value) any { v.SetBytes([]byte{2}); return nil }, true},
		"SetPointer": {unsafe.Pointer(nil), func(v value) any { v.SetPointer(here); return nil }, true},
		"SetZero":    {7, func(v value) any { v.SetZero(); return nil }, true},
	}
	for name, test := range tests {
		fresh := func() reflect.Value {
			v := reflect.New(reflect.TypeOf(test.of)).Elem()
			v.Set(reflect.ValueOf(test.of))
			return v
		}
		want, got := fresh(), fresh()
		if a, b := test.f(want), test.f(native.Reflect(got)); a != b || !reflect.DeepEqual(want.Interface(), got.Interface()) {
			t.Errorf("%s: %v and %v, not %v and %v", name, b, got, a, want)
		}
		if !test.writes {
			test.f(native.Reflect(reflect.ValueOf(test.of))) // no variable
		}
		races := func(access func(unsafe.Pointer, uintptr)) bool {
			fails, _ := run(t, exec.Options{}, func() {
				v := fresh()
				sched.Go(func() { test.f(native.Reflect(v)) })
				access(v.Addr().UnsafePointer(), v.Type().Size())
			})
			return len(fails) > 0
		}
		if !races(hook.WriteMemory) || races(hook.ReadMemory) != test.writes {
			t.Errorf("%s races with a read: %v, with a write: %v", name, races(hook.ReadMemory), races(hook.WriteMemory))
		}
	}
	if s := native.Reflect(reflect.ValueOf(1)).String(); s != "<int Value>" {
		t.Error("String:", s)
	}
}

func TestReflectCopy(t *testing.T) {
	a, b := []int{1, 2, 3}, [2]int{4, 5}
	copies := func() {
		if n := native.ReflectCopy(reflect.Copy)(reflect.ValueOf(a), reflect.ValueOf(&b).Elem()); n != 2 || a[1] != 5 {
			t.Error("copied:", n, a)
		}
	}
	native.ReflectCopy(reflect.Copy)(reflect.ValueOf(make([]byte, 2)), reflect.ValueOf("xy"))
	native.ReflectCopy(reflect.Copy)(reflect.ValueOf(a), reflect.ValueOf(b))
	copies()
	for _, test := range []struct {
		name  string
		f     func()
		races bool
	}{
		{"read of what is written", func() { load(&a[1]) }, true},
		{"read of what is not", func() { load(&a[2]) }, false},
		{"read of what is read", func() { load(&b[1]) }, false},
		{"write of what is read", func() { wrote(&b[1]) }, true},
	} {
		fails, _ := run(t, exec.Options{}, func() { sched.Go(copies); test.f() })
		if raced := len(fails) > 0; raced != test.races {
			t.Errorf("%s: race %v", test.name, raced)
		}
	}
}
