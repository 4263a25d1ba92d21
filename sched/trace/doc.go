// Package trace is the interface between programs and the engines that explore them.
//
// A [Program] can be started again and again; a [Run] of it is driven by choices of
// who moves next, and tells of every goroutine which operation it is about to perform
// ([Op]). An [Engine] makes the choices, and never sees more of a program than that.
// Which operations depend on each other is data ([Dependence]), and a [Tracker] computes
// happens-before from it. The package imports nothing else of the module: whoever writes
// an engine, or a transition system to explore, needs this one only. The examples of
// [Engine] and [Program] are one of each, whole.
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
// Every operation touches objects in some [Access] mode, and [Dependence] says
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
// From the first select, or len, that touches a channel on, all uses of that
// channel depend on each other.
//
// # Writing an engine
//
// An engine starts the program, asks the [Run] what is pending, and performs one
// operation after the other with [Run.Step], until nothing is pending. Then it shows the
// execution to the visitor. To go back to an earlier state it closes the run, starts the
// program anew and replays the schedule that led there; there is no other way to undo a
// step. What it sees is the same every time: after the same choices the same operations
// are pending, with the same goroutines, objects and accesses.
//
// Operations and events may be copied, and all of a copy but [Event.Order] stays valid. A
// sleep set, for instance, is a slice of copied events: as long as one sleeps, nothing
// has been performed that it depends on, so its accesses are what they were.
//
// A loop that polls has executions without end. Package por ends each at its limit of
// steps, by having nothing pending there; an engine that wants others to move before
// that has to see to it itself.
//
// # Writing a transition system
//
// A transition system that is no Go closure has processes in the place of goroutines,
// numbered from 0, and its variables are the objects. Those that are there in every
// execution have even numbers, 0, 2, 4 and so on (see [Access] for what odd ones are).
// An operation needs a G, a Kind, an Alts of 1 or more, an Obj and its accesses (see
// [Op.Touch] and [Op.SetAccesses]). It may promise more by its [Footprint] and by
// [Op.WaitsOnUses], which saves engines work. What is wrong with an execution is for
// [Run.Outcome] to say, a deadlock as well.
//
// It has to keep to the laws listed at [Program], and is checked for that by
// [CheckLaws].
package trace
