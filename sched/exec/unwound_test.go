package exec_test

import (
	"os"
	"testing"
	"unsafe"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestPrintedWhileUnwinding gives an execution up while a goroutine is about to perform an
// operation, and another one waits: what their deferred calls print goes nowhere.
func TestPrintedWhileUnwinding(t *testing.T) {
	text := []byte("text")
	var went []bool
	write := func() {
		went = append(went, live.Caller.Diverts(unsafe.Pointer(os.Stdout), unsafe.Pointer(&text[0]), len(text)))
	}
	printed := 0
	c := exec.New(func() {
		var mu sched.Mutex
		mu.Lock()
		sched.Go(func() { defer write(); mu.Lock() })
		defer write()
		mu.Unlock()
	}, exec.Options{Harness: exec.Harness{Output: func(int, trace.ID, bool, []byte) { printed++ }}})
	c.Start()
	for range 2 { // main locks, and the other one asks for the lock
		ops := c.Pending()
		if _, err := c.Step(trace.Choice{G: ops[len(ops)-1].G}); err != nil {
			t.Fatal(err)
		}
	}
	c.Close()
	if len(went) != 2 || !went[0] || !went[1] || printed != 0 {
		t.Errorf("%v, %d", went, printed)
	}
}
