package testing

import (
	"testing"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// inside runs f as por check runs a test function, and returns the
// subtest that it was run by.
func inside(t *testing.T, f func(*T)) (outer *testing.T) {
	t.Helper()
	tests := explored([]InternalTest{{Name: "TestX", F: f}})
	t.Run("X", func(t *testing.T) {
		outer = t
		tests[0].F(t)
	})
	return outer
}

// A test that skips itself whatever happens is skipped; one that does so under
// some schedules only is not.
func TestSkipped(t *testing.T) {
	if x := inside(t, func(t *T) { t.Skipf("no %s", "need") }); !x.Skipped() {
		t.Error("a test that skips itself has passed")
	}
	if x := inside(t, func(t *T) { t.Run("sub", func(t *T) { t.Skip() }) }); x.Skipped() {
		t.Error("a test whose subtest skips itself was skipped")
	}
	runs := map[int]int{}
	x := inside(t, func(t *T) {
		n := sched.Choose(3)
		runs[n]++
		if n < 2 {
			t.SkipNow()
		}
	})
	if x.Skipped() || len(runs) != 3 {
		t.Errorf("skipped: %v; executions %v", x.Skipped(), runs)
	}
}

// AllocsPerRun calls the function as often as it does outside control, where it
// counts allocations.
func TestAllocsPerRun(t *testing.T) {
	var kept []*int
	calls := 0
	f := func() { calls++; kept = append(kept[:0], new(int)) }
	if n := AllocsPerRun(10, f); n < 1 || calls != 11 {
		t.Errorf("outside control: %v allocations in %d calls", n, calls)
	}
	por.Check(t, func() {
		calls = 0
		if n := AllocsPerRun(10, f); n != 0 || calls != 11 {
			t.Errorf("under control: %v allocations in %d calls", n, calls)
		}
	})
}

// A test that asks for a search itself runs once, with what it has done before
// undone.
func TestOwnSearch(t *testing.T) {
	send := func() {
		c := sched.NewChan[int](0)
		sched.Go(func() { c.Send(1) })
		c.Recv()
	}
	for name, search := range map[string]func(t *T){
		"Check": func(t *T) { por.Check(t, send) },
		"Check in a subtest": func(t *T) {
			for range 2 {
				t.Run("sub", func(t *T) { por.Check(t, send) })
			}
		},
		"Explore":        func(t *T) { por.Explore(send) },
		"ExploreProgram": func(t *T) { por.ExploreProgram(exec.New(send, exec.Options{})) },
	} {
		outside, cleaned := 0, 0
		x := inside(t, func(t *T) {
			t.Cleanup(func() { cleaned++ })
			search(t)
			if hook.Active() {
				t.Error("goes on in an execution")
			}
			outside++
		})
		if outside != 1 || cleaned != 2 || x.Failed() || x.Skipped() {
			t.Errorf("%s: ran %d times to its end, cleaned up %d times", name, outside, cleaned)
		}
	}
}
