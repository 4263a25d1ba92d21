package enginetest

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/guarded"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// frugal are the engines that promise every trace of a program that keeps to the laws,
// if no operation comes to use more than it did because of an event of another
// goroutine.
var frugal = []Subject{
	{Engine: engine.Optimal{}, Promise: Complete}, // of such programs a trace may be visited twice
	{Engine: bpor.Optimal{}, Promise: Complete},
}

// lawful are those that promise it of every program that keeps to the laws.
var lawful = []Subject{{Engine: engine.Reverse{}, Promise: Optimal}}

// unfolding are those that promise it if no pending operation ever changes.
var unfolding = []Subject{
	{Engine: unfold.QPOR{K: 1}, Promise: SleepSets},
	{Engine: unfold.QPOR{K: 2}, Promise: SleepSets},
	{Engine: unfold.Optimal{}, Promise: Optimal},
}

// complete are all of them. The primitives of package sched hold for all.
var complete = slices.Concat(lawless, lawful, frugal, unfolding)

// lawless are those that need no law of footprints for their promise, though they may visit a
// trace twice then.
var lawless = []Subject{
	{Engine: engine.DFS{}, Promise: Complete},
	{Engine: engine.DPOR{}, Promise: SleepSets},
	{Engine: engine.Source{}, Promise: SleepSets},
	{Engine: engine.Eager{}, Promise: SleepSets},
	{Engine: engine.EagerShort{}, Promise: SleepSets},
	{Engine: engine.EagerAdaptive{}, Promise: SleepSets},
	{Engine: bpor.Naive{}, Promise: SleepSets},
	{Engine: bpor.Classic{}, Promise: Complete},
	{Engine: bpor.Nidhugg{}, Promise: SleepSets},
	{Engine: bpor.Nidhugg{Complete: true}, Promise: Complete},
	{Engine: bpor.Source{}, Promise: SleepSets},
	{Engine: bpor.Source{Complete: true}, Promise: Complete},
	{Engine: bpor.Lazy{}, Promise: SleepSets},
	{Engine: bpor.Lazy{Slack: bpor.Enough, Bound: bpor.Preemptions(100)}, Promise: SleepSets},
	{Engine: bpor.Iterative{}, Promise: SleepSets},
	{Engine: bpor.Iterative{UpTo: bpor.Delays(1000)}, Promise: SleepSets},
	{Engine: engine.Hunt{Time: time.Hour}, Promise: SleepSets}, // after its time it draws at random
}

// witness is the smallest system that breaks the law of footprints in a way that
// matters.
var witness = &guarded.System{Vars: 3, Processes: []guarded.Process{
	{Parent: -1, Commands: []guarded.Command{{If: []guarded.Guard{{Var: 0, Value: 0}}, Then: []guarded.Action{{Var: 1, From: guarded.Number, Value: 1}}}}},
	{Parent: -1, Commands: []guarded.Command{
		{Then: []guarded.Action{{Var: 2, From: guarded.Number, Value: 1}}},
		{Then: []guarded.Action{{Var: 0, From: guarded.Number, Value: 1}}}}},
	{Parent: -1, Commands: []guarded.Command{{Then: []guarded.Action{{Var: guarded.Register, From: 1}}}}},
}}

// TestGuarded holds the complete engines to their promise on the witness.
func TestGuarded(t *testing.T) {
	want, err := oracle.Enumerate(witness, oracle.Limits{})
	if err != nil || len(want.Classes) != 3 {
		t.Fatalf("%d traces, %v", len(want.Classes), err)
	}
	for _, kind := range []trace.Kind{trace.OpNone, trace.OpUpdate} { // which no engine asks for
		s := *witness
		s.Kind = kind
		for _, sub := range complete {
			if err := Verify(sub.Engine, sub.Promise, &s, &s, want); err != nil {
				t.Errorf("%v: %s: %v", kind, sub.name(), err)
			}
		}
	}
	s := *witness
	s.Footprint = trace.SteadyFootprint // which it breaks
	if err := Verify(engine.Source{}, SleepSets, &s, &s, want); err == nil {
		t.Error("source misses nothing where a broken promise is made, so it need not be made")
	}
}

// TestGuardedMany has the witness beside 140 processes that have nothing to do with it. Its three
// traces end in three states.
func TestGuardedMany(t *testing.T) {
	const many = 140
	s := &guarded.System{Vars: witness.Vars + many, Processes: slices.Clone(witness.Processes)}
	for v := witness.Vars; v < s.Vars; v++ {
		s.Processes = append(s.Processes, guarded.Process{Parent: -1, Commands: []guarded.Command{{Then: []guarded.Action{{Var: v, From: guarded.Number, Value: 1}}}}})
	}
	for _, sub := range lawless {
		if (sub.Engine == engine.DFS{}) {
			continue // which would explore all orders of the others
		}
		ends := make(map[string]bool)
		stats, err := sub.Engine.Explore(s, func(x *trace.Execution) bool {
			if !x.Blocked && !x.Pruned {
				ends[string(x.Run.(interface{ AppendState([]byte) []byte }).AppendState(nil))] = true
			}
			return x.Stats.Executions < 100
		})
		if err != nil || len(ends) != 3 || stats.Executions >= 100 {
			t.Errorf("%s: %d states of %d executions, %d given up (%v)", sub.name(), len(ends), stats.Executions, stats.Blocked+stats.Pruned, err)
		}
	}
}

// TestGuardedResumed has an event that takes a use, and an operation that loses it only where a larger
// bound goes on from a state in the middle.
func TestGuardedResumed(t *testing.T) {
	set := func(v, value int) guarded.Action { return guarded.Action{Var: v, From: guarded.Number, Value: value} }
	s := &guarded.System{Vars: 4, Processes: []guarded.Process{
		{Parent: -1, Commands: []guarded.Command{{Then: []guarded.Action{set(0, 0), set(1, 0)}}}},
		{Parent: -1, Commands: []guarded.Command{{If: []guarded.Guard{{Var: 2, Value: 0}}, Then: []guarded.Action{set(1, 1)}}}},
		{Parent: -1, Commands: []guarded.Command{{
			If:   []guarded.Guard{{Var: 2, Value: 1}, {Var: 1, Value: 1}},
			Then: []guarded.Action{set(2, 0), set(0, 0)},
			Else: []guarded.Action{{Var: guarded.Register, From: 0}},
		}}},
		{Parent: -1, Commands: []guarded.Command{{Then: []guarded.Action{set(2, 1), set(3, 0)}}, {Then: []guarded.Action{set(0, 0), set(1, 0)}}}},
	}}
	want, err := oracle.Enumerate(s, oracle.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, sub := range lawless {
		sub.Promise.Once = false
		if err := Verify(sub.Engine, sub.Promise, s, s, want); err != nil {
			t.Errorf("%s: %v", sub.name(), err)
		}
	}
}

// TestPair has an operation of two objects, each of which another process reads: the second read
// comes after the first because it is the same process, and for no other reason.
func TestPair(t *testing.T) {
	write := func(vars ...int) guarded.Command {
		var c guarded.Command
		for _, v := range vars {
			c.Then = append(c.Then, guarded.Action{Var: v, From: guarded.Number, Value: 1})
		}
		return c
	}
	read := func(v int) guarded.Command {
		return guarded.Command{Then: []guarded.Action{{Var: guarded.Register, From: v}}}
	}
	s := &guarded.System{Vars: 2, Processes: []guarded.Process{
		{Parent: -1, Commands: []guarded.Command{write(0, 1)}},
		{Parent: -1, Commands: []guarded.Command{read(0), read(1)}},
		{Parent: -1, Commands: []guarded.Command{write(0)}},
	}}
	want, err := oracle.Enumerate(s, oracle.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, promise := range []trace.Footprint{trace.OpenFootprint, trace.SteadyFootprint, trace.FixedFootprint} {
		s.Footprint = promise
		for _, sub := range complete {
			if err := Verify(sub.Engine, sub.Promise, s, s, want); err != nil {
				t.Errorf("%v: %s: %v", promise, sub.name(), err)
			}
		}
	}
}

// TestGuardedRandom holds them to it on random systems, those that break the law of
// footprints and those that do not.
func TestGuardedRandom(t *testing.T) {
	n, seed := toytest.Number(t, "GOPOR_GUARDED", 1000), effort.Seed(t, 1)
	if !effort.Full() {
		n /= 5
	}
	r := rand.New(rand.NewPCG(seed, 11))
	var kept, modests, steady, unlawful, big, traces int
	for range n {
		s := guarded.Random(r)
		s.Fixed = r.IntN(2) == 0
		want, err := oracle.Enumerate(s, oracle.Limits{Executions: 400})
		if errors.Is(err, oracle.ErrTooBig) {
			big++
			continue
		}
		if err == nil {
			err = want.Check()
		}
		if err != nil {
			t.Fatalf("%v\n%v", err, s)
		}
		var law *trace.LawError
		if _, err = oracle.Enumerate(trace.CheckLaws(s), oracle.Limits{}); err == nil {
			kept++
		} else if !errors.As(err, &law) || law.Law != trace.LawFootprints {
			t.Fatalf("%v\n%v", err, s)
		} else {
			unlawful++
		}
		traces += len(want.Classes)
		subjects := lawless
		if law == nil {
			subjects = slices.Concat(lawless, lawful)
			m := modest{Program: s}
			m.enumerate(t)
			if !m.gained {
				subjects = slices.Concat(subjects, frugal)
				modests++
			}
			if !m.changed {
				subjects = slices.Concat(subjects, unfolding)
				steady++
			}
		}
		for _, sub := range subjects {
			if law != nil {
				sub.Promise.Once = false
			}
			if err := Verify(sub.Engine, sub.Promise, s, s, want); err != nil {
				t.Errorf("%s: %v (%v)\n%v", sub.name(), err, law, s)
			}
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%d systems keep to the laws, %d of them with operations that never come to use more, and %d with such as never change; %d do not, %d are too big; %d traces", kept, modests, steady, unlawful, big, traces)
}

// modest is a program that is watched for operations that come to use more.
type modest struct {
	trace.Program
	gained, changed bool
}

// enumerate finds out whether there are any.
func (m *modest) enumerate(t *testing.T) {
	if _, err := oracle.Enumerate(m, oracle.Limits{}); err != nil {
		t.Fatal(err)
	}
}

func (m *modest) Start() trace.Run { return &modestRun{m.Program.Start(), m} }

type modestRun struct {
	trace.Run
	program *modest
}

func (r *modestRun) Step(c trace.Choice) (*trace.Event, error) {
	var before []trace.Op
	for _, op := range r.Pending() {
		before = append(before, *op)
	}
	ev, err := r.Run.Step(c)
	for _, op := range r.Pending() {
		for i := range before {
			if before[i].G != op.G || op.G == c.G {
				continue
			}
			if !slices.Equal(op.Accesses(), before[i].Accesses()) {
				r.program.changed = true
			}
			for _, a := range op.Accesses() {
				if !slices.Contains(before[i].Accesses(), a) {
					r.program.gained = true
				}
			}
		}
	}
	return ev, err
}
