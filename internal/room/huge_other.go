//go:build !linux

package room

// wantHugePages does nothing: the system decides by itself.
func wantHugePages(at, size uintptr) {}
