// Package context takes the place of package context in rewritten code. Under control contexts
// are those of package sched, in a form that all code can use: a [Context] with a native Done
// channel. Under control, the Done channel of package sched stands for it. It is closed when
// the context is cancelled, for code outside that waits for it.
//
// A parent made outside of control counts under control with its state at that time. A later
// cancellation by code outside is not noticed.
package context
