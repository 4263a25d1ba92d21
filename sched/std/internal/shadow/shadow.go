// Package shadow finds the channel that stands for a native one in an execution, by the
// convention of package native: the key is the address of the channel, the value a *sched.Chan
// of its element type.
package shadow

import (
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/native"
)

// Set makes s stand for c in the running execution.
func Set[T any](c <-chan T, s *sched.Chan[T]) { hook.SetShadow(native.Key(c), s) }

// Of returns the channel that stands for c. The channel c has no buffer and is only ever
// closed, perhaps before the execution began.
func Of(c <-chan struct{}) *sched.Chan[struct{}] {
	s := hook.Shadow(native.Key(c), func() any {
		closed := false
		select {
		case <-c:
			closed = true
		default:
		}
		s := new(sched.Chan[struct{}])
		hook.Chans.Adopt(s, 0, nil, closed, false)
		return s
	})
	return s.(*sched.Chan[struct{}])
}
