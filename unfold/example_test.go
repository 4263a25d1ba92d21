package unfold_test

import (
	"fmt"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// The unfolding of two goroutines that take two mutexes in opposite orders.
func ExampleUnfold() {
	abba := func() {
		var a, b sched.Mutex
		sched.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	}
	u, err := unfold.Unfold(exec.New(abba, exec.Options{Record: true}), 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, e := range u.Events {
		fmt.Printf("event %d, of %s: %s, after %v\n", i, u.Threads[e.Thread], e.Label, e.Causes)
	}
	fmt.Println("conflicts:", u.Conflicts)
	for _, m := range u.Maximal {
		fmt.Println("trace:", m.Events, m.Failures)
	}
	// Output:
	// event 0, of main: lock Mutex 1, after []
	// event 1, of main: lock Mutex 2, after [0]
	// event 2, of main: unlock Mutex 2, after [1]
	// event 3, of main: unlock Mutex 1, after [2]
	// event 4, of g1: lock Mutex 2, after [1]
	// event 5, of g1: lock Mutex 1, after [2 4]
	// event 6, of g1: unlock Mutex 1, after [3 5]
	// event 7, of g1: unlock Mutex 2, after [6]
	// event 8, of g1: lock Mutex 2, after []
	// event 9, of g1: lock Mutex 1, after [0 8]
	// event 10, of main: lock Mutex 2, after [0 8]
	// event 11, of g1: lock Mutex 1, after [8]
	// event 12, of g1: unlock Mutex 1, after [11]
	// event 13, of g1: unlock Mutex 2, after [12]
	// event 14, of main: lock Mutex 1, after [11]
	// event 15, of main: lock Mutex 2, after [12 14]
	// event 16, of main: unlock Mutex 2, after [13 15]
	// event 17, of main: unlock Mutex 1, after [16]
	// conflicts: [[0 11] [1 8]]
	// trace: [0 1 2 3 4 5 6 7] []
	// trace: [0 8 9 10] [deadlock: all goroutines wait]
	// trace: [8 11 12 13 14 15 16 17] []
}

// The example of the paper: writers of a variable each, a counter, and one that clears the
// variable that has been counted to. Source-DPOR gives up many executions of it,
// quasi-optimal POR fewer, the larger K is.
func ExampleQPOR() {
	program := func() {
		var x [5]sched.Int64
		var count sched.Int64
		for i := range x {
			sched.Go(func() { x[i].Store(7) })
		}
		sched.Go(func() {
			for range len(x) - 1 {
				count.Add(1)
			}
		})
		sched.Go(func() { x[count.Load()].Store(0) })
	}
	for _, e := range []trace.Engine{engine.Source{}, unfold.QPOR{K: 1}, unfold.QPOR{K: 2}, unfold.Optimal{}} {
		res, err := por.Explore(program, por.Engine(e))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %d %s, %d given up\n", res.Verdict.Title, res.Stats.Executions, res.Verdict.Unit, res.Stats.Blocked)
	}
	// Output:
	// source-DPOR: 10 traces, 30 given up
	// quasi-optimal POR, k = 1: 10 traces, 30 given up
	// quasi-optimal POR, k = 2: 10 traces, 0 given up
	// optimal POR by unfolding: 10 traces, 0 given up
}
