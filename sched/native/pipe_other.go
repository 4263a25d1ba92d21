//go:build !linux

package native

// widen does nothing on other systems.
func widen(uintptr) {}
