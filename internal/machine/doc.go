// Package machine holds executions as data: goroutines, objects, the clock.
//
// A goroutine makes a request ([Goroutine.Ask]); an [Executor] sees to it that it is
// performed when an engine says so. What it does, and what it depends on, is decided
// by the state of its [Object], in one place. Objects are in a store that belongs to
// the execution, and are used again by the next one; a primitive in the memory of the
// program is a [Key]. So several executions can be alive at a time, even of one closure.
//
// The package knows nothing of stacks, engines and reports. It serves the controlled
// execution of Go functions (package sched) and model programs that need no goroutines
// (see [Machine.Publish]).
package machine
