package context

import (
	"fmt"
	"reflect"
	"time"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/internal/shadow"
)

// view presents any Context as one of package sched, for use as a parent.
type view struct{ c Context }

// viewOf returns c as a context of package sched, or nil for nil.
func viewOf(c Context) sched.Context {
	if c == nil {
		return nil
	}
	if ours := made(c); ours != nil {
		return ours.inner
	}
	if a, ok := c.(afterFuncer); ok {
		return viewWithAfterFunc{view{c}, a}
	}
	return view{c}
}

// An afterFuncer calls functions when it is cancelled, without a waiting goroutine.
type afterFuncer interface {
	AfterFunc(f func()) (stop func() bool)
}

type viewWithAfterFunc struct {
	view
	afterFuncer
}

func (v view) Deadline() (deadline time.Time, ok bool) { return v.c.Deadline() }
func (v view) Err() error                              { return v.c.Err() }
func (v view) Cause() error                            { return Cause(v.c) }

// Done returns the channel that stands for the Done channel. A context made outside of control
// has one that is closed already, or none, since no controlled goroutine can close it. A
// context that the original package has derived from one of this package is cancelled with the
// latter.
func (v view) Done() *sched.Chan[struct{}] {
	done := v.c.Done()
	if done == nil {
		return nil
	}
	if found, ours := nearest(v.c); found != nil && ours == nil && found.Done() == done {
		if w, _ := found.Value(&wrapperKey).(*ctx); w != nil {
			return w.inner.Done()
		}
		if found.Err() == nil {
			return nil
		}
	}
	return shadow.Of(done)
}

// Value returns the context of package sched with which v is cancelled. It is called with no
// other key.
func (v view) Value(key any) any {
	if w, _ := v.c.Value(&wrapperKey).(*ctx); w != nil {
		return w.inner.Value(key)
	}
	return nil
}

func (v view) String() string {
	if s, ok := v.c.(fmt.Stringer); ok {
		return s.String()
	}
	return reflect.TypeOf(v.c).String()
}
