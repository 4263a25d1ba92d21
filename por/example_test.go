package por_test

import (
	"fmt"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/history"
	"github.com/gopor/gopor/sched"
)

// A test with the primitives of package sched, which need nothing rewritten. These lines are
// the body of a test function, and t is its *testing.T.
func ExampleCheck() {
	por.Check(t, func() {
		var mu sched.Mutex
		var n sched.Var[int] // a variable that is checked for data races
		count := func() { mu.Lock(); n.Store(n.Load() + 1); mu.Unlock() }

		var wg sched.WaitGroup
		wg.Go(count)
		wg.Go(count)
		wg.Go(count)
		wg.Wait()
		if n.Load() != 3 {
			t.Error("lost an update")
		}
	}, por.Exhaustive())
	// Output:
	// por: all 6 traces explored, none fails (exhaustive; optimal DPOR, 1ms)
}

// Counter is the data structure of the next examples.
type Counter struct{ n sched.Int64 }

func (c *Counter) Incr() int64 { return c.n.Add(1) }
func (c *Counter) Get() int64  { return c.n.Load() }

// A model says what the calls of a counter may return: its state is the count.
func ExampleLinearizable() {
	model := porcupine.Model{
		Init: func() any { return int64(0) },
		Step: func(state, input, output any) (bool, any) {
			n := state.(int64)
			if input == "incr" {
				n++
			}
			return output == n, n
		},
	}
	history.Linearizable(t, model, func(h *history.History) {
		c := new(Counter)
		var wg sched.WaitGroup
		wg.Go(func() { history.Call(h, "incr", c.Incr) })
		wg.Go(func() { history.Call(h, "get", c.Get) })
		wg.Wait()
	})
	// Output:
	// por: all 4 traces explored, none fails, each history is linearizable (exhaustive; optimal DPOR, 1ms)
}

// Refines needs no model: it makes the calls one at a time, too.
func ExampleRefines() {
	history.Refines(t, func(h *history.History) {
		c := new(Counter)
		var wg sched.WaitGroup
		wg.Go(func() { history.Call(h, "incr", c.Incr) })
		wg.Go(func() { history.Call(h, "get", c.Get) })
		wg.Wait()
	})
	// Output:
	// por: all 2 traces explored, none fails, each outcome is one of 2 with one call at a time (exhaustive; optimal DPOR, 1ms)
}

// Explore is Check for use outside of tests: it returns what Check would print.
func ExampleExplore() {
	res, err := por.Explore(func() {
		var n sched.Int64
		var wg sched.WaitGroup
		for range 2 {
			wg.Go(func() { n.Store(n.Load() + 1) }) // n.Add(1) would be right
		}
		wg.Wait()
		if n.Load() != 2 {
			panic("lost an update")
		}
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range res.Failures {
		fmt.Println(f.Kind, "-", f.Msg)
		fmt.Println("preemptions:", f.Preemptions)
		for _, e := range f.Entries {
			fmt.Printf("  %s: %s(%s)\n", e.Name, e.Op(), e.Value)
		}
	}
	// Output:
	// panic - lost an update
	// preemptions: 1
	//   main: wg.add(1)
	//   main: go(g1)
	//   main: wg.add(1)
	//   main: go(g2)
	//   main: wg.wait()
	//   g1: load(0)
	//   g2: load(0)
	//   g2: store(1)
	//   g2: wg.done()
	//   g2: end()
	//   g1: store(1)
	//   g1: wg.done()
	//   g1: end()
	//   main: load(1)
	//   main: end()
}

// This has far too many traces to run all of them. Budget looks for failures where most of
// them are: first in every trace without preemptions, then in every one with a single
// preemption, and so on; and in the second half of the time at random.
func ExampleBudget() {
	res, err := por.Explore(func() {
		var n sched.Int64
		var wg sched.WaitGroup
		for range 3 {
			wg.Go(func() {
				for range 3 {
					n.Store(n.Load() + 1)
				}
			})
		}
		wg.Wait()
		if n.Load() != 9 {
			panic("lost an update")
		}
	}, por.Budget(10*time.Second))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range res.Failures {
		fmt.Println(f.Msg, "in an execution with", f.Preemptions, "preemption")
	}
	// Output:
	// lost an update in an execution with 1 preemption
}

// A verdict says what was covered, and what was taken for granted on the way: here, that an
// answer never takes as long as the timeout.
func ExampleVerdict() {
	timeout := func() {
		c := sched.NewChan[string](1)
		sched.Go(func() { c.Send("answer") })
		var answer string
		if sched.Select(sched.RecvCase(c, &answer, nil), sched.RecvCase(sched.After(time.Second), nil, nil)) == 1 {
			panic("no answer")
		}
	}
	res, err := por.Explore(timeout)
	if err != nil {
		fmt.Println(err)
		return
	}
	v := res.Verdict
	fmt.Printf("%d %s, covered: %t, exhaustive: %t\n", v.Stats.Executions, v.Unit, v.Covered, v.Exhaustive)
	for _, a := range v.Assumptions {
		fmt.Printf("taken for granted: the %v, because of %s\n", a.Kind, a.What)
	}

	// Grant says that this is meant to be so.
	res, _ = por.Explore(timeout, por.Grant(sched.AssumeClock))
	fmt.Println("granted, exhaustive:", res.Verdict.Exhaustive)

	// Time lets the timer fire at any moment, and shows what happens then.
	res, _ = por.Explore(timeout, por.Time(sched.TimeAnyOrder))
	fmt.Println("timers at any moment:", res.Failures[0].Msg)
	// Output:
	// 2 traces, covered: true, exhaustive: false
	// taken for granted: the clock, because of a timer
	// granted, exhaustive: true
	// timers at any moment: no answer
}

// What Explore has found can be run again in another process, by its replay string.
func ExampleReplay() {
	bank := func() {
		var a, b sched.Mutex
		sched.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	}
	found, err := por.Explore(bank)
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := por.Explore(bank, por.Replay(found.Failures[0].Replay))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Verdict)
	fmt.Println(again.Failures[0].Msg)
	// Output:
	// replayed 4 steps; the execution fails
	// all goroutines wait
}
