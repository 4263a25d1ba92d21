package exec_test

import (
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestRecordOfCAS: the record tells a CompareAndSwap that has swapped from one that has not.
func TestRecordOfCAS(t *testing.T) {
	c := exec.New(func() {
		var n sched.Int64
		var p sched.Pointer[int]
		x := new(int)
		n.CompareAndSwap(0, 1)
		n.CompareAndSwap(0, 2)
		p.CompareAndSwap(nil, x)
		p.CompareAndSwap(nil, x)
	}, exec.Options{Record: true})
	defer c.Shutdown()
	run := c.Start()
	for len(run.Pending()) > 0 {
		if _, err := run.Step(trace.Choice{G: run.Pending()[0].G}); err != nil {
			t.Fatal(err)
		}
	}
	var got []bool
	for _, e := range c.Record() {
		if e.Kind == trace.OpCAS {
			got = append(got, e.OK)
		}
	}
	if len(got) != 4 || !got[0] || got[1] || !got[2] || got[3] {
		t.Errorf("swapped: %v; want true, false, true, false", got)
	}
}
