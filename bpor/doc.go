// Package bpor has engines of bounded exploration, for programs that are too large to exhaust.
// Most bugs show in executions with few preemptions. The engines run those, and say what they
// have covered.
//
// The engines are those of "Bounding Techniques for Dynamic Partial Order Reduction" (cited as
// 002), and two more. Each takes a [Bound], of [Preemptions] or of [Delays], and works on any
// trace.Program.
//
// # Which engine
//
// [Iterative] is for finding bugs: it uses bounds of 0, 1, 2, ... in turn, and visits no trace
// twice. [Optimal] and [Lazy], with [Enough] slack, are for one bound. The others are for
// comparison.
//
//	engine      visits all within the bound   a trace twice   gives up as redundant
//	Naive       no                            no              some
//	Classic     yes                           often           none
//	Nidhugg     if Complete                   often           if not Complete
//	Source      if Complete                   often           if not Complete
//	Lazy        with Enough slack             no              some
//	Optimal     with Enough slack             no              none
//	Iterative   yes                           no              some
//
// "All within the bound" means every trace that has an execution within the bound. A trace is a
// class of executions that differ only in the order of independent events. The word no stands
// for a counterexample, below. The word yes stands for a comparison with brute force on a
// hundred thousand random programs, with bounds from 0 to 3 of both kinds, which has found
// none.
//
// # What they miss
//
// With 0 preemptions Naive misses the trace in which g1 comes first of
//
//	main: use y; use x        g1: use x
//
// where x is shared, y is main's own, and every use writes. Main comes first. To reverse the
// race on x before main's second event would be a preemption, which the bound forbids. And no
// race adds g1 in the initial state, where it is free.
//
// Nidhugg and Source, as printed, add that conservatively. With 1 preemption they miss a trace
// of
//
//	main: lock m; lock m        g1: lock m; unlock m; unlock m
//
// in which main has to come while g1 holds the mutex, so that main waits and is left for free:
// the lock and the unlock are independent, and no race adds main there. With 1 delay they miss
// a trace of
//
//	main: runlock w        g1: use y        g2: unlock w
//
// Lazy without slack misses a trace with 0 preemptions of
//
//	main: lock m; receive from c      g1: unlock m; receive from c      g2: receive from c
//
// and Optimal one of
//
//	main: close c; select { receive from c }      g1: close c      g2: receive from c
//
// since the trace that would show the race is itself over the bound. No such program was found
// for Lazy with a bound on delays. All of these are tests.
//
// # What was added
//
// In this model a request for a lock, or a send that has to wait, is an event, after which its
// goroutine waits. In the slides a goroutine waits before its event. That difference matters in
// two ways. The cheapest linearisation of a trace may have to leave a goroutine before it
// releases others, since these can be left for free while they wait (see [Minimum]). And an
// engine that looks for cheap executions has to consider pairs of independent events that may
// make each other wait: see [Classic].
//
// # Loops that poll
//
// Within a bound on preemptions a polling loop may starve the goroutines that it waits for.
// Such an execution ends at the step limit; package por counts it as pruned. [Lazy] and
// [Iterative], which run any schedule of a trace, switch to other goroutines after a while:
// after 256 steps if the bound allows it, and else after 4,096.
package bpor
