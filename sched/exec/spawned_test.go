package exec_test

import (
	"slices"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestSpawned: what had happened before a goroutine was started is known as long as it has done
// nothing, and what its first operation waits for is no part of it.
func TestSpawned(t *testing.T) {
	c := exec.New(func() {
		var n sched.Int64
		ch := sched.NewChan[int](0)
		n.Add(1) // event 0
		for range 2 {
			sched.Go(func() { // the second one after the first, since they are interchangeable
				ch.Recv()
				n.Add(1)
			})
		}
		n.Add(1)
		ch.Send(1)
	}, exec.Options{Exchange: exec.Exchange{Symmetric: true}})
	defer c.Shutdown()
	x := c.Start()
	defer x.Close()
	moved := map[trace.ID]bool{}
	for events := 0; ; events++ {
		ops := x.Pending()
		if len(ops) == 0 {
			break
		}
		for _, op := range ops {
			got := c.Spawned(op.G)
			if want := op.G > 0 && !moved[op.G]; want && !slices.Equal(got, []int32{0}) || !want && len(got) > 0 {
				t.Errorf("after %d events, before %v: %v", events, op, got)
			}
		}
		op := ops[events%len(ops)]
		moved[op.G] = true
		if _, err := x.Step(trace.Choice{G: op.G}); err != nil {
			t.Fatal(err)
		}
	}
	if len(moved) != 3 {
		t.Errorf("%d goroutines have moved", len(moved))
	}
}
