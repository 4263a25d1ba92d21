// Package trace is the seam between programs and the engines that explore them.
//
// A [Program] can be started again and again; a [Run] of it is driven by choices of
// who moves next, and tells of every goroutine which operation it is about to perform
// ([Op]). An [Engine] makes the choices, and never sees more of a program than that.
// Which operations depend on each other is data ([Dependence]), and a [Tracker] computes
// happens-before from it. The package imports nothing else of the module: whoever writes
// an engine, or a transition system to explore, needs this one only.
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
// A transition system that is no Go closure has to keep to the laws listed at
// [Program], and is checked for that by [CheckLaws].
//
// From the first select, or len, that touches a channel on, all uses of that
// channel depend on each other.
package trace
