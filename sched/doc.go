// Package sched runs Go code under a controlled scheduler: it replaces
// goroutines, locks, channels, atomics and time by primitives of its own, each
// of which asks before it acts, so that somebody else decides who moves next.
//
// It has two faces. Programs use the primitives, which have the API of their
// counterparts in the standard library: [Go], [Mutex], [WaitGroup], [Chan],
// [Select], [Int64], [Sleep] and so on. Engines drive executions through
// [Program] and [Run], and never see more of a program than the operations that
// its goroutines are about to perform. Package por brings the two together.
//
// # Operations are requests
//
// A goroutine publishes its next operation ([Op]) before it performs it. The
// operation is a request, and a request of a ready goroutine can always be
// made. One that cannot be granted at once makes its goroutine wait, and the
// event of another goroutine grants it later. So every event belongs to one
// goroutine, no event disables another goroutine's, and a deadlock is a state
// in which everybody waits, with all requests on record.
//
// Requests are granted in the order in which they were made. That loses
// nothing: any order of acquisitions of a lock is reached by making the
// requests in that order, and a request that is made early is not noticed by
// anybody. It makes traces few: two Lock requests depend on each other, an
// Unlock depends on nothing; the k-th send on a channel meets the k-th receive,
// whoever comes first.
//
// # Dependence
//
// Every operation touches objects in some [Access] mode, and [Relation] says
// which modes depend on each other. A trace is what is left of an execution
// when the order of independent neighbours is forgotten. Happens-before, as
// engines see it, is made of
//
//   - the order of each goroutine's events,
//   - the order of dependent events, and
//   - grants: what follows a request comes after the event that granted it, and
//     what a goroutine does comes after the go statement that started it. These
//     are the events in [Event.Order].
//
// It is exact: all executions of one trace end in the same state, and there are
// as many of them as the partial order has linear extensions. The module's
// tests hold every primitive to that equation.
//
// A transition system that is no Go closure has to keep to the laws listed at
// [Program], and is checked for that by [CheckLaws].
//
// From the first select, or len, that touches a channel on, all uses of that
// channel depend on each other.
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
// was kept from going on for the later half of it, as a [FailStarved], which
// says something about the schedule and nothing about the program. With
// [ModelUnfair] nothing is fair, so every loop that waits comes to that limit.
//
// # Models
//
// A primitive does what the one of the standard library does, step by step where
// the steps can be seen: a tree of contexts is cancelled one after the other, parents
// first and the children of one in any order, and Range of a [Map] looks up each
// key when it is its turn. Where that would be dear, or more than programs count on,
// the usual model of a primitive leaves something out, and [Model] has the finer one:
// Gosched that promises nothing, a [Pool] that loses things, TryLock of an
// [RWMutex] that fails in vain, Range in any order, a [WaitGroup] that is used again too
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
// code was rewritten to announce it ([ReadMemory], [WriteMemory]).
//
// Primitives start every execution in their initial state, even those that live
// longer than the closure. So do package-level variables of code that was rewritten
// ([KeepVariable]).
package sched
