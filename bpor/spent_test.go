package bpor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestPolling runs a loop that ends when another goroutine has a turn, which costs a
// switch. The engines that give up traces, not schedules, pay it.
func TestPolling(t *testing.T) {
	defer search.SetPatience(10, 64)()
	for _, e := range engines {
		if e.name != "iterative" && !strings.HasPrefix(e.name, "lazy") {
			continue
		}
		executions := 0
		p := exec.New(func() {
			x := new(int32)
			sched.Go(func() { hook.Store(x, 1) })
			for hook.Load(x) == 0 {
			}
		}, exec.Options{MaxSteps: 200})
		_, err := e.with(bpor.Preemptions(1)).Explore(p, func(x *trace.Execution) bool {
			executions++
			if fails := x.Run.Outcome(); !x.Pruned && len(fails) > 0 {
				t.Errorf("%s: %v", e.name, fails)
			}
			return executions < 10
		})
		p.Shutdown()
		if err != nil || executions == 0 {
			t.Errorf("%s: %d executions, %v", e.name, executions, err)
		}
	}
}

// TestLong completes executions without a preemption of goroutines that do more than others wait
// patiently for, at once and before anything else is tried.
func TestLong(t *testing.T) {
	for _, e := range engines {
		if e.name == "optimal" || e.name == "optimal, slack" { // these have no First of their own
			continue
		}
		p := exec.New(func() {
			var n sched.Int64
			for range 2 {
				sched.Go(func() {
					for range 3 * search.Patience() {
						n.Add(1)
					}
				})
			}
			for range 3 * search.Patience() {
				n.Add(1)
			}
		}, exec.Options{})
		shown := 0
		stats, err := e.with(bpor.Preemptions(0)).Explore(p, func(x *trace.Execution) bool {
			shown++
			return false
		})
		p.Shutdown()
		if err != nil || shown != 1 || stats.Executions != 1 {
			t.Errorf("%s: %+v, %v", e.name, stats, err)
		}
	}
}

// TestSpent counts what the engines spend on some small programs: the
// counterexamples, and programs of the papers. Nothing else tells when an engine that is
// complete begins to search in vain.
func TestSpent(t *testing.T) {
	makers := []func() trace.Program{makeProgram(t, "micro", 2, 2), makeProgram(t, "micro", 3, 1), makeProgram(t, "ssb", 4, 0)}
	for _, c := range counterexamples {
		p, err := toy.Parse(c.program)
		if err != nil {
			t.Fatal(err)
		}
		makers = append(makers, func() trace.Program { return toy.New(p) })
	}
	bounds := []bpor.Bound{bpor.Preemptions(0), bpor.Preemptions(1), bpor.Delays(1), bpor.Delays(2)}
	for _, e := range engines {
		var got []string
		for _, b := range bounds {
			var sum trace.Stats
			for _, p := range makers {
				stats, err := e.with(b).Explore(p(), func(*trace.Execution) bool { return true })
				if err != nil {
					t.Fatal(err)
				}
				sum.Executions += stats.Executions
				sum.Blocked += stats.Blocked
				sum.Pruned += stats.Pruned
				sum.Races += stats.Races
			}
			got = append(got, fmt.Sprintf("%d+%d+%d of %d", sum.Executions, sum.Blocked, sum.Pruned, sum.Races))
		}
		if got := strings.Join(got, ", "); got != spent[e.name] {
			t.Errorf("%q: %q,", e.name, got)
		}
	}
}

// spent has executions that are complete, blocked and pruned, and races, with
// bounds of 0 and 1 preemptions, and of 1 and 2 delays.
var spent = map[string]string{
	"naive":             "33+0+0 of 72, 70+15+0 of 191, 34+0+0 of 70, 66+0+4 of 149",
	"classic":           "64+0+0 of 518, 150+0+0 of 1194, 43+0+0 of 643, 114+0+0 of 1864",
	"nidhugg":           "59+0+0 of 125, 144+0+0 of 330, 36+0+0 of 74, 79+0+0 of 173",
	"nidhugg, complete": "64+0+0 of 518, 150+0+0 of 1194, 43+0+0 of 643, 114+0+0 of 1864",
	"source":            "59+0+0 of 125, 144+0+0 of 330, 36+0+0 of 74, 79+0+0 of 173",
	"source, complete":  "64+0+0 of 518, 150+0+0 of 1194, 43+0+0 of 643, 114+0+0 of 1864",
	"lazy":              "47+9+54 of 217, 84+18+34 of 296, 36+15+67 of 240, 70+18+49 of 293",
	"lazy, slack":       "75+18+33 of 269, 96+18+22 of 296, 64+18+48 of 272, 90+18+30 of 300",
	"lazy, estimate":    "76+18+32 of 272, 98+18+20 of 298, 98+18+20 of 296, 112+18+10 of 312",
	"optimal":           "45+0+34 of 153, 84+0+34 of 253, 36+0+61 of 192, 69+0+46 of 243",
	"optimal, slack":    "75+0+33 of 226, 96+0+22 of 253, 64+0+46 of 227, 90+0+30 of 259",
	"iterative":         "75+18+66 of 345, 96+18+88 of 445, 64+18+174 of 534, 90+18+204 of 668",
}
