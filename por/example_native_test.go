package por_test

import (
	"sync"

	"github.com/gopor/gopor/por"
)

// A test of ordinary Go, with the locks, channels and go statements of the language.
// These lines are the body of a test function, and t is its *testing.T. Run it with
//
//	go test -v
//
// and nothing else: the test binary replaces itself by one in which all of this is under
// control, and the log has
//
//	por: all 2 traces explored, none fails (exhaustive; optimal DPOR, 1ms)
//
// Without the locks, the test fails with a data race.
func Example() {
	por.Check(t, func() {
		var mu sync.Mutex
		n := 0
		done := make(chan bool)
		go func() { mu.Lock(); n++; mu.Unlock(); done <- true }()
		mu.Lock()
		n++
		mu.Unlock()
		if <-done; n != 2 {
			t.Error("lost an update")
		}
	})
}
