package por_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// engineOf is an engine of somebody's own.
type engineOf func(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error)

func (engineOf) Name() string { return "their own" }

func (e engineOf) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	return e(p, visit)
}

// driving returns an engine that drives one execution by decide, which is told what
// is pending and how many choices were made, and shows it.
func driving(decide func(ops []*trace.Op, n int) trace.Choice) engineOf {
	return func(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
		run := p.Start()
		defer run.Close()
		x := trace.Execution{Run: run, Stats: new(trace.Stats)}
		err := run.(trace.Driver).Drive(nil, func(*trace.Event) (trace.Choice, bool) {
			ops := run.Pending()
			if len(ops) == 0 {
				return trace.Choice{}, false
			}
			c := decide(ops, len(x.Schedule))
			x.Schedule = append(x.Schedule, c)
			return c, true
		})
		if err != nil {
			return *x.Stats, err
		}
		x.Stats.Executions++
		visit(&x)
		return trace.Stats{Executions: 1, Exhaustive: true}, nil
	}
}

// stepping is driving by steps.
func stepping(decide func(ops []*trace.Op, n int) trace.Choice) engineOf {
	return func(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
		run := p.Start()
		defer run.Close()
		x := trace.Execution{Run: run, Stats: &trace.Stats{Executions: 1, Exhaustive: true}}
		for ops := run.Pending(); len(ops) > 0; ops = run.Pending() {
			c := decide(ops, len(x.Schedule))
			if _, err := run.Step(c); err != nil {
				return trace.Stats{}, err
			}
			x.Schedule = append(x.Schedule, c)
		}
		visit(&x)
		return *x.Stats, nil
	}
}

func firstOf(ops []*trace.Op, _ int) trace.Choice { return trace.Choice{G: ops[0].G} }

// wary recovers from everything that it is told.
func wary(recovered *any) func() {
	return func() {
		defer func() {
			if r := recover(); r != nil {
				*recovered = r
			}
		}()
		var mu sched.Mutex
		h := sched.Go(func() { mu.Lock(); mu.Unlock() })
		mu.Lock()
		mu.Unlock()
		h.Join()
	}
}

// What an engine does wrong is said to be the engine's, and the closure never comes
// to know of it.
func TestEngineIsWrong(t *testing.T) {
	choose := func(at int, c trace.Choice) func(ops []*trace.Op, n int) trace.Choice {
		return func(ops []*trace.Op, n int) trace.Choice {
			if n == at {
				return c
			}
			return firstOf(ops, n)
		}
	}
	failAt := func(at int, f func()) func(ops []*trace.Op, n int) trace.Choice {
		return func(ops []*trace.Op, n int) trace.Choice {
			if n == at {
				f()
			}
			return firstOf(ops, n)
		}
	}
	show := func(times int, change func(x *trace.Execution) *trace.Execution) engineOf {
		return func(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
			return stepping(firstOf)(p, func(x *trace.Execution) bool {
				for range times {
					visit(change(x))
				}
				return true
			})
		}
	}
	for _, test := range []struct {
		name   string
		engine trace.Engine
		want   string
	}{
		{"panics at once", driving(failAt(0, func() { panic("oh") })), "the engine their own panicked: oh\n"},
		{"panics later", driving(failAt(1, func() { panic("oh") })), "the engine their own panicked: oh\n"},
		{"panics between steps", stepping(failAt(1, func() { panic("oh") })), "the engine their own panicked: oh\n"},
		{"exits", driving(failAt(1, runtime.Goexit)), "the engine their own is wrong: it has called runtime.Goexit"},
		{"not ready", driving(choose(1, trace.Choice{G: 1})), "the engine their own is wrong: it chose an operation that is not pending: the choice of goroutine 1, alternative 0, is not pending at step 1: "},
		{"no such goroutine", driving(choose(1, trace.Choice{G: 99})), "the engine their own is wrong: it chose an operation that is not pending: the choice of goroutine 99"},
		{"negative", stepping(choose(1, trace.Choice{G: -7})), "the engine their own is wrong: it chose an operation that is not pending: the choice of goroutine -7"},
		{"no such alternative", stepping(choose(0, trace.Choice{Alt: 5})), "the engine their own is wrong: it chose an operation that is not pending: the choice of goroutine 0, alternative 5"},
		{"nothing", engineOf(func(trace.Program, func(*trace.Execution) bool) (trace.Stats, error) {
			return trace.Stats{Exhaustive: true}, nil
		}), "the engine their own is wrong: it says that it has covered everything, but has shown no execution"},
		{"counts more", engineOf(func(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
			st, err := stepping(firstOf)(p, visit)
			st.Executions = 21
			return st, err
		}), "the engine their own is wrong: it says that it has run 21 complete executions, but has shown 1"},
		{"nil execution", show(1, func(*trace.Execution) *trace.Execution { return nil }), "the engine their own is wrong: it has shown nil in place of an execution"},
		{"nil run", show(1, func(x *trace.Execution) *trace.Execution { x.Run = nil; return x }), "the engine their own is wrong: it has shown an execution without a Run"},
		{"closed run", show(1, func(x *trace.Execution) *trace.Execution { x.Run.Close(); return x }), "the engine their own is wrong: it has closed an execution before it has shown it"},
		{"unfinished", engineOf(func(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
			run := p.Start()
			defer run.Close()
			run.Step(trace.Choice{})
			visit(&trace.Execution{Run: run, Schedule: trace.Schedule{{}}, Stats: &trace.Stats{}})
			return trace.Stats{Executions: 1, Exhaustive: true}, nil
		}), "the engine their own is wrong: it has shown an execution of 1 step as complete although g0 could go on"},
		{"starts twice", engineOf(func(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
			p.Start()
			p.Start()
			return trace.Stats{}, nil
		}), "the engine their own panicked: "},
		{"fails", engineOf(func(trace.Program, func(*trace.Execution) bool) (trace.Stats, error) {
			return trace.Stats{}, errors.New("no time")
		}), "engine their own: no time"},
	} {
		var recovered any
		res, err := por.Explore(wary(&recovered), por.Engine(test.engine))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || res != nil && res.Exhaustive {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
		if recovered != nil {
			t.Errorf("%s: the closure has recovered %v", test.name, recovered)
		}
		if test.name == "closed run" {
			continue // its outcome cannot be told from that of one that is over
		}
		_, err = por.ExploreProgram(&tally{n: 1}, por.Engine(test.engine))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s, of a program: got %v, want %s", test.name, err, test.want)
		}
	}
}

// So it is if the program drives itself, on stacks of its own.
func TestEnginePanicsWithinDriver(t *testing.T) {
	var caught any
	p := &recoveringWheel{drivenWheel{wheel{n: 2}}, &caught}
	_, err := por.ExploreProgram(p, por.Engine(driving(func(ops []*trace.Op, n int) trace.Choice {
		if n == 3 {
			panic("oh")
		}
		return firstOf(ops, n)
	})))
	if err == nil || !strings.HasPrefix(err.Error(), "the engine their own panicked: oh\n") || !strings.Contains(err.Error(), "TestEnginePanicsWithinDriver") || caught != nil || p.open != 0 {
		t.Errorf("got %v; the program has recovered %v, and %d executions are open", err, caught, p.open)
	}
}

// recoveringWheel recovers from everything.
type recoveringWheel struct {
	drivenWheel
	caught *any
}

func (p *recoveringWheel) Start() trace.Run {
	p.wheel.Start()
	return p
}

func (p *recoveringWheel) Drive(s trace.Schedule, decide func(*trace.Event) (trace.Choice, bool)) error {
	defer func() { *p.caught = recover() }()
	return p.drivenWheel.Drive(s, decide)
}

// An engine that goes on although it was told to stop is named.
func TestEngineGoesOn(t *testing.T) {
	e := engineOf(func(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
		return engine.DFS{}.Explore(p, func(x *trace.Execution) bool { visit(x); return true })
	})
	_, err := por.Explore(writers(3), por.Races(sched.RaceExplore), por.Engine(e), por.MaxExecutions(2))
	if err == nil || err.Error() != "the engine their own is wrong: it has gone on although the visitor wanted no more executions" {
		t.Errorf("got %v", err)
	}
}

// A failure with a schedule that does not lead to it is no failure to show.
func TestEngineWithoutSchedule(t *testing.T) {
	e := engineOf(func(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
		return engine.Optimal{}.Explore(p, func(x *trace.Execution) bool { x.Schedule = nil; return visit(x) })
	})
	_, err := por.Explore(abba, por.Engine(e))
	if err == nil || !strings.HasPrefix(err.Error(), "the engine their own is wrong: it has shown an execution of 4 steps with a schedule of 0 that fails: deadlock") {
		t.Errorf("got %v", err)
	}
}

// A choice that is not pending because the closure is not deterministic is not the
// engine's fault.
func TestChoiceGoneIsTheClosures(t *testing.T) {
	runs := 0
	f := func() {
		runs++
		var mu sched.Mutex
		if runs < 3 {
			sched.Go(func() { mu.Lock(); mu.Unlock() })
		}
		mu.Lock()
		mu.Unlock()
	}
	_, err := por.Explore(f)
	var choice *trace.ChoiceError
	if !errors.As(err, &choice) || !strings.HasPrefix(err.Error(), "the closure is not deterministic") || !strings.Contains(err.Error(), "If it is deterministic, the engine auto is wrong") {
		t.Errorf("got %v", err)
	}
	// Somebody's own engine is tried against what the closure does.
	flip := 0
	_, err = por.Explore(func() {
		flip++
		if flip%2 == 0 {
			sched.Go(func() { sched.Choose(2) })
		}
	}, por.Engine(engineOf(func(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
		run := p.Start()
		defer run.Close()
		_, err := run.Step(trace.Choice{G: 2})
		return trace.Stats{}, err
	})))
	if !errors.As(err, &choice) || !strings.HasPrefix(err.Error(), "the closure is not deterministic") {
		t.Errorf("own engine: %v", err)
	}
}

// liar is a transition system whose operations depend on each other and do not say
// so: writing x makes the other one wait.
type liar struct{ tally }

func (p *liar) Start() trace.Run {
	p.tally.Start()
	return p
}

func (p *liar) Pending() []*trace.Op {
	ops := p.tally.Pending()
	if p.len == 1 && len(ops) == 2 { // whoever comes first keeps the other waiting
		if p.pc[0] == 1 {
			return ops[:1]
		}
		return ops[1:]
	}
	return ops
}

// A program that breaks the rules is a suspect, too.
func TestProgramThatBreaksRules(t *testing.T) {
	_, err := por.ExploreProgram(&liar{tally{n: 2}})
	if err == nil || !strings.Contains(err.Error(), "If it is deterministic, the accesses of its operations break the laws of trace.Program") {
		t.Errorf("got %v", err)
	}
}

func TestCheckNilTB(t *testing.T) {
	for _, tb := range []testing.TB{nil, (*testing.T)(nil)} {
		func() {
			defer func() {
				if r, ok := recover().(string); !ok || !strings.HasPrefix(r, "por: Check: the testing.TB is nil; give the t of the test") {
					t.Errorf("recovered %v", r)
				}
			}()
			por.Check(tb, func() { t.Error("the closure runs") })
		}()
	}
}
