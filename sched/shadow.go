package sched

import (
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// reads announces that a primitive reads an exported field of its own, where the program's accesses
// of it are announced as well.
func reads[T any](field *T) {
	if hook.Instrumented() {
		machine.UseMemory(unsafe.Pointer(field), unsafe.Sizeof(*field), trace.OpRead)
	}
}
