package sched

import (
	"reflect"
	"sync"
	"unsafe"
)

// packageVar is a package-level variable of a program that was brought under control.
type packageVar struct {
	name string
	p    unsafe.Pointer
	t    reflect.Type
}

var variables struct {
	mu   sync.Mutex
	list []packageVar
}

// KeepVariable says that executions may change the variable of that name at p, a
// pointer, or what can be reached from it. Every execution begins with what has been
// left there outside of executions. From then on executions of this process take turns,
// see [Exclusive].
func KeepVariable(name string, p any) {
	Exclusive()
	v := reflect.ValueOf(p)
	variables.mu.Lock()
	defer variables.mu.Unlock()
	variables.list = append(variables.list, packageVar{name, v.UnsafePointer(), v.Type().Elem()})
}
