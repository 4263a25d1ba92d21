//go:build !amd64 && !arm64

package stack

import (
	"runtime"
	"unsafe"
)

// Descriptor returns a number that tells live goroutines apart: the one in the first line of a
// stack trace. It costs about a microsecond.
func Descriptor() uintptr { return uintptr(Current()) }

// Has reports whether p is on the stack of the calling goroutine, as far as is known: nothing is
// here.
func Has(uintptr, unsafe.Pointer) bool { return false }

// CallerAt returns where the n-th call goes on, counted from the one of CallerAt, 0
// if there are not so many.
func CallerAt(n int) uintptr {
	var pcs [1]uintptr
	runtime.Callers(n+2, pcs[:])
	return pcs[0]
}

// Calls sets pcs to where the calls on the calling goroutine's stack go on, innermost
// first, and returns how many there are; 0 if that is not known.
func Calls(pcs []uintptr) int { return 0 }

// Innermost is Calls for as many calls as pcs has room for.
func Innermost(pcs []uintptr) int { return runtime.Callers(2, pcs) }
