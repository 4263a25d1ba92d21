package sched_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// TestEnginesAgree explores random programs over primitives of several steps: the
// engines find the outcomes that all interleavings have, and the optimal ones every
// trace once.
func TestEnginesAgree(t *testing.T) {
	for _, family := range []struct {
		name, parts string
		steps       []step
		o           sched.Options
	}{
		{"tree", "csa", treeSteps, sched.Options{}},
		{"tree in any order", "cs", treeSteps, sched.Options{Time: sched.TimeAnyOrder}},
		{"map", "", mapSteps, sched.Options{}},
		{"map, finer", "", mapSteps, sched.Options{Model: sched.ModelFine}},
		{"group, finer", "", groupSteps, sched.Options{Model: sched.ModelFine}},
	} {
		n := *randomPrograms / 2
		if testing.Short() {
			n /= 10
		}
		r := rand.New(rand.NewPCG(5, 6))
		for done := 0; done < n; {
			program := make([][]step, 2)
			for g := range program {
				for range 1 + r.IntN(2) {
					program[g] = append(program[g], family.steps[r.IntN(len(family.steps))])
				}
			}
			o := family.o
			o.AllowLeaks, o.Races = true, sched.RaceIgnore
			if agreeOn(t, family.parts, program, o) {
				done++
			}
			if t.Failed() {
				t.Fatalf("%s: %s", family.name, describeProgram(program))
			}
		}
	}
}

// agreeOn reports whether the program was small enough to be explored.
func agreeOn(t *testing.T, parts string, program [][]step, o sched.Options) bool {
	results := make([][]any, len(program))
	body := func() { runSteps(parts, program, results) }
	all, err := stepsProgram(parts, program, results, o).by(oracle.Enumerate, 1500, true)
	if errors.Is(err, oracle.ErrTooBig) {
		return false
	}
	if err != nil {
		t.Error(err)
	}
	if l := all.list(); strings.Contains(l, "runtime error") {
		t.Errorf("a primitive fails: %s", l)
	}
	for _, e := range []trace.Engine{por.Source{}, por.DPOR{}, por.Optimal{}, unfold.Optimal{}, unfold.QPOR{K: 2}} {
		c := sched.New(body, o)
		outcomes := map[string]bool{}
		st, err := e.Explore(c, func(x *trace.Execution) bool {
			if !x.Blocked && !x.Pruned {
				text := fmt.Sprint(results)
				for _, f := range x.Run.Outcome() {
					if text += " !" + f.Kind.String(); f.Kind == trace.FailPanic || f.Kind == trace.FailFatal {
						text += " " + f.Msg
					}
				}
				outcomes[text] = true
			}
			return true
		})
		c.Shutdown()
		if err != nil || !st.Exhaustive || len(outcomes) != len(all.Outcomes) || int(st.Executions) < all.Traces {
			t.Errorf("%s: %v, %d executions of %d traces, %d outcomes, want %d", e.Name(), err, st.Executions, all.Traces, len(outcomes), len(all.Outcomes))
		}
		switch e.(type) {
		case por.Optimal, unfold.Optimal:
			if int(st.Executions) != all.Traces || st.Blocked > 0 {
				t.Errorf("%s: %d executions of %d traces, %d blocked", e.Name(), st.Executions, all.Traces, st.Blocked)
			}
		}
	}
	return true
}
