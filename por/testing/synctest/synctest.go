// Package synctest is the twin of testing/synctest for por check. An execution is a
// bubble already: it has its own clock, which advances when no goroutine can run. So a test's
// bubble is its execution, with a clock that starts again in the year 2000.
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

// Wait waits until all other goroutines wait.
func Wait() {
	if hook.Active() {
		hook.Settle()
		return
	}
	synctest.Wait()
}
