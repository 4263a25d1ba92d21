// Package instrument brings ordinary Go code under the control of package sched. It builds a
// test binary in which go statements, channels, select, locks, atomics, time, contexts and
// plain memory ask the scheduler first. The source, and the types that it uses, stay as they
// are.
//
// # How it is built
//
// The go command builds the binary as usual, with the user's own flags, and calls this package
// in place of the compiler and the linker (-toolexec). So modules, workspaces, vendor folders,
// build tags, embedded files, coverage and the build cache need no care here: the files that
// the go command would compile are rewritten just before the compiler reads them. Packages to
// be rewritten are marked by an argument of their compile command (-gcflags), which has a hash
// of everything that the result depends on. The standard library and this module's own packages
// are not marked; they are compiled and cached as for any other build.
//
// A marked package changes in three ways:
//
//   - Its syntax is rewritten ([Rewrite]): go statements, channel operations, select, and range
//     over channels and maps call package sched/native. The rewritten text keeps the lines of
//     the original, so positions in reports, panics and stacks are the user's.
//   - Its imports of some standard packages are mapped to their twins, the packages below
//     sched/std: import "sync" means sched/std/sync to it. A twin has the whole API of its
//     original. A type that other packages of the standard library do not share is a type of
//     its own (sync.Mutex, atomic.Int64, time.Timer); everything else is an alias
//     (time.Duration, context.Context). Under control a twin does what sched does, and
//     otherwise what its original does.
//   - The compiler announces its plain accesses of memory, as it does for Go's race detector.
//
// If a rewritten package does not compile, by a mistake of this package, it is compiled with
// less rewriting, or none. A warning says so, and in executions its functions note that they
// are not under control (fallback.go).
//
// # Memory
//
// A marked package is compiled with the compiler's flag -race, although the go command does not
// know that. The runtime is the usual one, without the race detector's library. The functions that
// the compiler calls for accesses of memory are those of package native, which has them by the
// directive go:linkname. So loads and stores are announced exactly where and when they happen,
// including those in the methods that the compiler makes for embedded fields, and reports have
// their lines. Accesses that the runtime itself announces in its race mode are announced by
// rewriting: those of maps, those of append, copy and clear, and conversions of slices to strings
// (memory.go).
//
// Packages of the standard library that keep no goroutines are compiled in the same way, with
// the calls for maps, append and copy, and no other rewriting. Their locks, pools and atomics
// order accesses, by packages that they have in place of sync and sync/atomic, but are not
// operations of the program: their order is not explored. Package build has the list of them.
// The locks inside the other packages do not concern the program, and would only make more
// interleavings. Packages that make callers wait have twins.
//
// This module's own packages are compiled so that their functions announce nothing, wherever
// they are inlined or instantiated: the tool makes all of them go:norace. Calls of the standard
// library that they make while they serve a goroutine are left out, and so are accesses of the
// goroutine's own stack.
//
// Without controlled goroutines, an announcement is a call and a test of one variable. Code
// outside of executions is about as slow as under -race: up to six times slower than usual if
// it does nothing but access memory. Entries of maps are read in the order of the source, as
// under -race; the language leaves open when operands are read.
//
// A test binary under control is never built with -race. With go test -race the tests that are
// not explored run with Go's race detector. Tests that are explored run without it, with the
// detector described here.
//
// The result of a search depends on some functions, and some state lasts longer than an
// execution. Both are reported. Package-level variables are registered (variables.go), and put
// back after every execution. Functions with results that differ from run to run, or that run
// other code, are noted where they are used (sources.go). The order of a map is noted where it
// may matter (maprange.go).
//
// Channels stay native. In a controlled execution the values of a native channel pass through
// its shadow, a sched.Chan that is found by the channel's address.
package instrument
