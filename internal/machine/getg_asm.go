//go:build amd64 || arm64

package machine

// getg returns the address of the runtime's descriptor of the calling
// goroutine, which tells live goroutines apart.
func getg() uintptr
