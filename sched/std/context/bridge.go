package context

import (
	"time"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/sched"
)

// This file is for those who use both package sched and this one, and for the standard library.

func init() {
	live.Expires = func(ctx any, sec, nsec int64) (any, func()) { return WithDeadline(ctx.(Context), time.Unix(sec, nsec)) }
}

// Of returns inner, a context of package sched that the running execution has
// derived from the background and that cancel cancels, as native code sees it.
func Of(inner sched.Context, cancel sched.CancelFunc) (Context, CancelFunc) {
	c := new(cancelCtx)
	return c, c.derived(Background(), inner, cancel)
}

// Inner returns the context of package sched that c stands for, without the
// values of c. That of a context made outside of control is never cancelled,
// unless c has been cancelled when it is first waited for.
func Inner(c Context) sched.Context { return viewOf(c) }
