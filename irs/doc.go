// Package irs executes only those schedules of a program that were verified: iteratively
// relaxed scheduling (Metzler, Saissi, Bokor and Suri, "Safe Execution of Concurrent
// Programs by Enforcement of Scheduling Constraints", 2018). A program that is too large to
// be verified, or has a bug that nobody has found yet or mended, can be used in the meantime.
//
// [Verify] finds a correct execution and explores, depth first, what else may happen. Each
// time that all that can follow some beginning of that execution was explored, and nothing
// fails, that beginning is an admissible [Prefix]: whatever has it as a prefix of its trace
// is correct. Prefixes get shorter as the search goes on; if the whole program is safe, the
// last one is empty. [Run] executes the program on real goroutines, in parallel, with
// constraints that force the prefix and nothing else: an event waits for those events of
// the prefix that have to come before it. [Begin] does both at once.
//
// # What is guaranteed
//
// An execution by [Run] under a prefix that [Verify] has returned for the same program does
// what an execution does that the verifier has explored, or one of the same trace: it does
// not fail, it does not deadlock, neither by itself nor because of the constraints, and at
// least one execution is possible. [Filter] is the environment as a program on the seam that
// engines drive: this package's tests enumerate by it all that is admitted, at every step of
// relaxation, and find exactly the traces that were verified.
//
// # What is taken for granted
//
//   - The program is the one that was verified, and its input is the same. An operation
//     of a kind that was not met there, or one of the configuration on another object,
//     stops the execution, with an [UnknownEventError], before it is performed. But another
//     input may also lead to the same operations with other values, or on other objects
//     beyond the configuration, and that is not noticed. So a closure must not depend on
//     anything but constants that are outside of it.
//   - It uses the primitives of package sched: Mutex, RWMutex, Cond, Once, WaitGroup, Chan
//     without Select, atomics, Var and Handle.Join. What the order of events does not
//     settle is refused by name: Select, Choose, timers, contexts, Gosched in a loop, and
//     Pool and Map. Code that was rewritten by package instrument makes the same requests,
//     but its memory cannot be ordered: with sched.RaceExplore, where accesses of memory at
//     an address are events, it is refused, since nobody says when an access is over.
//   - In the default mode, sched.RaceFail, accesses of a Var are no events. An execution with
//     a data race fails, so under an admissible prefix none has one. With sched.RaceExplore
//     every access is an event that is performed atomically and can be ordered, so that
//     a program with data races on Vars has correct executions, too. Run counts events by
//     the mode that was verified. Other memory of the program is its own business: where the
//     program, with its own locks and channels, does not order it, there is a data race.
//   - What a goroutine does between operations ends, and loops end by themselves: the paper
//     asks for programs without cycles. One that polls may look more often than it ever
//     did when it was verified, and is stopped then.
//
// # Cost
//
// Verify takes the time of optimal DPOR for what it explores, and memory for one execution
// and its constraints; the prefix is relaxed event by event, so a bug that shows early in
// the first execution leaves most of it constrained, and one that shows late leaves little.
//
// An event of an execution takes about 80 ns, of which most is the lock of its object. It
// looks at nothing that the environment shares unless it has to wait for an event of
// another goroutine; then it looks for about 100 ns whether that was performed, lets others
// go first for 200 µs, and is parked. An execution takes 2 µs, and a goroutine 1 µs more.
// The command porbench irs measures all that, beside the figures of the paper.
//
// # Where this departs from the paper
//
// Algorithm 1 is unsound as printed: what lies beyond the prefix may come at any time there,
// even before an event of the prefix that it depends on. Three events show it:
//
//	a := 1 (e1)        assert a == 1 (e2)
//	a := 2 (f)
//
// After e1 and e2 whatever follows is safe. But if no more than their order is enforced, then
// f may come between them. Here f waits for e2, as it was seen in a race with it. By
// definition 3, read literally, e2 would be blocked for ever after e1 and f, against
// theorem 2. The authors mended it in 2020 (doi 10.1007/s10009-020-00575-y).
//
// Symbolic traces, which hold for all inputs, are not built: a prefix is one of one input.
package irs
