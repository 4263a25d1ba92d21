// Package sched has primitives that run under a controlled scheduler, in place of goroutines,
// locks, channels, atomics and time. Each operation on one is a scheduling point, at which an
// engine decides which goroutine moves next.
//
// Programs use the primitives, which have the API of their counterparts in the
// standard library: [Go], [Mutex], [WaitGroup], [Chan], [Select], [Int64], [Sleep] and
// so on. Package por explores functions that use them. Its options take the modes of this
// package: por.Races says what is a data race ([RaceMode]), por.Time how virtual time passes
// ([TimeMode]), and por.Model how much of what the language allows primitives do ([Model]).
//
// Package sched/exec makes a [trace.Program] of such a function, for engines and for searches
// of one's own. Package trace says what an engine sees of it, and what depends on what.
//
// # Loops that wait
//
// A loop that polls without waiting has executions without end. One that calls
// [Gosched] is treated fairly: every turn of it waits for the others, and there
// are as many executions as if it waited. One that does not can be explored, but
// never to the end, since it may turn any number of times; the engines see to it
// that the others go on after a while. An execution that reaches the limit of steps
// (por.MaxSteps) nevertheless is reported as a livelock, as too long
// ([trace.FailLong]) if something new still happens in its later half, or, when a
// goroutine was kept from going on for that half, as a [trace.FailStarved], which
// says something about the schedule and nothing about the program. With
// [ModelUnfair] nothing is fair, so every loop that waits comes to that limit.
//
// A goroutine that does nothing but look, again and again, and finds nothing new (500 times),
// waits from then on until the clock moves on, which it does when all goroutines that could run
// only poll and, if others have done something, have looked once more. So a loop ends that waits
// for a goroutine that sleeps, or for a time that it asks for.
//
// # Which way of passing time
//
// [TimeDiscrete] has the fewest traces, and is right for programs in which timers are timeouts:
// it explores what happens when everything comes in time. It hides what happens when code is
// slow: a Sleep always suffices. [TimeLag] shows that, for timers that are no longer than the lag
// (por.Lag) or are close to each other. It knows no
// execution in which a long timeout comes before short work. [TimeAnyOrder] has all
// executions, also those in which an hour passes in no time; it shows that a program
// does not depend on time at all.
//
// # What is not controlled
//
// Goroutines started with a go statement, real channels and locks, and system
// calls are not seen. A primitive used by such a goroutine panics. What different
// goroutines do to plain memory is checked if it is a [Var], or if the code was rewritten.
// In code that was not, what a goroutine does before its first operation may come, where a
// schedule is followed, when it has its first turn, and not when it is started: as with real
// goroutines, only operations order what it does and what others do.
//
// Primitives start every execution in their initial state, even those that live
// longer than the closure. So do package-level variables of code that was rewritten.
package sched
