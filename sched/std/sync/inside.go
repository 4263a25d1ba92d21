package sync

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched"
)

// A primitive of package sched is the key of its state, and has no method for that:
// it has those of its counterpart in the standard library.

func mutexKey(m *sched.Mutex) *machine.Key[machine.MutexState] {
	return (*machine.Key[machine.MutexState])(unsafe.Pointer(m))
}

func rwKey(rw *sched.RWMutex) *machine.Key[machine.RwState] {
	return (*machine.Key[machine.RwState])(unsafe.Pointer(rw))
}

func groupKey(wg *sched.WaitGroup) *machine.Key[machine.WgState] {
	return (*machine.Key[machine.WgState])(unsafe.Pointer(wg))
}

func onceKey(o *sched.Once) *machine.Key[machine.OnceState] {
	return (*machine.Key[machine.OnceState])(unsafe.Pointer(o))
}

func mapKey(m *sched.Map) *machine.Key[machine.MapState] {
	return (*machine.Key[machine.MapState])(unsafe.Pointer(m))
}

// The conversions are sound as long as these are of one size.
const (
	_ = -(unsafe.Sizeof(sched.Mutex{}) ^ unsafe.Sizeof(machine.Key[machine.MutexState]{}))
	_ = -(unsafe.Sizeof(sched.RWMutex{}) ^ unsafe.Sizeof(machine.Key[machine.RwState]{}))
	_ = -(unsafe.Sizeof(sched.WaitGroup{}) ^ unsafe.Sizeof(machine.Key[machine.WgState]{}))
	_ = -(unsafe.Sizeof(sched.Once{}) ^ unsafe.Sizeof(machine.Key[machine.OnceState]{}))
	_ = -(unsafe.Sizeof(sched.Map{}) ^ unsafe.Sizeof(machine.Key[machine.MapState]{}))
)

// readersOf returns how many read locks of rw, which has some, are held. The
// package does not tell, but the value does: it is the first number in the field
// readerCount. Should that change, one is the best guess, and a test fails.
func readersOf(rw *sync.RWMutex) int {
	v := reflect.ValueOf(rw).Elem().FieldByName("readerCount")
	for v.IsValid() && v.Kind() == reflect.Struct && v.NumField() > 0 {
		v = v.Field(v.NumField() - 1) // an atomic number has its value last
	}
	if v.IsValid() && v.CanInt() && v.Int() > 0 {
		return int(v.Int())
	}
	return 1
}
