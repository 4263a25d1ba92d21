package trace_test

import (
	"fmt"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// A Tracker is told of every event of an execution, and knows which of them are ordered and
// which are in a race: what an engine needs that reverses races. Here the execution is run by
// hand, the ready goroutine of the lowest number first.
func ExampleTracker() {
	program := exec.New(func() {
		var x, y sched.Int64
		sched.Go(func() { x.Store(1); y.Store(1) })
		sched.Go(func() { y.Load(); x.Load() })
		x.Load()
	}, exec.Options{})
	defer program.Shutdown()

	run := program.Start()
	hb := trace.NewTracker(trace.Dependence)
	for ops := run.Pending(); len(ops) > 0; ops = run.Pending() {
		event, err := run.Step(trace.Choice{G: ops[0].G})
		if err != nil {
			fmt.Println(err)
			return
		}
		hb.Push(int32(event.G), event.Accesses(), event.Order)
		n := hb.Len() - 1
		fmt.Printf("event %d, %v: races with %v\n", n, &event.Op, hb.Races(n))
	}
	fmt.Println("event 1 before event 4:", hb.Before(1, 4))
	run.Close()
	// Output:
	// event 0, g0:load(3): races with []
	// event 1, g2:store(3): races with [0]
	// event 2, g2:store(5): races with []
	// event 3, g3:load(5): races with [2]
	// event 4, g3:load(3): races with []
	// event 1 before event 4: true
}
