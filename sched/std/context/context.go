package context

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/internal/shadow"
)

// controlled reports whether the calling goroutine is controlled.
func controlled() bool { return hook.Active() }

// ctx is a context that a controlled goroutine has derived.
type ctx struct {
	parent Context
	inner  sched.Context
	// real is cancelled together with inner. Code outside of control and functions of the
	// original package see it.
	real   Context
	cancel context.CancelCauseFunc
	err    atomic.Pointer[error] // the error of inner, once it is cancelled
}

// The types of contexts have the names of the original package, which %T shows.
type (
	cancelCtx struct{ ctx }
	timerCtx  struct{ ctx }
)

// made returns the ctx of c, or nil if another package has made c.
func made(c Context) *ctx {
	switch c := c.(type) {
	case *cancelCtx:
		return &c.ctx
	case *timerCtx:
		return &c.ctx
	}
	return nil
}

// wrap makes c stand for inner, a context derived from parent.
func (c *ctx) wrap(parent Context, inner sched.Context) {
	c.parent, c.inner = parent, inner
	c.real, c.cancel = context.WithCancelCause(context.Background())
	shadow.Set(c.real.Done(), inner.Done())
	hook.OnCancel(inner, c.cancelReal)
}

// cancelReal cancels the context that code outside of control sees.
func (c *ctx) cancelReal(err, cause error) {
	if c.err.CompareAndSwap(nil, &err) {
		c.cancel(cause)
	}
}

// cancelled is called after inner was cancelled. That has no effect while the execution is
// being unwound, and in a goroutine that is not controlled. But code that waits outside has to
// be released.
func (c *ctx) cancelled(cause error) {
	if cause == nil {
		cause = Canceled
	}
	c.cancelReal(Canceled, cause)
}

func (c *ctx) Deadline() (deadline time.Time, ok bool) { return c.inner.Deadline() }
func (c *ctx) Done() <-chan struct{}                   { return c.real.Done() }
func (c *ctx) String() string                          { return fmt.Sprint(c.inner) }

func (c *ctx) Err() error {
	if controlled() {
		return c.inner.Err()
	}
	if err := c.err.Load(); err != nil {
		return *err
	}
	return nil
}

// wrapperKey is the key for which a ctx returns itself.
var wrapperKey int

func (c *ctx) Value(key any) any {
	if key == &wrapperKey {
		return c
	}
	if v := c.real.Value(key); v != nil { // the original's own key
		return v
	}
	return c.parent.Value(key)
}

// originalKey is the key by which the original package finds the context that is cancelled
// together with another one. Cause asks for it first.
var originalKey = func() (key any) {
	context.Cause(spy{context.Background(), &key})
	return key
}()

// spy is a cancelled context that notes the first key of a query.
type spy struct {
	Context
	key *any
}

func (s spy) Err() error { return context.Canceled }

func (s spy) Value(key any) any {
	if *s.key == nil {
		*s.key = key
	}
	return nil
}

// nearest returns the first context on the path from c to its root that this package or the
// original has made, or nil. The result ours is that context if this package has made it, else
// nil.
func nearest(c Context) (found Context, ours *ctx) {
	found, _ = c.Value(originalKey).(Context)
	if found == nil {
		return nil, nil
	}
	if w, _ := c.Value(&wrapperKey).(*ctx); w != nil && w.real == found {
		return w, w
	}
	return found, nil
}

// WithCancel returns a context derived from parent that is cancelled when
// cancel is called or parent is cancelled.
func WithCancel(parent Context) (Context, CancelFunc) {
	if !controlled() {
		c, cancel := context.WithCancel(parent)
		return c, func() { lasting(); cancel() }
	}
	inner, cancel := sched.WithCancel(viewOf(parent))
	c := new(cancelCtx)
	return c, c.derived(parent, inner, cancel)
}

// lasting is called before a context made outside of control is cancelled, which then stays
// cancelled after the execution.
func lasting() {
	if hook.Controlled() {
		sched.Assume(sched.AssumeVariable, "cancelling a context made outside of executions")
	}
}

// derived makes c stand for the context that a function of package sched has derived from
// parent, and returns the function that cancels it.
func (c *ctx) derived(parent Context, inner sched.Context, cancel sched.CancelFunc) CancelFunc {
	c.wrap(parent, inner)
	return func() {
		if controlled() {
			cancel()
		}
		c.cancelled(nil)
	}
}

// WithCancelCause is WithCancel with a cause.
func WithCancelCause(parent Context) (Context, CancelCauseFunc) {
	if !controlled() {
		c, cancel := context.WithCancelCause(parent)
		return c, func(cause error) { lasting(); cancel(cause) }
	}
	inner, cancel := sched.WithCancelCause(viewOf(parent))
	c := new(cancelCtx)
	c.wrap(parent, inner)
	return c, func(cause error) {
		if controlled() {
			cancel(cause)
		}
		c.cancelled(cause)
	}
}

// WithDeadline returns a context derived from parent that is cancelled at time
// d at the latest.
func WithDeadline(parent Context, d time.Time) (Context, CancelFunc) {
	return WithDeadlineCause(parent, d, nil)
}

// WithDeadlineCause is WithDeadline with a cause for when the deadline passes.
func WithDeadlineCause(parent Context, d time.Time, cause error) (Context, CancelFunc) {
	if !controlled() {
		return context.WithDeadlineCause(parent, d, cause)
	}
	inner, cancel := sched.WithDeadlineCause(viewOf(parent), d, cause)
	earlier, ok := parent.Deadline()
	return timed(parent, inner, cancel, !ok || !earlier.Before(d))
}

// WithTimeout is WithDeadline with the deadline timeout from now.
func WithTimeout(parent Context, timeout time.Duration) (Context, CancelFunc) {
	return WithTimeoutCause(parent, timeout, nil)
}

// WithTimeoutCause is WithTimeout with a cause for when the time is over.
func WithTimeoutCause(parent Context, timeout time.Duration, cause error) (Context, CancelFunc) {
	if !controlled() {
		return context.WithTimeoutCause(parent, timeout, cause)
	}
	inner, cancel := sched.WithTimeoutCause(viewOf(parent), timeout, cause)
	d, _ := inner.Deadline()
	earlier, ok := parent.Deadline()
	return timed(parent, inner, cancel, !ok || earlier.After(d))
}

// timed returns the context that package sched has derived from parent. It has a timer of its
// own unless parent is cancelled earlier.
func timed(parent Context, inner sched.Context, cancel sched.CancelFunc, own bool) (Context, CancelFunc) {
	if own {
		c := new(timerCtx)
		return c, c.derived(parent, inner, cancel)
	}
	c := new(cancelCtx)
	return c, c.derived(parent, inner, cancel)
}

// AfterFunc calls f in a goroutine of its own when ctx is cancelled.
func AfterFunc(ctx Context, f func()) (stop func() bool) {
	if !controlled() {
		return context.AfterFunc(ctx, f)
	}
	return sched.ContextAfterFunc(viewOf(ctx), f)
}

// Cause returns why c was cancelled, or nil if it was not.
func Cause(c Context) error {
	if !controlled() {
		return context.Cause(c)
	}
	if c := made(c); c != nil {
		return sched.Cause(c.inner)
	}
	_, ours := nearest(c)
	if ours == nil {
		return context.Cause(c)
	}
	err := c.Err()
	if err == nil {
		return nil
	}
	if cause := sched.Cause(ours.inner); cause != nil {
		return cause
	}
	return err // of a context type of the user's own
}
