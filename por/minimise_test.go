package por

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/minimise"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// fewestOfKind returns the fewest preemptions of an execution of f that fails in
// that way, by brute force over all interleavings.
func fewestOfKind(t *testing.T, f func(), o exec.Options, kind trace.FailureKind) int {
	t.Helper()
	c := exec.New(f, o)
	defer c.Shutdown()
	var failing []trace.Schedule
	_, err := engine.DFS{}.Explore(c, func(x *trace.Execution) bool {
		if fs := x.Run.Outcome(); len(fs) > 0 && trial.Primary(fs).Kind == kind {
			failing = append(failing, append(trace.Schedule(nil), x.Schedule...))
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	least := 1 << 30
	for _, s := range failing {
		tr, _ := trial.Guide(c, s, nil, nil)
		least = min(least, tr.Preemptions)
	}
	return least
}

// randomProgram returns a closure of a few goroutines that lock, read and write,
// and sets *bad when a goroutine reads different values one after the other.
func randomProgram(r *rand.Rand, bad *bool) func() {
	type action struct{ kind, obj int }
	threads := make([][]action, 2+r.IntN(2))
	for i := range threads {
		for range 5 - len(threads) - r.IntN(2) {
			threads[i] = append(threads[i], action{r.IntN(3), r.IntN(2)})
		}
	}
	return func() {
		*bad = false
		mu := make([]sched.Mutex, 2)
		v := []*sched.Var[int]{sched.NewVar(0), sched.NewVar(0)}
		for i, actions := range threads {
			sched.Go(func() {
				for _, a := range actions {
					switch a.kind {
					case 0:
						mu[a.obj].Lock()
						defer mu[a.obj].Unlock()
					case 1:
						v[a.obj].Store(i + 1)
					case 2:
						if v[a.obj].Load() != v[a.obj].Load() {
							*bad = true
						}
					}
				}
			})
		}
	}
}

func TestMinimiseFindsTheFewestPreemptions(t *testing.T) {
	effort.Computes(t)
	var bad bool
	o := exec.Options{Races: sched.RaceExplore, Harness: exec.Harness{Probe: func() []trace.Failure {
		if bad {
			return []trace.Failure{{Kind: trace.FailAssertion, G: -1, Step: -1, Msg: "differs"}}
		}
		return nil
	}}}
	r := rand.New(rand.NewPCG(7, 8))
	failing, preempted := 0, 0
	for i := range 200 {
		f := randomProgram(r, &bad)
		c := exec.New(f, o)
		var found trace.Schedule
		engine.Random{Seed: uint64(i), Executions: 100}.Explore(c, func(x *trace.Execution) bool {
			if len(x.Run.Outcome()) > 0 {
				found = append(found, x.Schedule...)
				return false
			}
			return true
		})
		if found == nil {
			c.Shutdown()
			continue
		}
		failing++
		first, _ := trial.Guide(c, found, nil, nil)
		same := func(f trace.Failure) bool { return f.Kind == first.Primary.Kind }
		best, proven := minimise.Execution(c, first, budget, same, func() bool { return false }, time.Now)
		if first.Simpler(best) {
			t.Fatalf("program %d: minimising made the schedule worse", i)
		}
		again, ok := trial.Guide(c, best.Schedule, nil, nil)
		if !ok || again.Primary.Kind != first.Primary.Kind || again.Preemptions != best.Preemptions {
			t.Fatalf("program %d: the schedule does not fail again", i)
		}
		c.Shutdown()
		if want := fewestOfKind(t, f, o, first.Primary.Kind); !proven || best.Preemptions != want {
			t.Errorf("program %d: %d preemptions (proven: %v), want %d", i, best.Preemptions, proven, want)
		}
		if best.Preemptions > 0 {
			preempted++
		}
	}
	if failing < 50 || preempted < 20 {
		t.Errorf("only %d programs fail, %d of them with preemptions: the test is weak", failing, preempted)
	}
}

func TestMinimiseStops(t *testing.T) {
	c := exec.New(twoLocks(false), exec.Options{})
	defer c.Shutdown()
	found := trace.Schedule{{G: 0}, {G: c.Lookup([]int32{0})}}
	first, _ := trial.Guide(c, found, nil, nil)
	if first.Primary.Kind != trace.FailDeadlock {
		t.Fatalf("failure is %v", first.Primary)
	}
	best, proven := minimise.Execution(c, first, budget, func(f trace.Failure) bool { return f.Kind == first.Primary.Kind }, func() bool { return true }, time.Now)
	if best != first || proven {
		t.Errorf("a stopped search claims %+v, %v", best, proven)
	}
}

func TestMinimiseShortensLongLoops(t *testing.T) {
	// A worker polls a flag up to 200 times; the failure needs one poll only.
	c := exec.New(func() {
		flag, n := sched.NewVar(0), sched.NewVar(0)
		h := sched.Go(func() {
			for range 200 {
				if flag.Load() == 1 {
					n.Store(1)
					return
				}
			}
		})
		flag.Store(1)
		h.Join()
		if n.Load() == 1 {
			panic("seen")
		}
	}, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	g1 := c.Lookup([]int32{0})
	var found trace.Schedule
	for range 150 {
		found = append(found, trace.Choice{G: g1})
	}
	found = append(found, trace.Choice{G: 0})
	first, _ := trial.Guide(c, found, nil, nil)
	if first.Primary.Kind != trace.FailPanic || first.Steps < 150 {
		t.Fatalf("%d steps, failure %v", first.Steps, first.Primary)
	}
	best, proven := minimise.Execution(c, first, budget, func(f trace.Failure) bool { return f.Kind == trace.FailPanic }, func() bool { return false }, time.Now)
	if best.Steps > 5 || best.Preemptions != 0 || !proven {
		t.Errorf("%d steps, %d preemptions, proven: %v", best.Steps, best.Preemptions, proven)
	}
	// On a clock that stands still no time is too little.
	begin := time.Now()
	best, _ = minimise.Execution(c, first, minimise.Budget{Enough: 1, Most: 1}, func(f trace.Failure) bool { return f.Kind == trace.FailPanic }, func() bool { return false }, func() time.Time { return begin })
	if best.Steps > 5 {
		t.Errorf("%d steps, though the clock of the budget stands still", best.Steps)
	}
}

// TestClockStandsForLooks compares the clock of a session with the time that looking for leaks takes.
func TestClockStandsForLooks(t *testing.T) {
	s := explore.NewSession(explore.Config{Engine: engine.Optimal{}}, explore.Subject{})
	c := exec.New(func() { sched.Go(func() { sched.NewChan[int](0).Recv() }) }, exec.Options{Leaks: s.Leaks})
	defer c.Shutdown()
	began := time.Now()
	begin := s.Clock()
	first, _ := trial.Guide(c, nil, nil, nil)
	took, all := s.Clock().Sub(begin), time.Since(began)
	if looked := s.Leaks.Took(); first.Primary.Kind != trace.FailLeak || looked <= 0 || took > all-looked {
		t.Errorf("%v: %v by the clock, of %v with %v for looks", first.Primary, took, all, looked)
	}
}

// TestMinimiseGivesUpLongExecutions runs an execution of many steps with no time
// left: it is not waited for.
func TestMinimiseGivesUpLongExecutions(t *testing.T) {
	c := exec.New(func() {
		var m sched.Mutex
		for range 50 * trial.Glance {
			m.Lock()
			m.Unlock()
		}
		panic("oh")
	}, exec.Options{MaxSteps: 200 * trial.Glance})
	defer c.Shutdown()
	first, _ := trial.Guide(c, nil, nil, nil)
	if first.Primary.Kind != trace.FailPanic || len(first.Schedule) != 100*trial.Glance {
		t.Fatalf("%d steps, failure %v", len(first.Schedule), first.Primary)
	}
	over := func() bool { return true }
	if got, ok := trial.Guide(c, first.Schedule, nil, over); ok || len(got.Schedule) > trial.Glance {
		t.Errorf("with no time left %d steps were made", len(got.Schedule))
	}
	s := minimise.NewBounded(c, nil, 0, over)
	if _, err := s.Run(); err == nil || len(s.Schedule()) > trial.Glance {
		t.Errorf("with no time left %d steps were made, %v", len(s.Schedule()), err)
	}
	s = minimise.NewBounded(c, first.Schedule, 0, over)
	if _, err := s.Run(); err == nil || len(s.Schedule()) > len(first.Schedule) {
		t.Errorf("with no time left the execution was replayed, %v", err)
	}
}

// budget is the time for minimising in tests.
var budget = minimise.Budget{Enough: 500 * time.Millisecond, Most: time.Second}
