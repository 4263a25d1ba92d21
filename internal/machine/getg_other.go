//go:build !amd64 && !arm64

package machine

import (
	"unsafe"

	"github.com/gopor/gopor/internal/stack"
)

// getg returns a number that tells live goroutines apart: the one in the first
// line of a stack trace. It costs about a microsecond.
func getg() uintptr { return uintptr(stack.Current()) }

// onStack reports whether p is on the stack of the calling goroutine, as far as is known:
// nothing is here.
func onStack(uintptr, unsafe.Pointer) bool { return false }
