package paper_test

import (
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestEagerCounts compares how many race checks and constraint systems without a solution
// are counted with what the Eager POR paper prints in its appendix A, where that does not
// depend on the order in which traces are explored.
func TestEagerCounts(t *testing.T) {
	for _, c := range []struct {
		name                         string
		n                            int
		source, eager, unsatisfiable int64 // 0 if it depends
	}{
		{"readers-writers", 2, 2, 1, 0}, {"readers-writers", 9, 8193, 36, 0}, {"readers-writers", 12, 116225, 66, 0},
		{"ring", 3, 18, 3, 2}, {"ring", 4, 80, 6, 2}, {"ring", 12, 0, 66, 2},
		{"ring-extended", 2, 34, 6, 10}, {"ring-extended", 3, 1029, 15, 4006}, {"ring-extended", 4, 14734, 28, 64750},
		{"ring-extended", 5, 0, 45, 1042846},
	} {
		p, ok := paper.Named(c.name)
		if !ok {
			t.Fatalf("no program %q", c.name)
		}
		explore := func(e trace.Engine) trace.Stats {
			program := exec.New(p.Make(c.n, 0), p.Options)
			defer program.Shutdown()
			stats, err := e.Explore(program, func(*trace.Execution) bool { return true })
			if want, _ := p.Traces(c.n, 0); err != nil || stats.Executions != want {
				t.Errorf("%s(%d), %s: %d traces, want %d; %v", c.name, c.n, e.Name(), stats.Executions, want, err)
			}
			return stats
		}
		if s := explore(engine.Source{}); c.source > 0 && s.RaceChecks != c.source {
			t.Errorf("%s(%d): %d race checks of source, want %d", c.name, c.n, s.RaceChecks, c.source)
		}
		for _, e := range []trace.Engine{engine.Eager{}, engine.EagerAdaptive{}} {
			s := explore(e)
			if s.RaceChecks != c.eager || s.Unsatisfiable != c.unsatisfiable || s.Races > 0 || s.Blocked > 0 {
				t.Errorf("%s(%d), %s: %d race checks and %d systems without a solution, want %d and %d; %d races, %d blocked",
					c.name, c.n, e.Name(), s.RaceChecks, s.Unsatisfiable, c.eager, c.unsatisfiable, s.Races, s.Blocked)
			}
		}
	}
}
