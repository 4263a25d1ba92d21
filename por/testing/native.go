package testing

import (
	"runtime"
	"testing"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// Gopor__Native returns the test that t is if it runs once, outside of executions, and
// nil else. It is for the twins of packages that have to do with T.
func Gopor__Native(t *T) *testing.T {
	if t, ok := t.test.(once); ok {
		return t.T
	}
	return nil
}

// Gopor__Once returns a native test as a T.
func Gopor__Once(t *testing.T) *T { return &T{once{t}} }

// Gopor__Bubble runs f within t, a test of an execution, as part of it but with a
// context and cleanup functions of its own, in a goroutine of its own. It waits for the end of
// that, and of all goroutines that come of it.
func Gopor__Bubble(t *T, f func(t *T)) {
	outer := t.test.(*executed)
	if outer.cleaning {
		panic("testing: synctest.Run called during t.Cleanup")
	}
	if outer.bubble {
		panic("synctest.Run called from within a synctest bubble")
	}
	inner := &executed{TB: outer.TB, outer: outer.outer, parent: outer, name: outer.name, wanted: outer.wanted, bubble: true}
	inner.begin()
	inner.paused = sched.NewChan[struct{}](1)
	sched.Go(func() {
		defer inner.leave()
		inner.run(f)
	})
	inner.paused.Recv()
	hook.JoinBubble(inner.own)
	if inner.failed {
		runtime.Goexit()
	}
}

// Gopor__Sequential keeps t, a test of an execution, from being parallel, and panics if it is.
func Gopor__Sequential(t *T) { t.test.(*executed).sequential() }

// Gopor__New returns what a T is that belongs to no test: one can be made to see what
// other code does to it.
func Gopor__New() *T { return Gopor__Once(new(testing.T)) }
