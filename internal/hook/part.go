package hook

import "github.com/gopor/gopor/internal/machine"

// Phase sets the part to which objects that are started outside of parts belong, until the next
// call; "" means none. It returns the previous name.
func Phase(name string) (before string) {
	if g := machine.Leave("Phase"); g != nil {
		before = g.M.Phase(name)
	}
	return before
}

// Join makes the calling goroutine, and those that it will start, belong to a part. A search
// may explore the parts of a program one at a time.
func Join(name string) { machine.Enter("Join").Join(name) }

// Others reports whether the execution of the calling goroutine has started another goroutine.
func Others() bool {
	g := machine.Leave("Others")
	return g != nil && g.M.Others()
}

// SharedByTests begins the assumption of a search for a test that runs in parallel with others,
// since the test is explored without them.
const SharedByTests = "a variable that other parallel tests may use: "

// Parallel notes that the test of the execution runs in parallel with other tests.
func Parallel() {
	if co := machine.Callers.Find(); co != nil {
		co.M.Outside.ParallelTest = true
	}
}
