package por

import (
	"strings"
	"testing"

	"github.com/gopor/gopor/sched"
)

// TestSignalToAnother has goroutines that put and get share a Cond, so that a signal may wake one that can do nothing with it.
// No wakeup is lost: it has woken another goroutine than the one that it is for.
func TestSignalToAnother(t *testing.T) {
	res, err := Explore(func() {
		var mu sched.Mutex
		c, n := sched.NewCond(&mu), 0
		step := func(from, to int) {
			mu.Lock()
			for n != from {
				c.Wait()
			}
			n = to
			c.Signal()
			mu.Unlock()
		}
		var all sched.WaitGroup
		for i := range 4 {
			all.Add(1)
			sched.Go(func() { step(i/2, 1-i/2); all.Done() })
		}
		all.Wait()
	})
	if err != nil || len(res.Failures) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	const want = "deadlock by a signal to one of several: "
	if got := res.Failures[0].Diagnosis.Headline; !strings.HasPrefix(got, want) || !strings.Contains(got, "has woken") {
		t.Errorf("%s\nwant %s\n%s", got, want, res.Failures[0].Report)
	}
}
