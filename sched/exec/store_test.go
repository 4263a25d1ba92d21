package exec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestWalk walks the objects of an execution at its end: all that were met or made,
// those that another schedule has met first among them, and none of an earlier one.
func TestWalk(t *testing.T) {
	var mu sched.Mutex
	var n sched.Int64
	var wg sched.WaitGroup
	v := sched.NewVar("x")
	c := exec.New(func() {
		ch := sched.NewChan[int](1)
		wg.Go(func() { mu.Lock(); n.Add(1); mu.Unlock() })
		v.Store("y")
		ch.Send(1)
		ctx, cancel := sched.WithTimeout(sched.Background(), 1)
		cancel()
		var m sched.Map
		m.Store(1, ctx.Err())
		wg.Wait()
	}, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	want := "Int64 Map Map Mutex Var WaitGroup chan chan context timer"
	numbers := make(map[string]bool)
	for _, last := range []bool{false, true, false} {
		run := c.Start()
		for p := run.Pending(); len(p) > 0; p = run.Pending() {
			g := p[0].G
			if last {
				g = p[len(p)-1].G
			}
			if _, err := run.Step(trace.Choice{G: g}); err != nil {
				t.Fatal(err)
			}
		}
		ids, kinds := c.Objects()
		if !slices.IsSorted(ids) {
			t.Errorf("not in the order of their numbers: %v", ids)
		}
		numbers[fmt.Sprint(ids, kinds)] = true
		slices.Sort(kinds)
		if got := strings.Join(kinds, " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		run.Close()
	}
	if len(numbers) != 2 {
		t.Errorf("want the same numbers under the same schedule: %v", numbers)
	}
}

// TestStatesUsedAgain makes sure that an execution takes the states of the one before.
func TestStatesUsedAgain(t *testing.T) {
	var mu [20]sched.Mutex
	var v [20]sched.Var[string]
	c := exec.New(func() {
		for i := range mu {
			mu[i].Lock()
			v[i].Store("x")
			mu[i].Unlock()
		}
	}, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	s := closures.Record(t, c)
	execute := func() {
		run := c.Start()
		if err := run.Replay(s); err != nil {
			t.Fatal(err)
		}
		run.Close()
	}
	if n := testing.AllocsPerRun(100, execute); n > 5 { // other tests may allocate
		t.Errorf("%v allocations in an execution of 40 primitives", n)
	}
}
