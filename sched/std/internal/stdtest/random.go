package stdtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Streams draws in goroutines that do not know of each other: the numbers are the same
// in every execution, and each goroutine's its own.
func Streams(t *testing.T, draw func(n int) int) {
	t.Helper()
	var x sched.Int32
	program := func() string {
		var drawn [3]int
		var wg sched.WaitGroup
		for i := range drawn {
			wg.Go(func() {
				x.Add(1)
				drawn[i] = draw(1 << 30)
				x.Add(1)
				drawn[i] += draw(1 << 30)
			})
		}
		first := draw(1 << 30)
		wg.Wait()
		if drawn[0] == drawn[1] || drawn[1] == drawn[2] || drawn[0] == first || first == draw(1<<30) {
			return "equal"
		}
		return fmt.Sprint(first, drawn)
	}
	first := Alone(t, program)
	if again := Alone(t, program); again != first || first == "equal" {
		t.Errorf("%s, then %s", first, again)
	}
	if seeded := draw(1<<30) == draw(1<<30); seeded {
		t.Error("outside: equal numbers")
	}
}

// Explored draws where the search is to vary the numbers: each of few is drawn in some
// execution, by each of the functions.
func Explored(t *testing.T, draws map[string]func(n int) int) {
	t.Helper()
	for name, draw := range draws {
		const few, many = 5, 17
		found := Explore(t, func() string {
			return fmt.Sprint(draw(few), draw(2), draw(many) < many)
		}, por.Rand(sched.RandExplore))
		if found.Traces != few*2 || strings.Count(found.Outcomes, "true") != few*2 {
			t.Errorf("%s: %+v", name, found)
		}
		if found := Explore(t, func() string { return fmt.Sprint(draw(few)) }); found.Traces != 1 {
			t.Errorf("%s: %+v without the option", name, found)
		}
	}
}

// Assumed draws numbers that are not explored at two places, of which one is explored if
// that is asked for.
func Assumed(t *testing.T, draw func(), file string) {
	t.Helper()
	for mode, want := range map[sched.RandMode]int{sched.RandSeeded: 2, sched.RandExplore: 1} {
		c := exec.New(draw, exec.Options{Rand: mode})
		defer c.Shutdown()
		if _, err := (engine.DFS{}).Explore(c, func(*trace.Execution) bool { return true }); err != nil {
			t.Fatal(err)
		}
		as := c.Assumptions()
		if len(as) != want {
			t.Fatalf("mode %d: got %v, want %d", mode, as, want)
		}
		for _, a := range as {
			if a.Kind != sched.AssumeRandom || !strings.HasSuffix(a.File, file) {
				t.Errorf("mode %d: got %v", mode, a)
			}
		}
	}
}
