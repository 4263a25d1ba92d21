//go:build !linux

package share

// BeNice does nothing on this system.
func BeNice() {}
