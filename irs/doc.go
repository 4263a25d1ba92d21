// Package irs executes only verified schedules of a program: iteratively relaxed scheduling
// (Metzler, Saissi, Bokor and Suri, "Safe Execution of Concurrent Programs by Enforcement of
// Scheduling Constraints", 2018). It makes a program usable that is too large to be verified,
// or has an unknown or unmended bug.
//
// [Verify] finds a correct execution and explores, depth first, what else may happen. When
// everything that can follow some beginning of that execution was explored, and nothing fails,
// that beginning is an admissible [Prefix]: every execution with that prefix of its trace is
// correct. Prefixes get shorter as the search goes on; if the whole program is safe, the last
// one is empty. [Run] executes the program on real goroutines, in parallel. Its constraints
// force the prefix and nothing else: an event waits for those events of the prefix that have to
// come before it. [Begin] does both at once.
//
// # What is guaranteed
//
// An execution by [Run], under a prefix that [Verify] has returned for the same program, does
// what a verified execution does, or one of the same trace. It does not fail, and it does not
// deadlock, neither by itself nor because of the constraints. At least one execution is
// possible. [Filter] is the environment as a program for engines. The tests of this package use
// it to enumerate all admitted executions, at every step of relaxation, and find exactly the
// verified traces.
//
// # What is assumed
//
//   - The program is the one that was verified, with the same input. An operation of a kind
//     that was not met there, or one of the configuration on another object, stops the
//     execution with an [UnknownEventError] before it is performed. But another input may also
//     lead to the same operations with other values, or on other objects beyond the
//     configuration, and that is not noticed. So a closure must depend on nothing outside of it
//     but constants.
//   - It uses the primitives of package sched: Mutex, RWMutex, Cond, Once, WaitGroup, Chan
//     without Select, atomics, Var and Handle.Join. Operations with results that the order of
//     events does not settle are refused by name: Select, Choose, timers, contexts, Gosched in
//     a loop, and Pool and Map. Code that was rewritten by package instrument makes the same
//     requests, but its memory cannot be ordered. With sched.RaceExplore, where accesses of
//     memory at an address are events, it is refused, since the end of such an access is not
//     known.
//   - In the default mode, sched.RaceFail, accesses of a Var are not events. An execution with
//     a data race fails, so under an admissible prefix none has one. With sched.RaceExplore
//     every access is an event that is performed atomically and can be ordered. So a program
//     with data races on Vars has correct executions, too. Run counts events by the mode that
//     was verified. Other memory is not ordered by constraints: where the program does not
//     order it by its own locks and channels, there is a data race.
//   - The code of a goroutine between operations ends, and loops end by themselves: the paper
//     requires programs without cycles. A polling loop may look more often than in any verified
//     execution, and is stopped then.
//
// # Cost
//
// Verify takes the time of optimal DPOR for what it explores, and memory for one execution and
// its constraints. The prefix is relaxed event by event. So a bug that shows early in the first
// execution leaves most of it constrained, and one that shows late leaves little.
//
// An event of an execution takes about 80 ns, most of it for the lock of its object. It reads
// nothing shared unless it has to wait for an event of another goroutine. Then it spins for
// about 100 ns, yields for 200 µs, and is parked. An execution takes 2 µs, and a goroutine 1 µs
// more. The command porbench irs measures all that, beside the figures of the paper.
//
// # Where this departs from the paper
//
// Algorithm 1 is unsound as printed: an event beyond the prefix may come at any time, even
// before an event of the prefix that it depends on. Three events show it:
//
//	a := 1 (e1)        assert a == 1 (e2)
//	a := 2 (f)
//
// After e1 and e2 everything that follows is safe. But if no more than their order is enforced,
// f may come between them. Here f waits for e2, since it was seen in a race with it. By
// definition 3, read literally, e2 would be blocked forever after e1 and f, against theorem 2.
// The authors mended it in 2020 (doi 10.1007/s10009-020-00575-y).
//
// Symbolic traces, which hold for all inputs, are not built: a prefix belongs to one input.
package irs
