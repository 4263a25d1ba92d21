// Package trace is the interface between programs and the engines that explore them.
//
// A [Program] can be started again and again. Choices of the next goroutine drive a [Run] of
// it, and the Run tells for every goroutine which operation ([Op]) it is about to perform. An
// [Engine] makes the choices, and sees no more of a program than that. Which operations depend
// on each other is data ([Dependence]), and a [Tracker] computes happens-before from it. The
// package imports nothing else of the module but package vector: it is all that is needed to
// write an engine, or a transition system to explore. The examples of [Engine] and [Program]
// are complete ones.
//
// # Operations are requests
//
// A goroutine publishes its next operation ([Op]) before it performs it. The operation is a
// request, and a request of an enabled goroutine can always be made. If it cannot be granted at
// once, its goroutine waits, and the event of another goroutine grants it later. So every event
// belongs to one goroutine, no event disables another goroutine's, and a deadlock is a state in
// which all goroutines wait, with all requests on record.
//
// Requests are granted in the order in which they were made. That loses no behaviour: any order
// of acquisitions of a lock is reached by making the requests in that order, and no goroutine
// notices that a request was made early. It makes traces few: two Lock requests depend on each
// other, an Unlock depends on nothing; the k-th send on a channel meets the k-th receive, in
// whatever order they come.
//
// # Dependence
//
// Every operation accesses objects in some [Access] mode, and [Dependence] says which modes
// depend on each other. A trace is an execution without the order of independent neighbours.
// Happens-before, as engines see it, consists of
//
//   - the order of each goroutine's events,
//   - the order of dependent events, and
//   - grants: the event after a request comes after the event that granted it, and the first
//     event of a goroutine comes after the go statement that started it. These are the events
//     in [Event.Order].
//
// It is exact: all executions of one trace end in the same state, and their number is the
// number of linear extensions of the partial order. The module's tests hold every primitive to
// that equation.
//
// From the first select, or len, of a channel on, all uses of that channel depend on each
// other.
//
// # Writing an engine
//
// An engine starts the program, asks the [Run] what is pending, and performs one operation
// after the other with [Run.Step], until nothing is pending. Then it shows the execution to the
// visitor. To go back to an earlier state it closes the run, starts the program anew and
// replays the schedule that led there; there is no other way to undo a step. A replay shows the
// same every time: after the same choices the same operations are pending, with the same
// goroutines, objects and accesses.
//
// Operations and events may be copied, and all of a copy but [Event.Order] stays valid. A sleep
// set, for instance, is a slice of copied events. While one sleeps, no event was performed that
// it depends on, so its accesses are still right.
//
// A polling loop has executions without end. Package por ends each at its limit of steps, by
// having nothing pending there. An engine that wants other goroutines to move before that has
// to choose them itself.
//
// # Writing a transition system
//
// A transition system that is not a Go closure has processes in the place of goroutines,
// numbered from 0, and its variables are the objects. Objects that exist in every execution
// have even numbers, 0, 2, 4 and so on (see [Access] for odd ones). An operation needs a G, a
// Kind, an Alts of 1 or more, an Obj and its accesses (see [Op.Touch] and [Op.SetAccesses]). It
// may promise more by its [Footprint], by [Op.WaitsOnUses] and by [Op.Quiet], which saves engines
// work.
// [Run.Outcome] reports failures of an execution, including deadlocks.
//
// It has to keep to the laws listed at [Program]. [CheckLaws] checks them.
package trace
