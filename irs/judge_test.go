package irs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// judge enumerates what the environment admits under a prefix. It returns what is wrong: a
// failure, a deadlock, nothing at all, or not the traces that were verified. For these are
// all that have the configuration as a prefix, and each of them is admitted.
func judge(p trace.Program, prefix *Prefix) error {
	result, err := oracle.Traces(Filter(p, prefix), oracle.Limits{Executions: 20000})
	if err != nil {
		return err
	}
	for _, c := range result.Classes {
		if len(c.Failures) > 0 {
			return fmt.Errorf("%v admits %v, by schedule %v", prefix, c.Failures, c.Schedule)
		}
	}
	if got := int64(len(result.Classes)); got != prefix.Traces {
		return fmt.Errorf("%v admits %d traces", prefix, got)
	}
	return nil
}

// verified verifies a program and has every admissible prefix judged, from the longest one
// on. It returns the prefixes.
func verified(t *testing.T, p, again trace.Program, o Options) (prefixes []*Prefix, r *Result) {
	t.Helper()
	o.Relaxed = func(p *Prefix) { prefixes = append(prefixes, p) }
	r, err := VerifyProgram(context.Background(), p, o)
	if errors.Is(err, ErrNoCorrectSchedule) || errors.Is(err, ErrNotFound) {
		return nil, r
	}
	if err != nil {
		t.Fatal(err)
	}
	if r.Prefix.Unordered() != nil {
		return nil, r
	}
	for i, p := range prefixes {
		if err := judge(again, p); errors.Is(err, oracle.ErrTooBig) {
			return prefixes, r
		} else if err != nil {
			t.Fatalf("prefix %d of %d: %v\n%v\n%v", i, len(prefixes), err, p.Events, p.Constraints)
		}
	}
	return prefixes, r
}

// threeEvents is the program by which algorithm 1 of the paper is unsound as printed: e1
// and f write a, and e2 asserts that it is 1.
func threeEvents() {
	var a sched.Var[int]
	sched.Go(func() {
		a.Store(1) // e1
		a.Store(2) // f
	})
	sched.Go(func() {
		if v := a.Load(); v != 1 { // e2
			panic(fmt.Sprintf("a is %d", v))
		}
	})
}

var explored = Options{Sched: exec.Options{Races: sched.RaceExplore}}

func closure(t *testing.T, f func(), o exec.Options) *exec.Closure {
	c := exec.New(f, o)
	t.Cleanup(c.Shutdown)
	return c
}

func TestThreeEvents(t *testing.T) {
	p := closure(t, threeEvents, explored.Sched)
	prefixes, r := verified(t, p, closure(t, threeEvents, explored.Sched), explored)
	if r.Failure == nil {
		t.Fatal("no failure was found")
	}
	last := prefixes[len(prefixes)-1]
	if last != r.Prefix || len(last.Constraints) != 2 || last.Complete {
		t.Fatalf("the last prefix is %v: %v", last, last.Constraints)
	}
	// As the paper has it, what lies beyond the prefix may come at any time.
	printed := *last
	printed.Constraints = nil
	printed.Events = last.Events
	of := make(map[trace.ID]int32)
	for _, e := range last.Events {
		of[e.G]++
	}
	for _, c := range last.Constraints {
		if c.After.N < of[c.After.G] {
			printed.Constraints = append(printed.Constraints, c)
		}
	}
	if len(printed.Constraints) != 1 {
		t.Fatalf("within the prefix there are %v", printed.Constraints)
	}
	printed.compile()
	if err := judge(p, &printed); err == nil {
		t.Error("algorithm 1 as printed admits no failure: the judge is blind")
	}
}

func TestBarrier(t *testing.T) {
	o := explored
	o.Barrier = true
	prefixes, _ := verified(t, closure(t, threeEvents, o.Sched), closure(t, threeEvents, o.Sched), o)
	if len(prefixes) == 0 {
		t.Error("nothing was admitted")
	}
}

// sizes are those at which brute force can enumerate what the longest prefix admits.
func TestPapersPrograms(t *testing.T) {
	effort.Computes(t)
	large := map[string]bool{"indexer": true, "indexer-start": true, "pipeline": true, "pol": true, "mpc": true, "lastzero-down-start": true, "disp": true, "ssb-locks": true}
	for _, p := range paper.Programs() {
		if large[p.Name] {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			n, m := min(p.N.Default, max(p.N.Min, 3)), min(p.M.Default, max(p.M.Min, 2))
			o := Options{Sched: p.Options, MaxExecutions: 2000}
			for _, o.Barrier = range []bool{false, true} {
				f := p.Make(n, m)
				prefixes, r := verified(t, closure(t, f, p.Options), closure(t, f, p.Options), o)
				if r.Failure == nil && len(prefixes) == 0 && r.Prefix.Unordered() == nil {
					t.Error("nothing was admitted")
				}
			}
		})
	}
}

// sample performs executions that the environment admits at random, where there are too many
// to enumerate.
func sample(p trace.Program, prefix *Prefix, r *rand.Rand, n int) error {
	f := Filter(p, prefix)
	for range n {
		run := f.Start()
		var s trace.Schedule
		for ops := run.Pending(); len(ops) > 0; ops = run.Pending() {
			op := ops[r.IntN(len(ops))]
			s = append(s, trace.Choice{G: op.G, Alt: r.Int32N(op.Alts)})
			if _, err := run.Step(s[len(s)-1]); err != nil {
				return err
			}
		}
		if fs := run.Outcome(); len(fs) > 0 {
			return fmt.Errorf("%v admits %v, by schedule %v", prefix, fs, s)
		}
		run.Close()
	}
	return nil
}

func TestLargePrograms(t *testing.T) {
	effort.Computes(t)
	r := rand.New(rand.NewPCG(1, 17))
	for _, k := range []struct {
		name string
		n, m int
	}{{"indexer", 13, 0}, {"lastzero", 8, 0}, {"disp", 3, 2}, {"mpc", 2, 3}, {"ssb-locks", 4, 0}, {"pi", 5, 0}, {"pol", 3, 2}, {"pipeline", 3, 3}} {
		t.Run(k.name, func(t *testing.T) {
			p, _ := paper.Named(k.name)
			f := p.Make(k.n, k.m)
			var prefixes []*Prefix
			o := Options{Sched: p.Options, MaxExecutions: 3000, Relaxed: func(p *Prefix) { prefixes = append(prefixes, p) }}
			if _, err := VerifyProgram(context.Background(), closure(t, f, p.Options), o); err != nil {
				t.Fatal(err)
			}
			again := closure(t, f, p.Options)
			for _, prefix := range prefixes {
				if err := sample(again, prefix, r, 5); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// programs is how many random programs are drawn, always the same ones.
func programs() int {
	if effort.Full() {
		return 20000
	}
	return 2000
}

func TestRandomPrograms(t *testing.T) {
	effort.Computes(t)
	r := rand.New(rand.NewPCG(1, 17))
	failing, correct, other, steps := 0, 0, 0, 0
	for range programs() {
		p := toy.Generate(r.IntN)
		o := Options{MaxExecutions: 3000, Barrier: r.IntN(4) == 0}
		prefixes, result := verified(t, toy.New(p), toy.New(p), o)
		steps += len(prefixes)
		switch {
		case len(prefixes) == 0:
			other++
		case result.Failure != nil:
			failing++
		default:
			correct++
		}
		if t.Failed() {
			t.Fatal(p)
		}
	}
	t.Logf("%d programs fail under some schedules, %d under none, %d cannot be enforced or have no correct schedule; %d prefixes", failing, correct, other, steps)
}

// TestMissingConstraints leaves out one constraint at a time: the judge has to notice, or
// the constraint follows from others after all. That can be so beyond the configuration
// only, where what the program itself waits for is not known.
func TestMissingConstraints(t *testing.T) {
	effort.Computes(t)
	r := rand.New(rand.NewPCG(2, 17))
	noticed, redundant := 0, 0
	for range 500 {
		p := toy.Generate(r.IntN)
		prefixes, _ := verified(t, toy.New(p), toy.New(p), Options{MaxExecutions: 300})
		for _, prefix := range prefixes {
			for i, c := range prefix.Constraints {
				less := *prefix
				less.Constraints = append(append([]Constraint(nil), prefix.Constraints[:i]...), prefix.Constraints[i+1:]...)
				less.compile()
				within := false
				for _, e := range prefix.Events {
					within = within || e.EventID == c.After
				}
				switch err := judge(toy.New(p), &less); {
				case err != nil:
					noticed++
				case within:
					t.Fatalf("%v is of no use in %v %v\n%v", c, prefix, prefix.Constraints, p)
				default:
					redundant++
				}
			}
		}
	}
	t.Logf("%d constraints matter, %d do not", noticed, redundant)
	if noticed < 10*redundant {
		t.Error("too many constraints are redundant, or the judge is blind")
	}
}
