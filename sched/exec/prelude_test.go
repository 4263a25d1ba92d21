package exec_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestPreludeRecord looks for the locks in records that main has taken where that is no steps. One
// of them is still held when a goroutine starts, and what is taken again later is shown as given up.
func TestPreludeRecord(t *testing.T) {
	closure := func() {
		var held, again, free sched.Mutex
		free.Lock() // the only step of these
		free.Unlock()
		again.Lock()
		held.Lock()
		free.Lock()
		free.Unlock()
		sched.NewChan[int](1).Send(1) // a step
		again.Unlock()
		sched.Go(func() { held.Lock() })
		held.Unlock()
	}
	var got []string
	c := exec.New(closure, exec.Options{Record: true, AllowLeaks: true, Coarser: exec.Coarser{Prelude: 1}})
	defer c.Shutdown()
	steps := 0
	_, err := engine.Optimal{}.Explore(c, func(x *trace.Execution) bool {
		steps = x.Run.Len()
		for _, e := range c.Record() {
			if e.Remark == 0 {
				got = append(got, fmt.Sprintf("%d %v %s", e.Step, e.Kind, e.Obj))
				if e.Omitted > 0 {
					got[len(got)-1] += fmt.Sprintf(" after %d more", e.Omitted)
				}
			}
		}
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"0 lock Mutex 1", "-1 lock Mutex 2 after 3 more", "-1 lock Mutex 3", "1 send chan 1", "-1 unlock Mutex 2", "2 unlock Mutex 3", "3 lock Mutex 3"}
	if diff := cmp.Diff(want, got); diff != "" || steps != 4 {
		t.Errorf("%d steps, record -want +got:\n%s", steps, diff)
	}
}

// TestPreludeSteps counts steps. An operation of any other goroutine, or after a timer was made, is
// one, and so is the first one after the clock has moved on.
func TestPreludeSteps(t *testing.T) {
	for _, x := range []struct {
		name string
		f    func()
		want int
	}{
		{"alone", func() { locks(10) }, 3},
		{"two goroutines", func() {
			locks(10)
			sched.Go(func() { locks(1) }).Join()
			locks(1)
		}, 3 + 2 + 1 + 2},
		{"a sleep", func() {
			locks(10)
			sched.Sleep(1)
			locks(10)
		}, 3 + 2 + 1},
		{"a timer", func() {
			sched.NewTimer(1)
			locks(2)
		}, 4},
	} {
		steps := []int{}
		c := exec.New(x.f, exec.Options{Coarser: exec.Coarser{Prelude: 3}})
		_, err := engine.Optimal{}.Explore(c, func(x *trace.Execution) bool {
			steps = append(steps, x.Run.Len())
			return len(steps) < 2
		})
		c.Shutdown()
		if err != nil || !slices.Contains(steps, x.want) {
			t.Errorf("%s: %v steps, want %d; %v", x.name, steps, x.want, err)
		}
	}
}

func locks(n int) {
	var mu sched.Mutex
	for range n {
		mu.Lock()
		mu.Unlock()
	}
}
