package context

import "github.com/gopor/gopor/sched"

// This file is for code that uses both package sched and this one.

// Of returns inner as native code sees it. The running execution has derived inner, a context
// of package sched, from the background, and cancel cancels it.
func Of(inner sched.Context, cancel sched.CancelFunc) (Context, CancelFunc) {
	c := new(cancelCtx)
	return c, c.derived(Background(), inner, cancel)
}

// Inner returns the context of package sched for which c stands, without the values of c. The
// context of a c made outside of control is never cancelled, unless c has been cancelled before
// the first wait for it.
func Inner(c Context) sched.Context { return viewOf(c) }
