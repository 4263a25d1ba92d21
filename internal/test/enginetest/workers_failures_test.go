package enginetest

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

// TestWorkersFailuresOnly has a visitor ask for failures only: it is shown all of those, once each, executions are as many
// as one worker counts, and a search that ends with a failure ends with the same one.
func TestWorkersFailuresOnly(t *testing.T) {
	searches, failed, unseen := 0, 0, int64(0)
	for i, p := range toytest.Programs(t, 300) {
		all, err := oracle.Traces(toy.New(p), oracle.Limits{Executions: 300, Depth: 40})
		if err != nil || len(all.Classes) < 20 {
			continue
		}
		for m := uint64(2); m < 100; m = 5*m + 1 {
			for _, ends := range []bool{false, true} {
				program := func() trace.Program { return failing{toy.New(p), m, toy.New(p)} }
				want := seen{ends: ends}
				stats, err := engine.Reverse{}.Explore(program(), want.visit)
				if err != nil {
					t.Fatal(err)
				}
				searches, failed = searches+1, failed+len(want.failures)
				for n := 2; n <= 8; n++ {
					got := seen{ends: ends}
					s, err := crew(n, program).Explore(program(), got.visit)
					same := got.last == want.last && (ends || maps.Equal(got.failures, want.failures))
					if err != nil || s.Executions != stats.Executions || s.Exhaustive != stats.Exhaustive || !same || got.late > 0 {
						t.Fatalf("program %d, %d workers: %v, the last failure is %x after %d executions (%v); want %v, %x, %d. %d were counted too late\n%v",
							i, n, got.failures, got.last, s.Executions, err, want.failures, want.last, stats.Executions, got.late, p)
					}
					if !ends {
						unseen += s.Executions - got.visits
					}
				}
			}
		}
	}
	t.Logf("%d searches with %d failures; %d executions were not shown", searches, failed, unseen)
	if failed == 0 || unseen == 0 {
		t.Error("there are no failures, or the visitor has seen everything")
	}
}

// seen is what a visitor that asks for failures only was shown.
type seen struct {
	ends     bool // with a failure
	failures map[string]int
	last     string
	visits   int64
	late     int // visits of which Stats do not know
}

func (s *seen) visit(x *trace.Execution) bool {
	if s.visits++; x.Stats.Executions < s.visits {
		s.late++
	}
	x.FailuresOnly = true
	failures := x.Run.Outcome()
	if len(failures) == 0 {
		return true
	}
	if s.failures == nil {
		s.failures = make(map[string]int)
	}
	s.failures[failures[0].Msg]++
	if s.ends { // the last one is the first in order
		s.last = failures[0].Msg
	}
	return !s.ends
}

// failing is a program of which one of m traces fails.
type failing struct {
	trace.Program
	m      uint64
	second trace.Program // to tell traces apart by
}

func (p failing) Start() trace.Run {
	return &failingRun{Run: p.Program.Start(), p: p}
}

type failingRun struct {
	trace.Run
	p        failing
	schedule trace.Schedule
}

func (r *failingRun) Step(c trace.Choice) (*trace.Event, error) {
	r.schedule = append(r.schedule, c)
	return r.Run.Step(c)
}

func (r *failingRun) Replay(s trace.Schedule) error {
	r.schedule = append(r.schedule, s...)
	return r.Run.Replay(s)
}

func (r *failingRun) Outcome() []trace.Failure {
	v := verifier{second: r.p.second, hb: trace.NewTracker(trace.Dependence)}
	fp, err := v.class(r.schedule)
	switch {
	case err != nil:
		return []trace.Failure{{Kind: trace.FailPanic, Msg: err.Error()}}
	case fp%r.p.m == 0:
		return []trace.Failure{{Kind: trace.FailPanic, Msg: fmt.Sprintf("%x", fp)}}
	}
	return nil
}

// TestWorkersFailuresOnlySlow has executions that take a while: the visitor is shown some of them, though none fails.
func TestWorkersFailuresOnlySlow(t *testing.T) {
	program := func() trace.Program { return slow{published(t, "lastzero", 3, 0)} }
	for n := 2; n <= 3; n++ {
		visits, counted := int64(0), int64(0)
		stats, err := crew(n, program).Explore(program(), func(x *trace.Execution) bool {
			visits++
			if x.Stats.Executions < visits || x.Stats.Executions < counted || visits > int64(n) && x.Stats.Elapsed == 0 {
				t.Errorf("%d workers: %d executions, %d at the visit before, in %v", n, x.Stats.Executions, counted, x.Stats.Elapsed)
			}
			counted = x.Stats.Executions
			x.FailuresOnly = true
			return true
		})
		t.Logf("%d workers: %d of %d executions were shown", n, visits, stats.Executions)
		if err != nil || !stats.Exhaustive || visits <= int64(n) || counted > stats.Executions {
			t.Errorf("%d workers: %d of %d executions were shown (%v)", n, visits, stats.Executions, err)
		}
	}
}

// slow is a program that takes long to say what comes of an execution.
type slow struct{ trace.Program }

func (p slow) Start() trace.Run { return slowRun{p.Program.Start()} }

type slowRun struct{ trace.Run }

func (r slowRun) Outcome() []trace.Failure {
	time.Sleep(20 * time.Millisecond)
	return r.Run.Outcome()
}
