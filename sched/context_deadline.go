package sched

import (
	"context"
	"github.com/gopor/gopor/internal/machine"
	"time"
)

// timerCtx is a context with a deadline. Its timer cancels it in the event in
// which it fires, with no goroutine in between.
type timerCtx struct {
	cancelCtx
	timer    machine.Key[machine.TimerState]
	deadline time.Time
	g        *machine.Goroutine // that has made it
}

func (c *timerCtx) Deadline() (deadline time.Time, ok bool) { return c.deadline, true }

func (c *timerCtx) String() string {
	left := c.deadline.Sub(c.g.Date())
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
	g := machine.Enter("WithDeadline")
	return withDeadline(g, parent, d, cause, g.Moment())
}

// WithTimeout is WithDeadline with the deadline timeout from now.
func WithTimeout(parent Context, timeout time.Duration) (Context, CancelFunc) {
	return WithTimeoutCause(parent, timeout, nil)
}

// WithTimeoutCause is WithTimeout with a cause for when the time is over.
func WithTimeoutCause(parent Context, timeout time.Duration, cause error) (Context, CancelFunc) {
	g := machine.Enter("WithTimeout")
	now := g.Moment()
	return withDeadline(g, parent, now.Add(timeout), cause, now)
}

func withDeadline(g *machine.Goroutine, parent Context, d time.Time, cause error, now time.Time) (Context, CancelFunc) {
	if parent == nil {
		panic("cannot create context from nil parent")
	}
	if cur, ok := parent.Deadline(); ok && cur.Before(d) {
		return WithCancel(parent)
	}
	c := &timerCtx{deadline: d, g: g}
	c.init(g, parent, nil)
	cancel := func() { c.cancelAndLeave(context.Canceled, nil, false) }
	s := machine.Own(g.M, &c.k)
	left := g.TimeLeft(s, d, now)
	switch {
	case left <= 0:
		c.cancelAndLeave(context.DeadlineExceeded, cause, false)
	case s.Err != nil:
	case c.stop != nil:
		// The parent has to hear of it, from a goroutine.
		t := AfterFunc(left, func() { c.cancelAndLeave(context.DeadlineExceeded, cause, false) })
		cancel = func() {
			c.cancelAndLeave(context.Canceled, nil, false)
			t.Stop()
		}
	default:
		t := machine.Create(g, &c.timer)
		s.Cause, s.Timer, t.Ctx = cause, t, s
		t.StartAtOnce(g, left)
	}
	return c, cancel
}
