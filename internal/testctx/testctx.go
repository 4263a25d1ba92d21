// Package testctx makes the contexts that tests have within executions: under
// control like any other, and cancelled when the test's function has returned,
// before its cleanup functions run. It knows the attributes that tests do not take, too.
package testctx

import (
	"context"
	"sync"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	controlled "github.com/gopor/gopor/sched/std/context"
)

// A Source makes the contexts of all executions of one search. The zero Source is
// ready.
//
// To cancel a context is an event, which executions of tests that have no use for
// their context are spared. So whether there are such events has to be the same
// in all executions of a search: it begins anew when the first one shows that
// they are needed, see [Source.Late].
type Source struct {
	mu   sync.Mutex
	used bool // some execution has asked for a context
	late bool // some execution has asked for a context and did not cancel it
}

// IsLate reports what Late will.
func (s *Source) IsLate() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.late
}

// Late reports, once, whether an execution has asked for a context that it does
// not cancel. Then the search has to begin anew; contexts made from now on are
// cancelled.
func (s *Source) Late() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	late := s.late
	s.late = false
	return late
}

// Cancels reports whether contexts are cancelled.
func (s *Source) Cancels() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// Cancel has contexts cancelled from now on. Late says whether this has to be seen as if an
// execution had shown that it is needed.
func (s *Source) Cancel(late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used, s.late = true, late
}

// A Context is that of one test in one execution. It is for [Context.Begin] first.
type Context struct {
	source *Source
	ends   bool // End cancels it
	inner  sched.Context
	cancel sched.CancelFunc

	mu      sync.Mutex // guards the rest: what was asked for
	own     context.Context
	end     context.CancelFunc // of own
	outside context.Context
	release context.CancelFunc // of outside
}

// Begin makes c the context of a test that the calling goroutine, a controlled
// one, is about to start.
func (c *Context) Begin(s *Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.source, c.ends = s, s.used
	if c.ends {
		c.inner, c.cancel = sched.WithCancel(sched.Background())
	}
}

// Get returns the context as native code sees it. A goroutine that is not
// controlled gets one of its own.
func (c *Context) Get() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !hook.Active() || hook.Unwinding() {
		if c.outside == nil {
			c.outside, c.release = context.WithCancel(context.Background())
		}
		return c.outside
	}
	if c.inner == nil {
		c.source.mu.Lock()
		c.source.used, c.source.late = true, true
		c.source.mu.Unlock()
		c.inner, c.cancel = sched.WithCancel(sched.Background())
	}
	if c.own == nil {
		c.own, c.end = controlled.Of(c.inner, c.cancel)
	}
	return c.own
}

// End cancels the context. The test's function has returned.
func (c *Context) End() {
	if c.ends {
		c.cancel()
	}
	c.Release()
}

// Release lets those go on who wait for the context and are not controlled. The
// execution is over.
func (c *Context) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.release != nil {
		c.release()
	}
	if c.end != nil && (!hook.Active() || hook.Unwinding()) {
		c.end()
	}
}
