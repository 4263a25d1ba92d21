package hook

import "github.com/gopor/gopor/internal/machine"

// instrumented is set by the linker's -X in binaries with code that was brought under control.
var instrumented string

// Instrumented reports whether the program was built by package instrument: then
// its own go statements, channels, locks and so on are under control.
func Instrumented() bool { return instrumented != "" }

// NoteCall says, where states are told apart, that what the calling goroutine has come to
// know is looked at when the execution is over, although it calls sched.Loop before that. It
// is no scheduling point.
func NoteCall() { machine.Enter("NoteCall").NoteCall() }
