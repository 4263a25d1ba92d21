package count

import (
	"sync"
	"testing"

	"github.com/gopor/gopor/por"
)

func TestCount(t *testing.T) {
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
