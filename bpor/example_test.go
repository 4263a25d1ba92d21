package bpor_test

import (
	"fmt"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// turns has two goroutines write down whose turn it is, and expects no more than
// five changes.
func turns() {
	var last, changes sched.Int64
	turn := func(me int64) {
		for range 4 {
			if last.Swap(me) != me {
				changes.Add(1)
			}
		}
	}
	var wg sched.WaitGroup
	wg.Go(func() { turn(1) })
	wg.Go(func() { turn(2) })
	wg.Wait()
	if changes.Load() > 5 {
		panic("too many changes")
	}
}

// A bound on preemptions makes a search small that could not be finished otherwise, and
// the verdict says what it has covered. The program here panics if two goroutines that
// write down whose turn it is, four times each, come to more than five changes:
//
//	var last, changes sched.Int64
//	turn := func(me int64) {
//		for range 4 {
//			if last.Swap(me) != me {
//				changes.Add(1)
//			}
//		}
//	}
func Example() {
	for n := range 5 {
		res, err := por.Explore(turns, por.Engine(bpor.Source{Bound: bpor.Preemptions(n), Complete: true}))
		if err != nil {
			fmt.Println(err)
			return
		}
		if len(res.Failures) > 0 {
			f := res.Failures[0]
			fmt.Printf("%v: %s, with %d preemptions\n", bpor.Preemptions(n), f.Msg, f.Preemptions)
			return
		}
		fmt.Printf("%v: %d executions, %s\n", bpor.Preemptions(n), res.Stats.Executions, res.Verdict.Claim)
	}
	// Output:
	// at most 0 preemptions: 2 executions, every trace with at most 0 preemptions
	// at most 1 preemption: 17 executions, every trace with at most 1 preemption
	// at most 2 preemptions: 116 executions, every trace with at most 2 preemptions
	// at most 3 preemptions: 554 executions, every trace with at most 3 preemptions
	// at most 4 preemptions: too many changes, with 4 preemptions
}

// Iterative goes from bound to bound by itself, and visits no trace twice.
func ExampleIterative() {
	res, err := por.Explore(turns, por.Engine(bpor.Iterative{
		UpTo: bpor.Preemptions(10),
		Covered: func(b bpor.Bound, s *trace.Stats) {
			fmt.Printf("%v: %d executions\n", b, s.Executions)
		},
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range res.Failures {
		fmt.Printf("execution %d: %s, with %d preemptions\n", f.Execution, f.Msg, f.Preemptions)
	}
	// Output:
	// at most 0 preemptions: 10 executions
	// at most 1 preemption: 40 executions
	// at most 2 preemptions: 100 executions
	// execution 102: too many changes, with 4 preemptions
}

// Minimum says how few preemptions a trace needs, whatever schedule it was found by.
func ExampleMinimum() {
	program := exec.New(turns, exec.Options{}) // for Minimum to run
	fewest := -1
	stats, err := engine.Optimal{}.Explore(exec.New(turns, exec.Options{}), func(x *trace.Execution) bool {
		if len(x.Run.Outcome()) > 0 {
			n, err := bpor.Minimum(program, x.Schedule, bpor.Preemptions(0), nil)
			if err == nil && (fewest < 0 || n < fewest) {
				fewest = n
			}
		}
		return true
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("of %d traces, the cheapest that fails has %d preemptions\n", stats.Executions, fewest)
	// Output:
	// of 384 traces, the cheapest that fails has 4 preemptions
}
