//go:build amd64 || arm64

package machine

import "unsafe"

// getg returns the address of the runtime's descriptor of the calling
// goroutine, which tells live goroutines apart.
func getg() uintptr

// onStack reports whether p is on the stack of the goroutine with the descriptor gp. The descriptor
// begins with the bounds of the stack. Another goroutine's stack may have been there earlier in an
// execution.
func onStack(gp uintptr, p unsafe.Pointer) bool {
	bounds := *(**[2]uintptr)(unsafe.Pointer(&gp))
	return uintptr(p)-bounds[0] < bounds[1]-bounds[0]
}
