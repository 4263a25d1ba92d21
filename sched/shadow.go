package sched

// This file is for code that brings objects of the language itself under
// control (package native): channels stay native, and what an execution does
// to one is done to a primitive of this package that stands for it, its shadow.

// instrumented is set by the linker's -X in binaries whose code was brought
// under control.
var instrumented string

// Instrumented reports whether the program was built by package instrument: then
// its own go statements, channels, locks and so on are under control.
func Instrumented() bool { return instrumented != "" }
