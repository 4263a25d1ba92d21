package minimise

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/enginetest"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// minimiserOf returns a minimiser of an execution that has all the time it needs.
func minimiserOf(p trace.Program, s trace.Schedule, same func(trace.Failure) bool) *minimiser {
	best, _ := trial.Guide(p, s, nil, nil)
	m := &minimiser{p: p, same: same, stop: func() bool { return false }, best: best, end: time.Now().Add(time.Hour), now: time.Now}
	m.refill(1<<30, time.Hour)
	return m
}

// TestCheapest compares the cheapest schedule of every trace of random programs with the cheapest
// of the oracle, which has run all executions.
func TestCheapest(t *testing.T) {
	traces, saved := 0, 0
	for i, p := range toytest.Programs(t, 1000) {
		want, err := oracle.Enumerate(toy.New(p), enginetest.Small)
		if errors.Is(err, oracle.ErrTooBig) {
			continue
		}
		for _, c := range want.Classes {
			traces++
			m := minimiserOf(toy.New(p), c.Schedule, nil)
			o := m.orderOf(m.best)
			o.want(true)
			s, n := o.cheapest(len(m.best.Preempted), m.over)
			got, _ := trial.Guide(m.p, s, nil, nil)
			if n != c.Preemptions || len(got.Preempted) != n || len(got.Schedule) != len(m.best.Schedule) {
				t.Fatalf("program %d: %v of %v: %d preemptions, when run %d, want %d\n%v", i, s, c.Schedule, n, len(got.Preempted), c.Preemptions, p)
			}
			if fs := oracle.FailureTexts(got.Failures); !slices.Equal(fs, c.Failures) {
				t.Fatalf("program %d: %v of %v fails by %v, want %v\n%v", i, s, c.Schedule, fs, c.Failures, p)
			}
			if n < len(m.best.Preempted) {
				saved++
			}
			if f := m.best.Primary; len(m.best.Failures) > 0 && f.Step >= 0 && trial.Shows(f.Kind) {
				o.want(false)
				s, n := o.cheapest(len(m.best.Preempted), m.over)
				if got, _ := trial.Guide(m.p, s, nil, nil); s != nil && (got.Primary.Kind != f.Kind || got.Steps > m.best.Steps || n > got.Preemptions) {
					t.Fatalf("program %d: %v of %v: %v after %d steps and %d preemptions, want %v and %d\n%v", i, s, c.Schedule, got.Primary, got.Steps, got.Preemptions, f, n, p)
				}
				o.want(true)
			}
			// Two cuts at a time may not be enough for the fewest.
			if s, n := o.cheapest(mostMoves, m.over); s != nil && len(s) != o.total || n < c.Preemptions {
				t.Fatalf("program %d: %v of %v: at most %d preemptions, %d are the fewest\n%v", i, s, c.Schedule, n, c.Preemptions, p)
			}
		}
	}
	if saved == 0 {
		t.Error("no schedule was dearer than the cheapest: the test is weak")
	}
	t.Logf("%d traces, %d schedules dearer than the cheapest", traces, saved)
}

// TestExecution minimises one execution of every failing trace of random programs. The oracle knows
// the fewest preemptions with which an execution fails so.
func TestExecution(t *testing.T) {
	minimised, fewer := 0, 0
	for i, p := range toytest.Programs(t, 300) {
		want, err := oracle.Enumerate(toy.New(p), enginetest.Small)
		if errors.Is(err, oracle.ErrTooBig) {
			continue
		}
		failing := make(map[trace.FailureKind][]*oracle.Class)
		for _, c := range want.Classes {
			if got, _ := trial.Guide(toy.New(p), c.Schedule, nil, nil); len(got.Failures) > 0 {
				failing[got.Primary.Kind] = append(failing[got.Primary.Kind], c)
			}
		}
		for kind, classes := range failing {
			fewest := slices.MinFunc(classes, func(a, b *oracle.Class) int { return a.Preemptions - b.Preemptions }).Preemptions
			for _, c := range classes[:min(len(classes), 5)] {
				minimised++
				first, _ := trial.Guide(toy.New(p), c.Schedule, nil, nil)
				same := func(f trace.Failure) bool { return f.Kind == kind }
				begin := time.Now()
				best, proven := Execution(toy.New(p), first, Budget{Enough: 1, Most: 1}, same, func() bool { return false }, func() time.Time { return begin })
				again, _ := trial.Guide(toy.New(p), best.Schedule, nil, nil)
				switch {
				case first.Simpler(best) || !again.Shows(same) || again.Preemptions != best.Preemptions || again.Steps != best.Steps:
					t.Fatalf("program %d: %v of %v fails by %v\n%v", i, best.Schedule, c.Schedule, again.Failures, p)
				case !proven || best.Preemptions > fewest || !trial.Shows(kind) && best.Preemptions < fewest:
					t.Fatalf("program %d: %v of %v has %d preemptions (proven: %v), %d are the fewest\n%v", i, best.Schedule, c.Schedule, best.Preemptions, proven, fewest, p)
				case best.Preemptions < first.Preemptions:
					fewer++
				}
			}
		}
	}
	if fewer < minimised/20 {
		t.Errorf("of %d executions only %d had more preemptions than needed: the test is weak", minimised, fewer)
	}
	t.Logf("%d executions, %d had more preemptions than needed", minimised, fewer)
}

// TestCheapestEnds has an execution that goes on after the failure: leaving the goroutine that fails
// is no preemption.
func TestCheapestEnds(t *testing.T) {
	o := &order{events: [][]event{{{block: 3}, {block: 3}, {block: 3}}}, past: []int32{2}}
	o.want(false)
	if s, n := o.cheapest(1, func() bool { return false }); len(s) != 2 || n != 0 {
		t.Errorf("%v has %d preemptions", s, n)
	}
}

// TestExecutionLong: of a long execution that fails without preemptions, too, no shorter one is
// looked for.
func TestExecutionLong(t *testing.T) {
	c := exec.New(func() {
		var n, m sched.Int64
		h := sched.Go(func() {
			for range 10 {
				m.Add(1)
			}
		})
		for range 10 {
			n.Add(1)
		}
		h.Join()
		panic("always")
	}, exec.Options{})
	defer c.Shutdown()
	same := func(f trace.Failure) bool { return f.Kind == trace.FailPanic }
	for _, long := range []bool{false, true} {
		runs := 0
		_, err := engine.Random{Seed: 1, Executions: 1}.Explore(c, func(x *trace.Execution) bool {
			schedule := slices.Clone(x.Schedule)
			x.Run.Close()
			first, _ := trial.Guide(c, schedule, nil, nil)
			if first.Preemptions == 0 {
				t.Fatal("the drawn execution has no preemptions")
			}
			best, fewest := Execution(c, first, Budget{Enough: time.Minute, Most: time.Minute, Long: long}, same, func() bool { runs++; return false }, time.Now)
			if best.Preemptions != 0 || !fewest {
				t.Errorf("long %v: %d preemptions", long, best.Preemptions)
			}
			return false
		})
		if err != nil {
			t.Fatal(err)
		}
		if few := runs <= 3; few != long {
			t.Errorf("long %v: the budget was asked for %d times", long, runs)
		}
	}
}
