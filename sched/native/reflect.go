package native

import (
	"reflect"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
)

// This file announces the accesses that calls of package reflect, which is not rewritten, make
// to the variables of its values.

// Reflected is a reflect.Value with methods that announce reads and writes of the variable that
// it stands for, if any.
type Reflected struct{ reflect.Value }

// Reflect returns v, for Reflect(v).Set(x).
func Reflect(v reflect.Value) Reflected { return Reflected{v} }

func (r Reflected) reads() reflect.Value {
	if hook.Controlled() && r.CanAddr() {
		hook.ReadMemory(r.Addr().UnsafePointer(), r.Type().Size())
	}
	return r.Value
}

func (r Reflected) writes() reflect.Value {
	if hook.Controlled() && r.CanSet() {
		hook.WriteMemory(r.Addr().UnsafePointer(), r.Type().Size())
	}
	return r.Value
}

func (r Reflected) Bool() bool          { return r.reads().Bool() }
func (r Reflected) Int() int64          { return r.reads().Int() }
func (r Reflected) Uint() uint64        { return r.reads().Uint() }
func (r Reflected) Float() float64      { return r.reads().Float() }
func (r Reflected) Complex() complex128 { return r.reads().Complex() }
func (r Reflected) Interface() any      { return r.reads().Interface() }

// String reads strings only: for other values it returns the type.
func (r Reflected) String() string {
	if r.Kind() == reflect.String {
		r.reads()
	}
	return r.Value.String()
}

func (r Reflected) Set(x reflect.Value)         { r.writes().Set(x) }
func (r Reflected) SetBool(x bool)              { r.writes().SetBool(x) }
func (r Reflected) SetInt(x int64)              { r.writes().SetInt(x) }
func (r Reflected) SetUint(x uint64)            { r.writes().SetUint(x) }
func (r Reflected) SetFloat(x float64)          { r.writes().SetFloat(x) }
func (r Reflected) SetComplex(x complex128)     { r.writes().SetComplex(x) }
func (r Reflected) SetString(x string)          { r.writes().SetString(x) }
func (r Reflected) SetBytes(x []byte)           { r.writes().SetBytes(x) }
func (r Reflected) SetPointer(x unsafe.Pointer) { r.writes().SetPointer(x) }
func (r Reflected) SetZero()                    { r.writes().SetZero() }

// ReflectCopy returns a function for f, which is reflect.Copy, that announces its accesses.
func ReflectCopy(f func(dst, src reflect.Value) int) func(dst, src reflect.Value) int {
	return func(dst, src reflect.Value) int {
		n := f(dst, src)
		if n > 0 && hook.Controlled() {
			if from := src.Index(0); from.CanAddr() {
				hook.ReadMemory(from.Addr().UnsafePointer(), uintptr(n)*from.Type().Size())
			}
			to := dst.Index(0)
			hook.WriteMemory(to.Addr().UnsafePointer(), uintptr(n)*to.Type().Size())
		}
		return n
	}
}
