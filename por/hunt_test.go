package por_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// adds lets n goroutines add 1 to a number, each k times, by a load and a store.
func adds(n, k int) func() {
	return func() {
		v := sched.NewVar(0)
		for range n {
			sched.Go(func() {
				for range k {
					v.Store(v.Load() + 1)
				}
			})
		}
	}
}

// The verdicts of engines with bounds say what was covered.
func TestBoundedVerdicts(t *testing.T) {
	small := adds(2, 2)
	for _, c := range []struct {
		engine     trace.Engine
		options    []por.Option
		exhaustive bool
		want       []string
	}{
		{bpor.Optimal{Slack: bpor.Enough}, nil, true, []string{"all ", " traces explored, none fails (exhaustive; optimal-bpor"}},
		{bpor.Optimal{Slack: bpor.Enough, Bound: bpor.Preemptions(100)}, nil, true, []string{"all ", " traces explored, none fails (exhaustive; optimal-bpor"}},
		{bpor.Lazy{Slack: bpor.Enough, Bound: bpor.Preemptions(0)}, nil, false, []string{", every trace with at most 0 preemptions among them, none fails; NOT exhaustive (bounded; lazy-bpor-slack)"}},
		{bpor.Naive{Bound: bpor.Delays(1)}, nil, false, []string{", some of the traces with at most 1 delay among them, none fails; NOT exhaustive (bounded; naive-bpor)"}},
		{bpor.Classic{Bound: bpor.Delays(1)}, nil, false, []string{", every trace with at most 1 delay among them, none fails"}},
		{bpor.Classic{Bound: bpor.Delays(1)}, []por.Option{por.MaxExecutions(1)}, false, []string{"1 execution explored in ", "s, none fails; NOT exhaustive (execution limit; classic-bpor)"}},
		{bpor.Iterative{UpTo: bpor.Preemptions(0)}, nil, false, []string{", every trace with at most 0 preemptions among them, none fails; NOT exhaustive (bounded; iterative-bpor)"}},
		{bpor.Iterative{UpTo: bpor.Preemptions(100)}, nil, true, []string{"all ", " traces explored, none fails (exhaustive; iterative-bpor"}},
		{engine.Hunt{}, nil, true, []string{"all ", " traces explored, none fails (exhaustive; hunt"}},
		{engine.Hunt{UpTo: bpor.Delays(0)}, []por.Option{por.MaxExecutions(1000)}, false,
			[]string{"1,000 executions explored in ", ", every trace with at most 0 delays among them, ", " drawn at random, none fails; NOT exhaustive (execution limit; hunt)"}},
	} {
		res, err := por.Explore(small, append(c.options, por.Engine(c.engine), por.Races(sched.RaceExplore))...)
		if err != nil || res.Exhaustive != c.exhaustive {
			t.Fatalf("%s: %v, %+v", c.engine.Name(), err, res)
		}
		for _, w := range c.want {
			if !strings.Contains(res.Verdict.String(), w) {
				t.Errorf("%s: %q is not in %q", c.engine.Name(), w, res.Verdict)
			}
		}
	}
}

// A hunt spends the first half of its budget on bounds, then draws at random.
func TestBudget(t *testing.T) {
	var res *report.Result
	for budget := 200 * time.Millisecond; ; budget *= 2 { // a busy machine takes longer for the first bound
		var err error
		res, err = por.Explore(adds(2, 12), por.Budget(budget), por.Races(sched.RaceExplore))
		if err != nil || res.Exhaustive || len(res.Failures) > 0 {
			t.Fatalf("%v, %+v", err, res)
		}
		if strings.Contains(res.Verdict.String(), "with at most") || budget > 10*time.Second {
			break
		}
	}
	wantText(t, res.Verdict.String(), "every trace with at most ", " among them, ", " drawn at random, none fails; NOT exhaustive (time limit; hunt)")
	if _, err := por.Explore(writers(2), por.Budget(0)); err == nil || !strings.Contains(err.Error(), "Budget(0s): the time must be positive") {
		t.Errorf("error %v", err)
	}
}

// A failure that needs one preemption is found with the bound of one.
func TestHuntFinds(t *testing.T) {
	res, err := por.Explore(func() {
		v := sched.NewVar(0)
		var done sched.WaitGroup
		for range 5 {
			done.Go(func() { v.Store(v.Load() + 1) })
		}
		if done.Wait(); v.Load() != 5 {
			panic("lost")
		}
	}, por.Budget(5*time.Second), por.Races(sched.RaceExplore))
	if err != nil || len(res.Failures) != 1 || res.Failures[0].Preemptions != 1 {
		t.Fatalf("%v, %+v", err, res)
	}
	wantText(t, res.Verdict.String(), "a failure was found (hunt)")
}

// TestHuntYields gives engines up in the middle of an execution that would take them for
// ever, since the traces of many goroutines that have little to do with each other are
// linearised in very many ways: the failure, which is in every execution, is found at
// random.
func TestHuntYields(t *testing.T) {
	effort.Computes(t)
	many := alive(40, 80_000)
	res, err := por.Explore(func() {
		many()
		sched.NewChan[int](0).Recv()
	}, por.Engine(engine.Hunt{UpTo: bpor.Delays(2), Time: 40 * time.Millisecond}), por.MaxTime(time.Hour), por.MaxSteps(100_000))
	if err != nil || len(res.Failures) != 1 || res.Failures[0].Kind != trace.FailDeadlock || res.Stats.Drawn != 1 {
		t.Fatalf("%v\n%+v", err, res)
	}
	// Whether another engine had its turn, and what it has completed, is a matter of time.
	if want := "iterative-bpor"; !strings.HasPrefix(res.Stats.Fruitless, want) {
		t.Errorf("nothing was completed by %q, expected %q", res.Stats.Fruitless, want)
	}
}

// TestFruitless says in the verdict which parts of a search have completed nothing.
func TestFruitless(t *testing.T) {
	res, err := por.Explore(alive(40, 8000), por.Engine(engine.Hunt{UpTo: bpor.Delays(2), Time: 40 * time.Millisecond}), por.MaxExecutions(3))
	if err != nil || res.Stats.Executions != 3 {
		t.Fatalf("%v\n%+v", err, res)
	}
	// Which of them has completed one, and how many were drawn, is a matter of time.
	wantText(t, res.Verdict.String(), "drawn at random, no complete one by ")
	wantText(t, res.Verdict.String(), "none fails")
}
