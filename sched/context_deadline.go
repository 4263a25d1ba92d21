package sched

import (
	"context"
	"time"

	"github.com/gopor/gopor/internal/machine"
)

// timerCtx is a context with a deadline. Its timer cancels it in the event in
// which it fires, with no goroutine in between.
type timerCtx struct {
	cancelCtx
	timer    machine.Key[machine.TimerState]
	deadline time.Time
	g        *machine.Goroutine // that has made it
}

func (c *timerCtx) Deadline() (deadline time.Time, ok bool) {
	if co := machine.Callers.Find(); co != nil && !co.M.Closing && co.M.Keys != nil {
		machine.Own(co.M, &c.k).AsksDeadline(co.G)
	}
	return c.deadline, true
}

func (c *timerCtx) String() string {
	d, _ := c.Deadline()
	left := d.Sub(c.g.Date())
	return contextName(c.Context) + ".WithDeadline(" + d.String() + " [" + left.String() + "])"
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
	return withDeadline(g, parent, d, cause, g.Moment(false))
}

// WithTimeout is WithDeadline with the deadline timeout from now.
func WithTimeout(parent Context, timeout time.Duration) (Context, CancelFunc) {
	return WithTimeoutCause(parent, timeout, nil)
}

// WithTimeoutCause is WithTimeout with a cause for when the time is over.
func WithTimeoutCause(parent Context, timeout time.Duration, cause error) (Context, CancelFunc) {
	g := machine.Enter("WithTimeout")
	now := g.Moment(true)
	return withDeadline(g, parent, now.Add(timeout), cause, now)
}

func withDeadline(g *machine.Goroutine, parent Context, d time.Time, cause error, now time.Time) (Context, CancelFunc) {
	if parent == nil {
		panic("cannot create context from nil parent")
	}
	if earlier(g, parent, d, now) {
		return WithCancel(parent)
	}
	c := &timerCtx{deadline: d, g: g}
	c.init(g, parent, nil)
	cancel := func() { c.cancelAndLeave(context.Canceled, nil, false) }
	s := machine.Own(g.M, &c.k)
	s.Limit(int64(d.Sub(g.Beginning())))
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

// earlier reports whether the deadline of parent is earlier than d. If d is still to come it is, if
// it has passed already, and else both are so far away from now: no goroutine is told which time
// that is.
func earlier(g *machine.Goroutine, parent Context, d, now time.Time) (is bool) {
	compare := func() {
		cur, ok := parent.Deadline()
		is = ok && cur.Before(d)
	}
	if d.After(now) {
		g.Quietly(compare)
	} else {
		compare()
	}
	return is
}
