// Package shadow finds what stands for a native channel in an execution, by the
// convention of package native: the key is the address of the channel, the value
// a *sched.Chan of its element type.
package shadow

import (
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/native"
)

// Set lets s stand for c in the running execution.
func Set[T any](c <-chan T, s *sched.Chan[T]) { hook.SetShadow(native.Key(c), s) }

// Of returns what stands for c, a channel without room that is only ever closed,
// and may have been before the execution began.
func Of(c <-chan struct{}) *sched.Chan[struct{}] {
	s := hook.Shadow(native.Key(c), func() any {
		closed := false
		select {
		case <-c:
			closed = true
		default:
		}
		return new(sched.Chan[struct{}]).Adopt(0, closed, nil)
	})
	return s.(*sched.Chan[struct{}])
}
