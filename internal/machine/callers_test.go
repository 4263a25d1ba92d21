package machine

import (
	"sync"
	"testing"
)

// TestCallersComeAgain has goroutines look for themselves while another caller comes and goes, each time as another
// goroutine. The race detector is the judge.
func TestCallersComeAgain(t *testing.T) {
	var r registry
	own := new(Caller)
	r.Add(own)
	defer r.Remove(own)
	comes, seen := new(Caller), make(chan bool)
	go func() {
		defer close(seen)
		for range 1000 {
			var wg sync.WaitGroup
			wg.Go(func() { r.Add(comes) })
			wg.Wait()
			r.Remove(comes)
		}
	}()
	for {
		if r.Find() != own { // which is among the latest then
			t.Fatal("it is not itself")
		}
		for gp := range uintptr(1024) { // it looks at every place
			if r.of(gp<<5|1) != nil {
				t.Fatal("somebody is what it is not")
			}
		}
		select {
		case <-seen:
			return
		default:
		}
	}
}
