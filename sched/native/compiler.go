//go:build !race

package native

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
)

// The compiler calls the functions of this file: packages under control are compiled with
// its flag -race, and linked without the race detector, whose functions these would be.
// So plain accesses of memory are announced where and when they happen. The size of one is
// given only where parts of it may be accessed by themselves; otherwise its first byte
// stands for all.
//
// This module's own packages are not compiled so, but their functions may be inlined into
// those that are, or instantiated there. Therefore the tool that compiles them makes all
// of them //go:norace.

//go:linkname raceread runtime.raceread
func raceread(p unsafe.Pointer) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		hook.ReadMemory(p, 1)
	}
}

//go:linkname racewrite runtime.racewrite
func racewrite(p unsafe.Pointer) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		hook.WriteMemory(p, 1)
	}
}

// racereadrange is called before a copy, and where that is to a variable on the stack the compiler takes this as set
// already: no collection may look at it before it is. So the goroutine is pinned from here on, until [hook.ReadRange] has done
// its work.
//
//go:nosplit
//go:linkname racereadrange runtime.racereadrange
func racereadrange(p unsafe.Pointer, size uintptr) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		procPin()
		hook.ReadRange(p, size)
	}
}

//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname racewriterange runtime.racewriterange
func racewriterange(p unsafe.Pointer, size uintptr) {
	if atomic.LoadInt32(&live.Goroutines) != 0 {
		hook.WriteMemory(p, size)
	}
}

//go:linkname racefuncenter runtime.racefuncenter
func racefuncenter(uintptr) {}

//go:linkname racefuncexit runtime.racefuncexit
func racefuncexit() {}
