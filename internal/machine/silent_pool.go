package machine

import (
	"slices"
	"unsafe"
)

// This file is about the pools inside the standard library, such as the buffers of package fmt. A
// goroutine gets what it has put there itself, so pools order no goroutines.

// reserved is a value that a goroutine has put into a pool.
type reserved struct {
	pool  unsafe.Pointer
	value any
}

// mostReserved is how many values a goroutine has in all pools. A goroutine rarely uses more than
// two pools again and again, and holds its values until it ends.
const mostReserved = 4

// Reserve puts a value into a pool. The calling goroutine is controlled. If it has too many values
// the one that it has had longest is dropped.
func Reserve(pool unsafe.Pointer, value any) {
	co := Callers.Find()
	if co == nil || co.G == nil || co.Serving || co.M.Closing {
		return
	}
	l := co.G.InLibrary()
	if len(l.reserve) == mostReserved {
		l.reserve = slices.Delete(l.reserve, 0, 1)
	}
	l.reserve = append(l.reserve, reserved{pool, value})
}

// Reserved takes the value that the calling goroutine has put last into a pool, nil if there is
// none.
func Reserved(pool unsafe.Pointer) any {
	co := Callers.Find()
	if co == nil || co.G == nil || co.Serving || co.M.Closing {
		return nil
	}
	l := co.G.Library
	for i, r := range slices.Backward(l.reserve) {
		if r.pool == pool {
			l.reserve = slices.Delete(l.reserve, i, i+1)
			return r.value
		}
	}
	return nil
}
