package sched

import (
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// This file is for code that brings objects of the language itself under
// control (package native): channels stay native, and what an execution does
// to one is done to a primitive of this package that stands for it, its shadow.

// instrumented is set by the linker's -X in binaries with code that was brought under control.
var instrumented string

// Instrumented reports whether the program was built by package instrument: then
// its own go statements, channels, locks and so on are under control.
func Instrumented() bool { return instrumented != "" }

// reads announces that a primitive reads an exported field of its own, where the program's accesses
// of it are announced as well.
func reads[T any](field *T) {
	if Instrumented() {
		machine.UseMemory(unsafe.Pointer(field), unsafe.Sizeof(*field), trace.OpRead)
	}
}
