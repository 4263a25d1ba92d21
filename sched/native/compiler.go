//go:build !race

package native

import (
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/machine"
)

// The compiler calls the functions of this file. Packages under control are compiled with its
// flag -race, and linked without the race detector, which has the original functions. So plain
// accesses of memory are announced where and when they happen. The size is given only if parts
// of the memory may be accessed by themselves; otherwise its first byte stands for all.
//
// This module's own packages are not compiled so, but their functions may be inlined into, or
// instantiated in, packages that are. Therefore the tool that compiles them makes all of them
// //go:norace. Package machine has the functions raceread and racewrite.

// racereadrange is called before a copy. If that is to a variable on the stack, the compiler
// takes the variable as set already, so no collection may look at it before the copy. So the
// goroutine is pinned from here on, until [machine.ReadRange] has finished.
//
//go:nosplit
//go:linkname racereadrange runtime.racereadrange
func racereadrange(p unsafe.Pointer, size uintptr) {
	if live.On() {
		procPin()
		machine.ReadRange(p, size)
	}
}

//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname racewriterange runtime.racewriterange
func racewriterange(p unsafe.Pointer, size uintptr) {
	if live.On() {
		hook.WriteMemory(p, size)
	}
}

//go:linkname racefuncenter runtime.racefuncenter
func racefuncenter(uintptr) {}

//go:linkname racefuncexit runtime.racefuncexit
func racefuncexit() {}
