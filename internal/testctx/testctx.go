// Package testctx makes the contexts of tests within executions. They are under control like
// other contexts, and cancelled when the test's function has returned, before its cleanup
// functions run. The package also checks the attributes of tests.
package testctx

import (
	"context"
	"sync"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	controlled "github.com/gopor/gopor/sched/std/context"
)

// A Source makes the contexts of all executions of one search. The zero Source is ready to use.
//
// Cancelling a context is an event. Executions of tests that do not use their context do
// without it. Whether the event takes place has to be the same in all executions of a search.
// Therefore the search starts over when an execution shows that the event is needed, see
// [Source.Late].
type Source struct {
	mu   sync.Mutex
	used bool // an execution has asked for a context
	late bool // an execution has asked for a context without cancelling it
}

// IsLate returns the result that Late will return.
func (s *Source) IsLate() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.late
}

// Late reports once whether an execution has asked for a context without cancelling it. Then
// the search has to start over. Contexts made from then on are cancelled.
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

// Cancel makes End cancel contexts from now on. If late is set, Late reports that the search
// has to start over.
func (s *Source) Cancel(late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used, s.late = true, late
}

// A Context is the context of one test in one execution. [Context.Begin] has to be called
// first.
type Context struct {
	source *Source
	ends   bool // End cancels it
	inner  sched.Context
	cancel sched.CancelFunc

	mu      sync.Mutex // guards the fields below: contexts that were asked for
	own     context.Context
	end     context.CancelFunc // of own
	outside context.Context
	release context.CancelFunc // of outside
}

// Begin makes c the context of a test that is about to start. The calling goroutine has to be
// controlled.
func (c *Context) Begin(s *Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.source, c.ends = s, s.used
	if c.ends {
		c.inner, c.cancel = sched.WithCancel(sched.Background())
	}
}

// Get returns the context as seen by native code. Goroutines that are not controlled get a
// separate one.
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

// End cancels the context after the test's function has returned.
func (c *Context) End() {
	if c.ends {
		c.cancel()
	}
	c.Release()
}

// Release cancels the context for goroutines that are not controlled, after the end of the
// execution.
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
