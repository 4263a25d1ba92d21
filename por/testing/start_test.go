package testing

import (
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

// inside runs f as por test -check runs a test function, and returns the
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
	calls = 0
	por.Check(t, func() {
		if n := AllocsPerRun(10, f); n != 0 || calls != 11 {
			t.Errorf("under control: %v allocations in %d calls", n, calls)
		}
	})
}
