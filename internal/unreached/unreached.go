// Package unreached finds out which objects nothing else reaches.
package unreached

import (
	"runtime"
	"unsafe"
	"weak"
)

// Held is an object of the heap that the caller has kept alive, and a place in it. The zero Held is
// of no object.
type Held struct {
	object weak.Pointer[byte]
	Base   uintptr // where the object begins
	off    int
}

// Base returns the beginning of the object that p points into, 0 if that is none of the heap.
func Base(p unsafe.Pointer) uintptr {
	base, _, _ := findObject(uintptr(p), 0, 0)
	return base
}

// LetGo returns the object that p points into, without keeping it alive.
func LetGo(p unsafe.Pointer) (h Held) {
	if h.Base = Base(p); h.Base != 0 {
		h.off = int(uintptr(p) - h.Base)
		h.object = weak.Make((*byte)(unsafe.Add(p, -h.off)))
	}
	return h
}

// Collect frees the objects that nothing reaches.
func Collect() { runtime.GC() }

// Pointer returns the pointer that LetGo was given, and nil if the object was freed.
func (h *Held) Pointer() unsafe.Pointer {
	if p := h.object.Value(); p != nil {
		return unsafe.Add(unsafe.Pointer(p), h.off)
	}
	return nil
}

// findObject is a function of the runtime that others use as well: its signature does not change.
//
//go:linkname findObject runtime.findObject
//go:noescape
func findObject(p, refBase, refOff uintptr) (base uintptr, span unsafe.Pointer, index uintptr)
