// Package witness holds the model of Go in package sched against Go itself. Its
// programs are data, and their steps are ordinary Go code: go statements, channels
// and select, package sync, atomics, contexts, timers. The same program is run in two
// processes:
//
//   - in a test binary under control, where complete engines find every outcome that
//     it can have, and
//   - in the test binary as go test has built it, which has nothing of this module
//     in its channels and locks, many times over, disturbed by yields, loops, short
//     sleeps, garbage collections and another number of processors.
//
// Every outcome of the second kind has to be one of the first. An outcome is what each
// thread has observed step by step, its panics among that, and which threads wait at
// the end, or the fatal error that has ended the process.
//
// A rewritten binary runs natively as well, outside of executions. That the two
// halves are two builds makes the second one independent: no twin of a standard
// package takes part in it.
//
// # Text
//
// A line for each thread. The first is main, and starts the others before its first
// step. Steps are parted by semicolons; [Steps] lists them.
//
//	main: wg.Add(1); go: cancel a; wg.Wait()
//	go: <-c; wg.Done()
//
// What lines say that begin with # is for people.
package witness
