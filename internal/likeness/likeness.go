// Package likeness compares closures, as what the compiler and the runtime have made of them.
package likeness

import (
	"runtime"
	"runtime/debug"
	"unsafe"
)

// mostBytes is how many bytes a closure may have.
const mostBytes = 512

// Likeness says whether two closures are alike.
type Likeness uint8

const (
	None    Likeness = iota // they have other code, or have captured other values
	Perhaps                 // what differs may be of no closure
	Surely                  // nothing differs
)

// Of says whether two functions have the same code and have captured the same values. Captured
// functions are compared as they are. A closure does not change once it is made.
//
// An object of the heap may have some bytes more than were asked for, with whatever was there
// before. If only words differ that may be such, the answer is Perhaps. Deep counts the function
// and the levels of closures in closures that are compared.
func Of(f, g unsafe.Pointer, deep int) Likeness {
	if f == g {
		return Surely
	}
	if deep == 0 || *(*uintptr)(f) != *(*uintptr)(g) {
		return None
	}
	n := sizeOf(f)
	if n == 0 || n != sizeOf(g) {
		return None
	}
	is, sure := Surely, leastOf(n)
	for i := wordSize; i < n; i += wordSize {
		x, y := unsafe.Add(f, i), unsafe.Add(g, i)
		if *(*uintptr)(x) == *(*uintptr)(y) {
			continue
		}
		switch like := compareAt(x, y, deep-1); {
		case i >= sure:
			is = min(is, Perhaps)
		case like == None:
			return None
		default:
			is = min(is, like)
		}
	}
	return is
}

// compareAt is Of for two words, which may be closures.
func compareAt(x, y unsafe.Pointer, deep int) Likeness {
	if code := codeAt(*(*uintptr)(x)); code == 0 || code != codeAt(*(*uintptr)(y)) {
		return None
	}
	return Of(*(*unsafe.Pointer)(x), *(*unsafe.Pointer)(y), deep)
}

const wordSize = unsafe.Sizeof(uintptr(0))

// sizeOf returns how many bytes the object of the heap has that begins at p: 0 if there is none, or
// if it is too large. There are other objects of its size beside it.
func sizeOf(p unsafe.Pointer) uintptr {
	base, _, index := findObject(uintptr(p), 0, 0)
	switch {
	case base == 0 || base != uintptr(p):
		return 0
	case index > 0:
		before, _, _ := findObject(base-wordSize, 0, 0)
		if n := base - before; n <= mostBytes {
			return n
		}
		return 0
	}
	for n := wordSize; n <= mostBytes; n += wordSize {
		if _, _, i := findObject(base+n, 0, 0); i != 0 {
			return n
		}
	}
	return 0
}

// leastOf returns how many bytes were asked for at least, up to whole words, if an object has n.
// The runtime has objects of 8, 16, 24, 32, 48 and so on, and from 256 on of 288, 320 and so on.
func leastOf(n uintptr) uintptr {
	less := uintptr(32)
	switch {
	case n <= 32:
		less = 8
	case n <= 256:
		less = 16
	}
	return (n-less)/wordSize*wordSize + wordSize
}

// codeAt returns where the code of a function begins if the word x is the address of a closure,
// else 0. The word may be any number. In Go programs no other object has the first address of
// a function's code for its first word.
func codeAt(x uintptr) (code uintptr) {
	if x%wordSize != 0 || x < 1<<16 {
		return 0
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			code = 0
		}
	}()
	code = load(x)
	if f := runtime.FuncForPC(code); f == nil || f.Entry() != code {
		return 0
	}
	return code
}

// load returns the word at address x, which may be of no memory. It is no pointer that the garbage
// collector could see.
//
//go:nosplit
//go:noinline
func load(x uintptr) uintptr { return **(**uintptr)(unsafe.Pointer(&x)) }

// findObject is a function of the runtime that others use as well: its signature does not change.
//
//go:linkname findObject runtime.findObject
//go:noescape
func findObject(p, refBase, refOff uintptr) (base uintptr, span unsafe.Pointer, index uintptr)
