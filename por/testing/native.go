package testing

import (
	"runtime"
	"testing"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// Gopor__Native returns the native test of t if it runs once, outside of executions, and
// otherwise nil. It is for the twins of packages with functions that take a T.
func Gopor__Native(t *T) *testing.T {
	if t, ok := t.test.(once); ok {
		return t.T
	}
	return nil
}

// Gopor__Once returns a native test as a T.
func Gopor__Once(t *testing.T) *T { return &T{once{t}} }

// Gopor__Bubble runs f within t, a test of an execution, as a part of it, but in a goroutine of
// its own and with its own context and cleanup functions. It waits for the end of that
// goroutine and of all goroutines started from it.
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

// Gopor__Sequential forbids t, a test of an execution, to be parallel, and panics if it is.
func Gopor__Sequential(t *T) { t.test.(*executed).sequential() }

// Gopor__New returns a T without a test, for examining the effects of other code on it.
func Gopor__New() *T { return Gopor__Once(new(testing.T)) }
