package boundedbuffer

import (
	"fmt"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// use lets producers put, and consumers get, one value each.
func use(b *Buffer, producers, consumers int) {
	var wg sched.WaitGroup
	got := make([]int, producers)
	for i := range producers {
		wg.Go(func() { b.Put(i) })
	}
	for range consumers {
		wg.Go(func() { got[b.Get()]++ })
	}
	wg.Wait()
	sum := 0
	for i, n := range got {
		if n > 1 {
			panic(fmt.Sprintf("value %d was got %d times", i, n))
		}
		sum += n
	}
	if sum != consumers {
		panic(fmt.Sprintf("%d values were got, not %d", sum, consumers))
	}
}

func TestBuffer(t *testing.T) {
	por.Check(t, func() { use(New(1), 2, 2) }, por.Exhaustive())
}

// TestOrder checks that values come out as they went in.
func TestOrder(t *testing.T) {
	por.Check(t, func() {
		b := New(2)
		sched.Go(func() {
			for i := range 4 {
				b.Put(i)
			}
		})
		for i := range 4 {
			if v := b.Get(); v != i {
				panic(fmt.Sprintf("got %d, not %d", v, i))
			}
		}
	}, por.Exhaustive())
}

// TestOneCond expects the buffer with one condition to get stuck. Two consumers
// wait; a producer wakes one of them, and another producer finds the buffer
// full; the consumer that was woken takes the value and wakes the other
// consumer, who finds nothing, and the producer waits for ever.
func TestOneCond(t *testing.T) {
	res, err := por.Explore(func() { use(NewOneCond(1), 2, 2) })
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Failures) != 1 || res.Failures[0].Kind != trace.FailDeadlock {
		t.Fatalf("the bug was not found: %s", res.Verdict)
	}
	t.Log(res.Failures[0].Report)
}
