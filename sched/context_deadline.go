package sched

import (
	"context"
	"time"
)

// timerCtx is a context with a deadline. Its timer cancels it in the event in
// which it fires, with no goroutine in between.
type timerCtx struct {
	cancelCtx
	timer    key[timerState]
	deadline time.Time
	m        *Machine
}

func (c *timerCtx) Deadline() (deadline time.Time, ok bool) { return c.deadline, true }

func (c *timerCtx) String() string {
	left := c.deadline.Sub(c.m.date())
	return contextName(c.Context) + ".WithDeadline(" + c.deadline.String() + " [" + left.String() + "])"
}

// WithDeadline returns a context derived from parent that is cancelled at time
// d, when cancel is called or when parent is cancelled. If parent's deadline is
// earlier, that stays. It panics if parent is nil.
func WithDeadline(parent Context, d time.Time) (Context, CancelFunc) {
	return WithDeadlineCause(parent, d, nil)
}

// WithDeadlineCause is WithDeadline with a cause for when the deadline passes.
func WithDeadlineCause(parent Context, d time.Time, cause error) (Context, CancelFunc) {
	g := enter("WithDeadline")
	return withDeadline(g, parent, d, cause, g.now())
}

// WithTimeout is WithDeadline with the deadline timeout from now.
func WithTimeout(parent Context, timeout time.Duration) (Context, CancelFunc) {
	return WithTimeoutCause(parent, timeout, nil)
}

// WithTimeoutCause is WithTimeout with a cause for when the time is over.
func WithTimeoutCause(parent Context, timeout time.Duration, cause error) (Context, CancelFunc) {
	g := enter("WithTimeout")
	now := g.now()
	return withDeadline(g, parent, now.Add(timeout), cause, now)
}

func withDeadline(g *goroutine, parent Context, d time.Time, cause error, now time.Time) (Context, CancelFunc) {
	if parent == nil {
		panic("cannot create context from nil parent")
	}
	if cur, ok := parent.Deadline(); ok && cur.Before(d) {
		return WithCancel(parent)
	}
	c := &timerCtx{deadline: d, m: g.m}
	c.init(g, parent, nil)
	cancel := func() { c.cancelAndLeave(context.Canceled, nil, false) }
	left := d.Sub(now)
	switch {
	case left <= 0:
		c.cancelAndLeave(context.DeadlineExceeded, cause, false)
	case c.k.state.err != nil:
	case c.stop != nil:
		// The parent has to hear of it, from a goroutine.
		t := AfterFunc(left, func() { c.cancelAndLeave(context.DeadlineExceeded, cause, false) })
		cancel = func() {
			c.cancelAndLeave(context.Canceled, nil, false)
			t.Stop()
		}
	default:
		s, t := c.k.state, create(g, &c.timer)
		s.cause, s.timer, t.ctx = cause, t, s
		t.start(g, left)
	}
	return c, cancel
}
