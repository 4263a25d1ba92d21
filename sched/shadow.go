package sched

import (
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/sched/internal/live"
)

// This file is for code that brings objects of the language itself under
// control (package native): channels stay native, and what an execution does
// to one is done to a primitive of this package that stands for it, its shadow.

// Controlled reports whether any goroutine of the process is controlled. It
// costs a nanosecond; where it is false nobody needs to ask [Active].
func Controlled() bool { return atomic.LoadInt32(&live.Goroutines) != 0 }

// Shadow returns what stands for the native object at p in the running
// execution, and the result of mk at the first use. The calling goroutine must
// be controlled. The object stays alive as long as the execution.
func Shadow(p unsafe.Pointer, mk func() any) any {
	g := enter("Shadow")
	t := &g.m.shadows
	t.turn(g.m.epoch)
	if v := t.find(p); v != nil {
		return *v
	}
	made := mk() // may come back here
	v, _ := t.at(p)
	*v = made
	return made
}

// SetShadow lets v stand for the native object at p in the running execution.
func SetShadow(p unsafe.Pointer, v any) {
	g := enter("SetShadow")
	t := &g.m.shadows
	t.turn(g.m.epoch)
	s, _ := t.at(p)
	*s = v
}

// instrumented is set by the linker's -X in binaries whose code was brought
// under control.
var instrumented string

// Instrumented reports whether the program was built by package instrument: then
// its own go statements, channels, locks and so on are under control.
func Instrumented() bool { return instrumented != "" }
