// Package exec executes Go functions under the controlled scheduler. [New] makes a
// [trace.Program] of a function that uses the primitives of package sched, or that was
// rewritten by package instrument. Engines explore the program; package por uses this package
// to do so. It is also for searches of one's own. Its API may change in minor versions.
//
// A [Closure] is both the program and its current run. [Options] sets how the function is run:
// what is a data race, how virtual time passes, which steps are recorded. What an engine needs
// is in package trace. The other methods are in these groups:
//
//   - Report: [Closure.Record] returns the steps of the latest execution as [Entry] values.
//     [Closure.Name], [Closure.Path] and [Closure.Lookup] name goroutines, and [Closure.Delay]
//     measures how late code was.
//   - Judge: [Closure.Assumptions] returns what the executions so far take for granted, and
//     [Closure.Note] adds to it. [Closure.Timed], [Closure.Loops], [Closure.Crossed],
//     [Closure.Keyed], [Closure.AskedToLimit], [Closure.Beside] and [Closure.Wakers] tell what
//     they have met, and so do [Closure.Alike] and [Closure.ToldApart]. [Closure.Remains] tells
//     what the latest execution has left behind.
//   - Watch, from another goroutine: [Closure.Progress], [Closure.Waited], [Closure.Interrupt]
//     and [Closure.Abandon].
//   - Configure, between executions: [Closure.Focus], [Closure.SetLag], [Closure.HoldLag],
//     [Closure.SetPatience], [Closure.Prepare] and [Closure.Shutdown].
package exec
