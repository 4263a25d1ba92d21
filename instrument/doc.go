// Package instrument brings ordinary Go code under the control of package
// sched: it builds a test binary in which go statements, channels, select,
// locks, atomics, time, contexts and plain memory ask the scheduler first, while
// the source, and the types that it uses, stay as they are.
//
// # How it is built
//
// The go command builds the binary as it always does, with the user's own
// flags, and calls this package in place of the compiler and the linker
// (-toolexec). So modules, workspaces, vendor folders, build tags, embedded
// files, coverage and the build cache need no care of ours: whatever files the
// go command would compile, are rewritten just before the compiler sees them.
// Packages that are to be rewritten are marked by an argument of their compile
// command (-gcflags), which holds a hash of all that the result depends on. The
// standard library and this module's own packages are not marked; they are
// compiled and cached as for any other build.
//
// Three things are done to a marked package:
//
//   - Its syntax is rewritten ([Rewrite]): go statements, channel operations,
//     select, and range over channels and maps call package sched/native. The rewritten
//     text keeps the lines of the original, so positions in reports, panics and stacks
//     are the user's.
//   - Its imports of some standard packages are mapped to twins of theirs, the
//     packages below sched/std: import "sync" means sched/std/sync to it. A twin
//     has the whole API of its original. What no other package of the standard
//     library has to share is a type of its own (sync.Mutex, atomic.Int64,
//     time.Timer); everything else is an alias (time.Duration,
//     context.Context). Under control a twin does what sched does, and
//     otherwise what its original does.
//   - The compiler announces its plain accesses of memory, as it does for Go's race
//     detector.
//
// A package that does not compile so, by a mistake of this package's, is
// compiled with less done to it, or nothing: with a warning, and its functions note in
// executions that they are not under control (fallback.go).
//
// # Memory
//
// A marked package is compiled with the compiler's flag -race, although the go command
// knows nothing of that: the runtime is the usual one, without the race detector's
// library, and the functions that the compiler calls where memory is accessed are those
// of package native, which has them by go:linkname. So loads and stores are announced
// exactly where and when they happen, those in the methods that the compiler makes for
// embedded fields among them, and reports have their lines. What the runtime announces
// itself when it is compiled for the race detector is rewritten: maps, what append, copy
// and clear move, and conversions of slices to strings (memory.go).
//
// Packages of the standard library that keep no goroutines are compiled in the same way,
// each with the calls for maps, append and copy, and no other rewriting. Their locks,
// pools and atomics order accesses, by packages that they have in place of sync and
// sync/atomic, but are no operations of the program's: who comes first there is not
// explored. The list of them is in package build. The locks inside the others are none of
// the program's business, and would only make more interleavings; those that make others
// wait have twins.
//
// This module's own packages are compiled so that no function of theirs announces
// anything, wherever it is inlined or instantiated: the tool gives all of them the
// directive go:norace. Calls of the standard library that they make while they serve a goroutine
// are left out, and so are accesses of the goroutine's own stack.
//
// Where nobody is controlled, an announcement is a call and a test of one variable: code
// outside of executions is about as slow as under -race, up to six times slower than else
// if it does nothing but access memory. Entries of maps are read in the order of the source,
// as under -race, where the language leaves open when operands are read.
//
// A test binary under control is never built with -race: go test -race has the tests
// that are not explored run with Go's race detector, and those that are, without it, by
// the detector described here.
//
// What the result of a search rests on, and what lasts longer than an execution, is made
// known: package-level variables are registered (variables.go), to be put back after every
// execution; functions whose results differ from run to run, or that have other code run, are
// noted where they are used (sources.go); so is the order of a map, where it may matter
// (maprange.go).
//
// Channels stay native. In a controlled execution the values of a native
// channel pass through its shadow, a sched.Chan that is found by the channel's
// address.
package instrument
