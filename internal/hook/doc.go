// Package hook is what code calls that stands for the language and the standard library
// under control: packages sched/native and those below sched/std, for rewritten code,
// and package por. Programs have no use for it; the primitives of theirs are in package
// sched.
package hook
