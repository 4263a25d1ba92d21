package exec

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
)

// variables finds the package-level variables of an instrumented program by address.
type variables map[unsafe.Pointer]string

// at returns what a program calls the memory at p, if that is a package-level variable or a field
// of one: "hits", "state.n". Else it returns "".
func (v variables) at(p unsafe.Pointer) string {
	name, known := v[p]
	if !known {
		name = variableAt(p)
		v[p] = name
	}
	return name
}

func variableAt(p unsafe.Pointer) string {
	hook.Variables.Mu.Lock()
	defer hook.Variables.Mu.Unlock()
	for _, v := range hook.Variables.List {
		if off := uintptr(p) - uintptr(v.P); off < v.T.Size() {
			return v.Name[strings.LastIndexByte(v.Name, '.')+1:] + fieldAt(v.T, off)
		}
	}
	return ""
}

// fieldAt returns the selectors of what a value of a type has at an offset.
func fieldAt(t reflect.Type, off uintptr) string {
	if t.Kind() != reflect.Struct {
		return ""
	}
	for i := range t.NumField() {
		if f := t.Field(i); off-f.Offset < f.Type.Size() {
			return "." + f.Name + fieldAt(f.Type, off-f.Offset)
		}
	}
	return ""
}
