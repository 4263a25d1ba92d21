// Package context is what rewritten code gets when it imports package context.
// Under control contexts are those of package sched, in a shape that all code
// can use: a [Context] with a native Done channel, which package sched's stands
// for under control, and which is closed when the context is cancelled, for code
// outside that waits for it.
//
// A context made outside of control that is a parent under control is taken as
// it is at the time; code outside that cancels it later is not noticed.
package context
