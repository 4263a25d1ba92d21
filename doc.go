// Package gopor is systematic concurrency testing for Go: a controlled scheduler
// (package sched), engines that decide which schedules are worth running
// (packages por/engine, bpor and unfold), and [por.Check], which runs a test closure
// under every relevant interleaving inside an ordinary `go test`.
//
// This package holds documentation only. Start with package por to test a
// program, with package sched to learn what a program may do, and with package
// sched/trace to write an engine or a transition system of your own.
//
// [por.Check]: https://pkg.go.dev/github.com/gopor/gopor/por#Check
package gopor
