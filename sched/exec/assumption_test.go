package exec_test

import (
	"path/filepath"
	"testing"

	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Assumptions are kept over executions, once for every place.
func TestAssumptions(t *testing.T) {
	sched.Assume(sched.AssumeSource, "nothing, outside of executions")
	c := exec.New(func() {
		done := sched.Go(func() { sched.Assume(sched.AssumeSource, "a coin") })
		sched.Assume(sched.AssumeRandom, "a die")
		sched.Choose(2)
		done.Join()
	}, exec.Options{})
	defer c.Shutdown()
	if _, err := (engine.DFS{}).Explore(c, func(*trace.Execution) bool { return true }); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, a := range c.Assumptions() {
		if filepath.Base(a.File) != "assumption_test.go" || a.Line == 0 {
			t.Errorf("%v is placed at %s:%d", a, a.File, a.Line)
		}
		found[a.Kind.String()+": "+a.What] = true
	}
	if len(c.Assumptions()) != 2 || !found["source: a coin"] || !found["random numbers: a die"] {
		t.Errorf("got %v", c.Assumptions())
	}
}
