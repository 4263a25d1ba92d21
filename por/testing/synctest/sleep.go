//go:build go1.27

package synctest

import (
	"testing/synctest"
	"time"

	"github.com/gopor/gopor/internal/hook"
	twin "github.com/gopor/gopor/sched/std/time"
)

// Sleep sleeps, and then waits until all other goroutines wait.
func Sleep(d time.Duration) {
	if hook.Active() {
		twin.Sleep(d)
		hook.Settle()
		return
	}
	synctest.Sleep(d)
}
