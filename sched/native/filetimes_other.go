//go:build !unix

package native

import "github.com/gopor/gopor/internal/live"

// Times of files are real on these systems.
func init() {
	live.SetFileTime = func(uintptr) {}
	live.MakeFile = func(string, bool, bool) func() { return func() {} }
	live.ForgetFileTime = func(string) {}
	live.FileTimeOf = func(uint64, uint64) (sec, nsec int64, ok bool) { return }
}
