package exec_test

import (
	"fmt"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// A run is driven step by step, here by the last goroutine that is ready.
func ExampleNew() {
	c := exec.New(func() {
		var mu sched.Mutex
		for range 2 {
			sched.Go(func() {
				mu.Lock()
				mu.Unlock()
			})
		}
	}, exec.Options{})
	defer c.Shutdown()
	run := c.Start()
	defer run.Close()
	for ops := run.Pending(); len(ops) > 0; ops = run.Pending() {
		last := ops[len(ops)-1]
		ev, err := run.Step(trace.Choice{G: last.G})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(c.Name(ev.G), ev.Kind)
	}
	fmt.Println(len(run.Outcome()), "failures")
	// Output:
	// g2 lock
	// g2 unlock
	// g1 lock
	// g1 unlock
	// 0 failures
}

// With Record set, a closure keeps the steps of its latest execution.
func ExampleClosure_Record() {
	c := exec.New(func() {
		ch := sched.NewChan[int](1)
		ch.Send(7)
		ch.Recv()
	}, exec.Options{Record: true})
	defer c.Shutdown()
	run := c.Start()
	for ops := run.Pending(); len(ops) > 0; ops = run.Pending() {
		if _, err := run.Step(trace.Choice{G: ops[0].G}); err != nil {
			fmt.Println(err)
			return
		}
	}
	run.Close()
	for _, e := range c.Record() {
		fmt.Println(e.Name, e.Op(), e.Obj, e.Value)
	}
	// Output:
	// main send chan 1 7
	// main recv chan 1 7
	// main end
}
