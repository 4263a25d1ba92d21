package hook

import (
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// ReadMemory says that the caller is about to read the size bytes at p, or has
// just done so, by plain code. How that is treated is a matter of
// sched.Options.Races. A goroutine that is not controlled may call it to no effect.
func ReadMemory(p unsafe.Pointer, size uintptr) {
	if co := machine.Callers.Find(); co != nil {
		co.Use(p, size, trace.OpRead)
	} else {
		machine.Outside(p, nil)
	}
}

// WriteMemory says that the caller is about to write the size bytes at p, or has
// just done so, by plain code; see [ReadMemory].
func WriteMemory(p unsafe.Pointer, size uintptr) {
	if co := machine.Callers.Find(); co != nil {
		co.Use(p, size, trace.OpWrite)
	} else {
		machine.Outside(p, nil)
	}
}
