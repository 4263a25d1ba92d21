package estimate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/estimate"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

func closureOf(t *testing.T, name string, n, m int) *exec.Closure {
	t.Helper()
	p, ok := paper.Named(name)
	if !ok {
		t.Fatalf("no program %q", name)
	}
	c := exec.New(p.Make(n, m), p.Options)
	t.Cleanup(c.Shutdown)
	return c
}

func estimateOf(t *testing.T, c *exec.Closure, traces bool, probes int) (count, deviation float64) {
	t.Helper()
	e := estimate.New(c, traces, 7)
	for range probes {
		if err := e.Probe(); err != nil {
			t.Fatal(err)
		}
	}
	return e.Mean()
}

// near fails unless the estimate is within four standard errors, and the standard
// error is small enough for that to mean something.
func near(t *testing.T, what string, count, deviation, want float64) {
	t.Helper()
	if deviation > 0.2*want || math.Abs(count-want) > 4*deviation+1e-9 {
		t.Errorf("%s: %.1f ± %.1f, want %v", what, count, deviation, want)
	}
}

// TestEstimateTraces compares estimates with known numbers of traces.
func TestEstimateTraces(t *testing.T) {
	effort.Computes(t)
	for _, k := range []struct {
		name string
		n, m int
	}{
		{"readers-writers", 6, 0}, {"ring", 5, 0}, {"branching", 4, 0}, {"lastzero", 5, 0},
		{"ssb", 4, 0}, {"mpat", 3, 0}, {"disp", 2, 2}, {"micro", 2, 2}, {"indexer-mod", 4, 0},
		{"locks", 2, 3}, {"abba", 0, 0}, {"meet", 2, 2}, {"select-two", 0, 0}, {"waitgroup", 4, 0},
	} {
		p, _ := paper.Named(k.name)
		want, known := p.Traces(k.n, k.m)
		if !known {
			t.Fatalf("%s: the count is not known", k.name)
		}
		count, deviation := estimateOf(t, closureOf(t, k.name, k.n, k.m), true, 3_000)
		near(t, k.name, count, deviation, float64(want))
	}
}

// TestEstimateInterleavings compares with what DFS counts.
func TestEstimateInterleavings(t *testing.T) {
	effort.Computes(t)
	for _, k := range []struct {
		name string
		n, m int
	}{{"micro", 2, 2}, {"locks", 2, 1}, {"select-two", 0, 0}} {
		c := closureOf(t, k.name, k.n, k.m)
		st, err := engine.DFS{}.Explore(c, func(*trace.Execution) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		count, deviation := estimateOf(t, c, false, 2_000)
		near(t, k.name, count, deviation, float64(st.Executions))
	}
}

func TestEstimateText(t *testing.T) {
	for _, k := range []struct {
		count, deviation float64
		atMost           bool
		want             string
	}{
		{0, 0, false, "no estimate of the whole yet"},
		{5, math.Inf(1), false, "no estimate of the whole yet"},
		{1000, 100, false, "about 1e+03 ± 10% in all"},
		{250, 5, true, "at most about 250 ± 2% in all"},
	} {
		if got := estimate.Text(k.count, k.deviation, k.atMost); got != k.want {
			t.Errorf("%v ± %v: %q, want %q", k.count, k.deviation, got, k.want)
		}
	}
	for seconds, want := range map[float64]string{90: "1m30s left", 1e12: "3e+04 years left"} {
		if got := estimate.Left(seconds); got != want {
			t.Errorf("%v seconds: %q, want %q", seconds, got, want)
		}
	}
}

// stopping is a program of three goroutines. What the second one does is one operation less if the
// first one comes before it: a library stops its own timer. So nothing of it is pending then.
type stopping struct{ ops [3]trace.Op }

func (p *stopping) Start() trace.Run {
	r := &stoppingRun{left: make([]*trace.Op, 0, len(p.ops))}
	for i := range p.ops {
		op := &p.ops[i]
		*op = trace.Op{G: trace.ID(i), Kind: trace.OpStore, Alts: 1, Within: 1}
		op.Touch(int32(i/2), trace.ModeWrite)
		r.left = append(r.left, op)
	}
	return r
}

func (p *stopping) Shutdown() {}

type stoppingRun struct {
	left   []*trace.Op
	events int
}

func (r *stoppingRun) Pending() []*trace.Op { return r.left }

func (r *stoppingRun) Step(c trace.Choice) (*trace.Event, error) {
	r.events++
	ev := new(trace.Event)
	r.left = slices.DeleteFunc(slices.Clone(r.left), func(op *trace.Op) bool {
		if op.G == c.G {
			ev.Op = *op
		}
		return op.G == c.G || op.G == 1 && c.G == 0
	})
	return ev, nil
}

func (r *stoppingRun) Replay(s trace.Schedule) error {
	for _, c := range s {
		r.Step(c)
	}
	return nil
}

func (r *stoppingRun) Len() int                 { return r.events }
func (r *stoppingRun) Outcome() []trace.Failure { return nil }
func (r *stoppingRun) Close()                   {}

// TestEstimateStopped has a goroutine that sleeps, and is not pending any more when an operation
// comes after the one that a race inside a library has put before it.
func TestEstimateStopped(t *testing.T) {
	for seed := range uint64(20) {
		e := estimate.New(new(stopping), true, seed)
		for range 20 {
			if err := e.Probe(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
