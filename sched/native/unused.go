package native

import "github.com/gopor/gopor/internal/hook"

// These functions return the last argument of an atomic Add, And or Or whose result the program
// does not use. It is evaluated right before the operation.

func UnusedInt32(x int32) int32       { return unused(x) }
func UnusedInt64(x int64) int64       { return unused(x) }
func UnusedUint32(x uint32) uint32    { return unused(x) }
func UnusedUint64(x uint64) uint64    { return unused(x) }
func UnusedUintptr(x uintptr) uintptr { return unused(x) }

func unused[T any](x T) T {
	if hook.Active() {
		hook.Unused()
	}
	return x
}
