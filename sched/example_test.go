package sched_test

import (
	"fmt"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

// A closure starts goroutines by Go, and uses locks, channels and variables of this package. An
// engine of package por runs it under every schedule that matters.
func ExampleGo() {
	res, err := por.Explore(func() {
		var n sched.Int64
		h := sched.Go(func() { n.Add(1) })
		if n.Load() == 1 {
			fmt.Println("the goroutine was first")
		}
		h.Join()
	})
	fmt.Println(res.Stats.Executions, err)
	// Output:
	// the goroutine was first
	// 2 <nil>
}

// Two goroutines that take two locks in different orders.
func ExampleMutex() {
	res, _ := por.Explore(func() {
		var a, b sched.Mutex
		h := sched.Go(func() {
			b.Lock()
			a.Lock()
			a.Unlock()
			b.Unlock()
		})
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
		h.Join()
	})
	fmt.Println(res.Failures[0].Diagnosis.Headline)
	// Output:
	// deadlock by lock order: main and g1 wait for each other
}

// Choose makes a value part of the schedule: each is explored.
func ExampleChoose() {
	seen := make(map[string]bool)
	res, _ := por.Explore(func() {
		seen[[]string{"1s", "1m"}[sched.Choose(2)]] = true
	})
	fmt.Println(seen, res.Stats.Executions)
	// Output:
	// map[1m:true 1s:true] 2
}

// A select waits for the first channel that is ready. If several are, each of them is explored.
func ExampleSelect() {
	seen := make(map[int]bool)
	res, _ := por.Explore(func() {
		a, b := sched.NewChan[int](1), sched.NewChan[int](1)
		a.Send(1)
		b.Send(2)
		var v int
		sched.Select(sched.RecvCase(a, &v, nil), sched.RecvCase(b, &v, nil))
		seen[v] = true
	})
	fmt.Println(seen, res.Stats.Executions)
	// Output:
	// map[1:true 2:true] 2
}
