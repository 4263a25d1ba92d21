// Package sched runs Go code under a controlled scheduler: it replaces
// goroutines, locks, channels, atomics and time by primitives of its own. Each
// operation on one is a scheduling point, at which an engine decides which
// goroutine moves next.
//
// Programs use the primitives, which have the API of their counterparts in the
// standard library: [Go], [Mutex], [WaitGroup], [Chan], [Select], [Int64], [Sleep] and
// so on. A [Closure] makes a [trace.Program] of a function that uses them, for engines
// to explore; what these see of it, and what depends on what, is said in package trace.
// Package por brings the two together.
//
// # Data races
//
// Whether two plain accesses race is a matter of the Go memory model, in which
// fewer things are ordered: two Lock requests are not, an Unlock and the Lock
// that it grants are. Accesses of a [Var] are checked against that relation,
// unless [Options.Races] says otherwise.
//
// # Time
//
// Time is virtual. In [TimeDiscrete] it stands still while any goroutine can
// run, and then jumps to the earliest deadline; all that is due then may happen
// in any order. A goroutine that asks for the time a thousand times while it
// stands still waits by asking: from then on every question takes 10µs. In
// [TimeAnyOrder] a timer may fire at any moment after it was started.
//
// # Loops that wait
//
// A loop that polls without waiting has executions without end. One that calls
// [Gosched] is treated fairly: every turn of it waits for the others, and there
// are as many executions as if it waited. One that does not can be explored, but
// never to the end, since it may turn any number of times; the engines see to it
// that the others go on after a while. An execution that reaches
// [Options.MaxSteps] nevertheless is reported as a livelock, or, when a goroutine
// was kept from going on for the later half of it, as a [trace.FailStarved], which
// says something about the schedule and nothing about the program. With
// [ModelUnfair] nothing is fair, so every loop that waits comes to that limit.
//
// # Models
//
// A primitive does what the one of the standard library does, step by step where
// the steps can be seen: a tree of contexts is cancelled one after the other, parents
// first and the children of one in any order, and Range of a [Map] looks up each
// key when it is its turn. Where that would be expensive, or more than programs count on,
// the usual model of a primitive leaves something out, and [Model] has the finer one:
// Gosched that promises nothing, a [Pool] that loses things, TryLock of an
// [RWMutex] that fails spuriously, Range in any order, a [WaitGroup] that is used again too
// early. An execution that meets a usual model where the finer one could have
// done something else notes [AssumeModel]; one that depends on [TimeDiscrete] notes
// [AssumeClock].
//
// In one thing the model does more than Go: of two contexts that are derived from the
// same one, package context finishes the tree below the first before it cancels the
// second, and here both trees can be half done.
//
// # What is not controlled
//
// Goroutines started with a go statement, real channels and locks, and system
// calls are not seen. A primitive used by such a goroutine panics. What
// different goroutines do to plain memory is checked if it is a Var, or if the
// code was rewritten to announce it ([hook.ReadMemory], [hook.WriteMemory]).
//
// Primitives start every execution in their initial state, even those that live
// longer than the closure. So do package-level variables of code that was rewritten
// ([hook.KeepVariable]).
package sched
