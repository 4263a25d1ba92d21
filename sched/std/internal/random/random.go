// Package random has the common part of twins of packages that draw random numbers: under
// control every goroutine draws from a source of its own.
package random

import (
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// Sources has the sources of an execution's goroutines, each an *R.
type Sources[R any] struct {
	// The assumption to note at every draw; "" if New notes it.
	What string
	New  func(seed uint64) *R
}

// Own returns the source of the calling goroutine, or nil if that is not controlled.
func (s *Sources[R]) Own() *R {
	if !hook.Active() {
		return nil
	}
	if s.What != "" {
		sched.Assume(sched.AssumeRandom, s.What)
	}
	all := hook.Shadow(unsafe.Pointer(s), func() any { return map[trace.ID]*R{} }).(map[trace.ID]*R)
	id := hook.Current()
	r := all[id]
	if r == nil {
		r = s.New(hook.Seed())
		all[id] = r
	}
	return r
}

// Chosen returns a number below n that the search has chosen, or false if it does not choose.
// An n that is too large for an int64 arrives as a negative number, for which Chosen returns
// false.
func Chosen(n int64) (int64, bool) {
	if !hook.Active() {
		return 0, false
	}
	return hook.Draw(n)
}
