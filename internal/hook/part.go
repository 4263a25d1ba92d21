package hook

import "github.com/gopor/gopor/internal/machine"

// Phase says that what was started outside of parts belongs to the part of that name, ""
// for none, until it is called again. It returns the name that held before.
func Phase(name string) (before string) {
	if g := machine.Leave("Phase"); g != nil {
		before = g.M.Phase(name)
	}
	return before
}

// Join makes the calling goroutine, and whom it will start, belong to the part of that name:
// a search may explore the parts of a program one at a time.
func Join(name string) { machine.Enter("Join").Join(name) }

// Others reports whether the execution of the calling goroutine has started any other.
func Others() bool {
	g := machine.Leave("Others")
	return g != nil && g.M.Others()
}

// SharedByTests begins what a search takes for granted of a test that runs in parallel with others, which
// it is explored without.
const SharedByTests = "a variable that other parallel tests may use: "

// Parallel says that the test that the execution is of runs in parallel with other tests.
func Parallel() {
	if co := machine.Callers.Find(); co != nil {
		co.M.ParallelTest = true
	}
}
