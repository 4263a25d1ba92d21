//go:build !amd64 && !arm64

package stack

import "runtime"

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
