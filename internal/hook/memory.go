package hook

import (
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// Serve calls f, which does what a goroutine does not ask for itself, such as sorting the
// keys of a map, and makes no requests. The functions of the standard library and the
// closures of generic functions that it calls may announce accesses of memory: these are
// none of the program's, and need not be the same in every execution.
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

// ReadMemory says that the caller is about to read the size bytes at p, or has
// just done so, by plain code. How that is treated is a matter of
// sched.Options.Races. A goroutine that is not controlled may call it to no effect, and
// so may code of this module's own while it serves a goroutine that is. Memory on the
// caller's stack is of no interest to others.
func ReadMemory(p unsafe.Pointer, size uintptr) { machine.UseMemory(p, size, trace.OpRead) }

// ReadRange is ReadMemory for one whose goroutine is pinned, and no longer is when it returns.
func ReadRange(p unsafe.Pointer, size uintptr) { machine.ReadRange(p, size) }

// WriteMemory says that the caller is about to write the size bytes at p, or has
// just done so, by plain code; see [ReadMemory].
func WriteMemory(p unsafe.Pointer, size uintptr) { machine.UseMemory(p, size, trace.OpWrite) }
