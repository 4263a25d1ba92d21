package unfold_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// explore runs an engine on a program of package paper, to its end.
func explore(t testing.TB, e trace.Engine, program string, n, m int) trace.Stats {
	t.Helper()
	p, ok := paper.Named(program)
	if !ok {
		t.Fatalf("no program %s", program)
	}
	c := exec.New(p.Make(n, m), p.Options)
	defer c.Shutdown()
	stats, err := e.Explore(c, func(*trace.Execution) bool { return true })
	if err != nil || !stats.Exhaustive {
		t.Fatalf("%s(%d,%d), %s: %v, exhaustive: %v", program, n, m, e.Name(), err, stats.Exhaustive)
	}
	return stats
}

// TestTable explores rows of the paper's table 1, and smaller sizes of others: every
// trace once with any k, no more blocked the larger k is, and none with k = ∞.
func TestTable(t *testing.T) {
	for _, p := range []struct {
		program string
		n, m    int
		blocked [3]int64 // for k = 1, 2, 3
	}{
		{"disp", 5, 2, [3]int64{330, 0, 0}},
		{"disp", 5, 3, [3]int64{5990, 0, 0}},
		{"disp", 7, 2, [3]int64{952, 0, 0}},
		{"mpat", 4, 0, [3]int64{}},
		{"mpat", 5, 0, [3]int64{}},
		{"mpc", 2, 5, [3]int64{200, 0, 0}},
		{"mpc", 3, 5, [3]int64{15082, 102, 0}},
		{"pi", 5, 0, [3]int64{}},
		{"pi", 6, 0, [3]int64{}},
		{"pol", 7, 2, [3]int64{2446, 0, 0}},
		{"pol", 6, 3, [3]int64{18075, 21, 0}},
		{"ssb", 8, 0, [3]int64{84, 0, 0}},
		{"ssb-steps", 7, 0, [3]int64{360, 0, 0}},
		{"ssb-locks", 8, 0, [3]int64{}},
	} {
		program, _ := paper.Named(p.program)
		want, ok := program.Traces(p.n, p.m)
		if !effort.Full() && want > 400 {
			continue
		}
		if !ok {
			t.Fatalf("%s(%d,%d): the number of traces is not known", p.program, p.n, p.m)
		}
		var got [3]int64
		for k := range got {
			stats := explore(t, unfold.QPOR{K: k + 1}, p.program, p.n, p.m)
			if stats.Executions != want {
				t.Errorf("%s(%d,%d), k = %d: %d executions of %d traces", p.program, p.n, p.m, k+1, stats.Executions, want)
			}
			if got[k] = stats.Blocked; k > 0 && got[k] > got[k-1] {
				t.Errorf("%s(%d,%d): more blocked executions with k = %d", p.program, p.n, p.m, k+1)
			}
		}
		if got != p.blocked {
			t.Errorf("%s(%d,%d): %v executions blocked for k = 1, 2, 3, it was %v", p.program, p.n, p.m, got, p.blocked)
		}
		for _, e := range []trace.Engine{unfold.Optimal{}, unfold.Optimal{Comb: true}} {
			if stats := explore(t, e, p.program, p.n, p.m); stats.Executions != want || stats.Blocked != 0 {
				t.Errorf("%s(%d,%d), %s: %d executions of %d traces, and %d blocked", p.program, p.n, p.m, e.Name(), stats.Executions, want, stats.Blocked)
			}
		}
	}
}

// TestSSB is the paper's point: where source-DPOR, and k = 1, give up more than twice
// as many executions for every n, k = 2 gives up none.
func TestSSB(t *testing.T) {
	var before [2]int64
	most := 11
	if !effort.Full() {
		most = 7
	}
	for n := 3; n <= most; n++ {
		for i, e := range []trace.Engine{engine.Source{}, unfold.QPOR{K: 1}} {
			stats := explore(t, e, "ssb-steps", n, 0)
			if stats.Executions != int64(2*n) || stats.Blocked < 2*before[i] {
				t.Errorf("ssb-steps(%d), %s: %d executions, %d blocked; with one less there were %d", n, e.Name(), stats.Executions, stats.Blocked, before[i])
			}
			before[i] = stats.Blocked
		}
		for _, program := range []string{"ssb", "ssb-steps", "ssb-locks"} {
			for _, e := range []trace.Engine{unfold.QPOR{K: 2}, unfold.QPOR{K: 3}, unfold.Optimal{}} {
				stats := explore(t, e, program, n, 0)
				if stats.Executions != int64(2*n) || stats.Blocked != 0 {
					t.Errorf("%s(%d), %s: %d executions, %d blocked", program, n, e.Name(), stats.Executions, stats.Blocked)
				}
			}
		}
	}
	if before[0] < 1<<most {
		t.Errorf("source-DPOR gives up no more than %d executions", before[0])
	}
}

// TestBadInput sees to it that what makes no sense ends in a clear error.
func TestBadInput(t *testing.T) {
	program := exec.New(func() {}, exec.Options{})
	for _, c := range []struct {
		engine trace.Engine
		want   string
	}{
		{unfold.QPOR{}, "QPOR.K is 0, but has to be at least 1"},
		{unfold.QPOR{K: -3}, "QPOR.K is -3, but has to be at least 1"},
		{unfold.QPOR{K: 1, Tree: unfold.Tree{Step: -1}}, "Tree.Step is -1, but must not be negative"},
		{unfold.Optimal{Tree: unfold.Tree{MaxEvents: -1}}, "Tree.MaxEvents is -1, but must not be negative"},
	} {
		if _, err := c.engine.Explore(program, func(*trace.Execution) bool { return true }); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.engine, err, c.want)
		}
	}
}

// TestLimit explores a program whose unfolding is kept as a whole at the end, with
// less and less room.
func TestLimit(t *testing.T) {
	c := exec.New(paper.ReadersWriters(10), exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	failed := 0
	for limit := 2000; limit > 10; limit /= 2 {
		e := unfold.Optimal{Tree: unfold.Tree{MaxEvents: limit}}
		stats, err := e.Explore(c, func(*trace.Execution) bool { return true })
		switch {
		case err == nil && (!stats.Exhaustive || stats.Executions != 512):
			t.Errorf("limit %d: %d executions, exhaustive: %v", limit, stats.Executions, stats.Exhaustive)
		case err != nil && (stats.Exhaustive || !strings.Contains(err.Error(), fmt.Sprintf("more than %d events", limit))):
			t.Errorf("limit %d: exhaustive: %v, error %v", limit, stats.Exhaustive, err)
		case stats.Kept > int64(limit)+30: // the events of one execution may come on top
			t.Errorf("limit %d: %d events were kept", limit, stats.Kept)
		case err == nil && failed > 0:
			t.Errorf("limit %d is enough, but larger ones were not", limit)
		}
		if err != nil {
			failed++
		}
	}
	if failed == 0 {
		t.Error("no limit was too small")
	}
}

// TestOver sees to it that engines ask whether the search has to end, also while they
// look for alternatives.
func TestOver(t *testing.T) {
	c := exec.New(paper.ReadersWriters(14), exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	for _, e := range []trace.Engine{unfold.QPOR{K: 2}, unfold.Optimal{}, unfold.Optimal{Comb: true}} {
		stats, err := e.Explore(c, func(x *trace.Execution) bool {
			x.Over = func() bool { return true }
			return true
		})
		if err != nil || stats.Exhaustive || stats.Executions > 4000 {
			t.Errorf("%s: %d executions, exhaustive: %v, error %v", e.Name(), stats.Executions, stats.Exhaustive, err)
		}
	}
}

// TestManyObjects has more objects than masks have bits, so that bits are shared.
func TestManyObjects(t *testing.T) {
	const own = 150
	c := exec.New(func() {
		var x sched.Var[int]
		busy := func(last func()) {
			sched.Go(func() {
				v := make([]sched.Var[int], own)
				for i := range v {
					v[i].Store(i)
				}
				last()
			})
		}
		busy(func() { x.Store(1) })
		for range 3 {
			busy(func() { x.Load() })
		}
	}, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	for _, e := range []trace.Engine{unfold.QPOR{K: 1}, unfold.Optimal{}, unfold.Optimal{Comb: true}} {
		stats, err := e.Explore(c, func(*trace.Execution) bool { return true })
		if err != nil || !stats.Exhaustive || stats.Executions != 8 || stats.Blocked != 0 {
			t.Errorf("%s: %d executions of 8 traces, %d blocked, error %v", e.Name(), stats.Executions, stats.Blocked, err)
		}
	}
}
