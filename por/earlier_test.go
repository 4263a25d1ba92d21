package por_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

// TestEarlierGoroutines has a goroutine that was started before a check. Only one that is still
// there a moment after the search is taken for granted: one that is about to end cannot matter, and
// whether the search still meets it is a matter of the machine's load.
func TestEarlierGoroutines(t *testing.T) {
	const granted = "a goroutine that was started before the test"
	explored := func() string {
		x := &existingTB{outerTB: outerTB{TB: t, name: t.Name()}}
		por.Check(x, func() { new(sched.Mutex).Lock() })
		return x.outerTB.text()
	}

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for start := time.Now(); time.Since(start) < 10*time.Millisecond; {
			runtime.Gosched()
		}
	}()
	if text := explored(); strings.Contains(text, granted) {
		t.Errorf("beside a goroutine that is about to end: %s", text)
	}
	<-ended

	stop := make(chan struct{})
	defer close(stop)
	go func() { <-stop }()
	if text := explored(); !strings.Contains(text, granted) {
		t.Errorf("beside a goroutine that waits: %s", text)
	}
}
