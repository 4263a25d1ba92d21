package bpor_test

import (
	"testing"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// makeProgram returns a program of the papers.
func makeProgram(t testing.TB, name string, n, m int) func() trace.Program {
	t.Helper()
	p, ok := paper.Named(name)
	if !ok {
		t.Fatalf("no program %s", name)
	}
	if err := p.Check(n, m); err != nil {
		t.Fatal(err)
	}
	return func() trace.Program { return exec.New(p.Make(n, m), p.Options) }
}

// TestCounts counts the traces that have an execution within b = 0, 1, ...
// preemptions: programs.md, "Bounds".
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		name string
		n, m int
		want []int
	}{
		{"micro", 2, 2, []int{2, 8, 22, 32, 34, 34}},
		{"ssb", 4, 0, []int{4, 8, 8, 8}},
		{"micro", 3, 2, []int{6}},
		{"writer-n-readers", 3, 0, []int{8, 8, 8}},
		{"writer-n-readers", 6, 0, []int{64, 64}},
	} {
		for b, want := range c.want {
			for _, e := range engines {
				if e.complete && e.once {
					got := within(t, e.with(bpor.Preemptions(b)), makeProgram(t, c.name, c.n, c.m), bpor.Preemptions(b))
					if got != want {
						t.Errorf("%s(%d,%d), %s, %v: %d traces, want %d", c.name, c.n, c.m, e.name, bpor.Preemptions(b), got, want)
					}
				}
			}
		}
	}
}

// within returns how many of the traces that e visits are within a bound.
func within(t *testing.T, e trace.Engine, p func() trace.Program, b bpor.Bound) int {
	t.Helper()
	n, second := 0, p()
	_, err := e.Explore(p(), func(x *trace.Execution) bool {
		if x.Blocked || x.Pruned {
			return true
		}
		least, err := bpor.Minimum(second, x.Schedule, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		if b.Allows(least) {
			n++
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestIterative compares what is covered bound by bound with those counts.
func TestIterative(t *testing.T) {
	p := makeProgram(t, "micro", 2, 2)
	var covered []bpor.Bound
	visited := 0
	e := bpor.Iterative{UpTo: bpor.Preemptions(10), Covered: func(b bpor.Bound, s *trace.Stats) {
		covered = append(covered, b)
		if s.Executions != int64(visited) {
			t.Errorf("%v: %d executions are counted, %d were visited", b, s.Executions, visited)
		}
	}}
	stats, err := e.Explore(p(), func(x *trace.Execution) bool {
		if !x.Blocked && !x.Pruned {
			visited++
		}
		return true
	})
	if err != nil || !stats.Exhaustive || visited != 34 {
		t.Errorf("%+v, %v, %d visited", stats, err, visited)
	}
	for b, c := range covered {
		if last := b == len(covered)-1; last && c != (bpor.Bound{}) || !last && c != bpor.Preemptions(b) {
			t.Errorf("covered %v", covered)
		}
	}
	if len(covered) < 3 {
		t.Errorf("covered %v", covered)
	}
}

// TestBad has bounds that make no sense.
func TestBad(t *testing.T) {
	p := makeProgram(t, "micro", 2, 2)
	for _, e := range engines {
		for _, b := range []bpor.Bound{bpor.Preemptions(-1), bpor.Delays(-7)} {
			stats, err := e.with(b).Explore(p(), func(*trace.Execution) bool { t.Error("visited"); return false })
			if err == nil || stats != (trace.Stats{}) {
				t.Errorf("%s, %v: %+v, %v", e.name, b, stats, err)
			}
		}
	}
}
