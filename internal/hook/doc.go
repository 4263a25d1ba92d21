// Package hook has the functions that stand for the language and the standard library under
// control. Packages sched/native and those below sched/std call them, for rewritten code, and
// so does package por. Programs do not use this package; their primitives are in package sched.
package hook
