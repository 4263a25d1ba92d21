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
// Two things are done to a marked package:
//
//   - Its syntax is rewritten ([Rewrite]): go statements, channel operations,
//     select, range over channels and maps, and accesses of memory that may be
//     shared call package sched/native. The rewritten text keeps the lines of
//     the original, so positions in reports, panics and stacks are the user's.
//   - Its imports of some standard packages are mapped to twins of theirs, the
//     packages below sched/std: import "sync" means sched/std/sync to it. A twin
//     has the whole API of its original. What no other package of the standard
//     library has to share is a type of its own (sync.Mutex, atomic.Int64,
//     time.Timer); everything else is an alias (time.Duration,
//     context.Context). Under control a twin does what sched does, and
//     otherwise what its original does.
//
// A package whose rewritten text does not compile, by a mistake of this package's, is
// compiled with less rewritten, or nothing: with a warning, and its functions note in
// executions that they are not under control (fallback.go).
//
// The standard library itself stays as it is: the locks inside fmt or reflect
// are none of the program's business, and would only make more interleavings.
// The packages of it that make others wait have twins.
//
// Code that has hooks stands twice where it may, once as in the source, for
// goroutines that nobody controls: there a loop costs what it did. Small functions
// have a copy as in the source, gopor__F, Gopor__F or GoporM__T__F, which only such text
// calls, so that the compiler inlines them as ever; a panic outside of executions
// may show that name. What is left is a test of one variable in every other call:
// three instructions, and a few for the larger frame. That is below 5 %, but for
// methods of a nanosecond that are called by way of an interface: there it is a tenth.
//
// An operand that goroutines share is read when the compiler would read it, after
// the calls and receives beside it.
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
