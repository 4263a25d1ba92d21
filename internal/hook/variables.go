package hook

import (
	"reflect"
	"sync"
	"unsafe"
)

// packageVar is a package-level variable of a program that was brought under control.
type packageVar struct {
	Name string
	P    unsafe.Pointer
	T    reflect.Type
}

var Variables struct {
	Mu   sync.Mutex
	List []packageVar
}

// KeepVariable says that executions may change the variable of that name at p, a
// pointer, or what can be reached from it. Every execution begins with what has been
// left there outside of executions. From then on executions of this process take turns,
// see [Exclusive].
func KeepVariable(name string, p any) {
	Exclusive()
	v := reflect.ValueOf(p)
	Variables.Mu.Lock()
	defer Variables.Mu.Unlock()
	Variables.List = append(Variables.List, packageVar{name, v.UnsafePointer(), v.Type().Elem()})
}
