package hook

import (
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// Serve calls f, which does work that the goroutine does not ask for itself, such as sorting
// the keys of a map, and makes no requests. The functions of the standard library and the
// closures of generic functions that f calls may announce accesses of memory. These do not
// belong to the program, and need not be the same in every execution.
func Serve(f func()) {
	co := machine.Callers.Find()
	if co == nil || co.Serving {
		f()
		return
	}
	co.Serving = true
	defer func() { co.Serving = false }()
	f()
}

// Serving reports whether code of this module serves the calling goroutine.
func Serving() bool {
	co := machine.Callers.Look()
	return co != nil && co.Serving
}

// ReadMemory announces that the caller is about to read the size bytes at p, or has just done
// so, by plain code. The option exec.Options.Races says how that is treated. The call has no
// effect in a goroutine that is not controlled, in code of this module that serves a controlled
// one, and for memory on the caller's stack.
func ReadMemory(p unsafe.Pointer, size uintptr) { machine.UseMemory(p, size, trace.OpRead) }

// WriteMemory announces that the caller is about to write the size bytes at p, or has just done
// so, by plain code; see [ReadMemory].
func WriteMemory(p unsafe.Pointer, size uintptr) { machine.UseMemory(p, size, trace.OpWrite) }

// Acquire and Release are the functions of package machine.
func Acquire(p unsafe.Pointer) bool { return machine.Acquire(p) }
func Release(p unsafe.Pointer)      { machine.Release(p) }
