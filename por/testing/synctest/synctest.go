// Package synctest is the twin of testing/synctest for por test -check. A bubble is what
// an execution is anyway: it has a clock of its own, which moves on when nobody else can run.
// So a test's bubble is its execution, with a clock that begins once more, with the year 2000.
package synctest

import (
	"testing"
	"testing/synctest"

	"github.com/gopor/gopor/internal/hook"
	twin "github.com/gopor/gopor/por/testing"
)

// Test runs f in a bubble.
func Test(t *twin.T, f func(*twin.T)) {
	if native := twin.Gopor__Native(t); native != nil {
		synctest.Test(native, func(t *testing.T) { f(twin.Gopor__Once(t)) })
		return
	}
	twin.Gopor__Bubble(t, func(t *twin.T) {
		hook.BubbleTime()
		f(t)
	})
}

// Wait waits until all others wait.
func Wait() {
	if hook.Controlled() && hook.Active() {
		hook.Settle()
		return
	}
	synctest.Wait()
}
