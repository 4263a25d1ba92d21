package trace

// This file has what a program or a run may be able to do beyond [Program] and [Run], besides
// [Driver], [Coaster], [Futile], [Patient] and [Keyed]. Engines and package por find out by type
// assertion, and do without a method that is missing. Each ability is an interface of its own,
// so a program that wraps another one may pass on some of them only. The closures of package
// sched/exec have them all.

// A Changing is a [Run] that knows which pending operations may have changed. Without it, an
// engine compares all of them after each step.
type Changing interface {
	// Changed returns those of the operations that are pending, as Pending was called last, that
	// may differ from those in the state before, if Pending was called there.
	Changed() []*Op
}

// A Spawning is a [Run] that knows what has happened before the start of a goroutine. Without
// it, an engine may look for races with these events, and finds none.
type Spawning interface {
	// Spawned returns the latest events that happened before goroutine g was started, if g has
	// not moved yet. They happen before the first event of g, whatever that is.
	Spawned(g ID) []int32
}

// An Interrupter is a [Program] that lets another goroutine end the live execution. Without it, a
// search that has to stop waits for the end of the execution.
type Interrupter interface {
	// Interrupt(true) ends the live execution before its next operation, with
	// [ErrInterrupted]. Interrupt(false) lets executions go on again.
	Interrupt(on bool)
}

// An Interruptible is a [Run] that knows whether it was interrupted. What a visitor sees of an
// interrupted execution is not its outcome.
type Interruptible interface {
	// Interrupted reports whether the execution was ended by [Interrupter].
	Interrupted() bool
}

// A Halter is a [Run] that knows whether it has to be interrupted. An engine that computes for
// long between two steps asks for that now and then.
type Halter interface {
	// Halted reports whether Interrupt(true) was called, and Interrupt(false) not since.
	Halted() bool
}

// A Watched is a [Program] of which a watchdog can see that it goes on. Without it, the watchdog
// counts executions.
type Watched interface {
	// Progress returns a number that has grown since the call before if something has happened
	// since. Another goroutine may call it.
	Progress() int64
}

// A Repeatable is a [Program] that can run its latest execution again. It is how a search finds
// out early that a program does not keep [LawRepeat].
type Repeatable interface {
	// Again runs the execution that is over once more. It returns an error if that differs.
	Again() error
}

// A Named is a [Program] that gives goroutines names which last beyond a search. Without it,
// their numbers stand for them.
type Named interface {
	// Path returns the name of a goroutine of the live execution: its place among the children
	// of its parent, after the name of the parent. The name of the first goroutine is empty.
	Path(ID) []int32
	// Lookup returns the goroutine with that name.
	Lookup(path []int32) ID
}
