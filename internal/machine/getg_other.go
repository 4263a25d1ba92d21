//go:build !amd64 && !arm64

package machine

import (
	"runtime"
	"unsafe"

	"github.com/gopor/gopor/internal/stack"
)

// getg returns a number that tells live goroutines apart: the one in the first
// line of a stack trace. It costs about a microsecond.
func getg() uintptr { return uintptr(stack.Current()) }

// callerAt returns where the n-th call goes on, counted from one inside this package, 0
// if there are not so many.
func callerAt(n int) uintptr {
	var pcs [1]uintptr
	runtime.Callers(n+2, pcs[:])
	return pcs[0]
}

// Frames sets pcs to where the calls on the calling goroutine's stack go on, innermost
// first, and returns how many there are; 0 if that is not known.
func Frames(pcs []uintptr) int { return 0 }

// Innermost is Frames for as many calls as pcs has room for.
func Innermost(pcs []uintptr) int { return runtime.Callers(2, pcs) }

// onStack reports whether p is on the stack of the calling goroutine, as far as is known:
// nothing is here.
func onStack(uintptr, unsafe.Pointer) bool { return false }
