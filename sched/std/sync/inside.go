package sync

import (
	"reflect"
	"sync"
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
