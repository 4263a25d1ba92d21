package hook

import (
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// ReadMemory says that the caller is about to read the size bytes at p, or has
// just done so, by plain code. How that is treated is a matter of
// sched.Options.Races. A goroutine that is not controlled may call it to no effect, and
// so may code of this module's own while it serves a goroutine that is. Memory on the
// caller's stack is of no interest to others.
func ReadMemory(p unsafe.Pointer, size uintptr) { machine.UseMemory(p, size, trace.OpRead) }

// WriteMemory says that the caller is about to write the size bytes at p, or has
// just done so, by plain code; see [ReadMemory].
func WriteMemory(p unsafe.Pointer, size uintptr) { machine.UseMemory(p, size, trace.OpWrite) }
