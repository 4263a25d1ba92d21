//go:build !linux

package share

// BeNice lets other processes go first, where that is known how.
func BeNice() {}
