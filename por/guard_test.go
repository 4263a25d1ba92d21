package por_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/guarded"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// wheel is a transition system in which processes go round for ever, and that a
// test makes go wrong. It is its own Run.
type wheel struct {
	n     int // processes
	step  func(p *wheel, c trace.Choice) (*trace.Event, error)
	ops   []*trace.Op
	ev    trace.Event
	len   int
	open  int
	start func(p *wheel) trace.Run
	wait  func(p *wheel) []*trace.Op
}

func (p *wheel) Start() trace.Run {
	if p.start != nil {
		return p.start(p)
	}
	p.open++
	p.len = 0
	return p
}

func (p *wheel) Pending() []*trace.Op {
	if p.wait != nil {
		return p.wait(p)
	}
	p.ops = p.ops[:0]
	for i := range p.n {
		op := &trace.Op{G: trace.ID(i), Kind: trace.OpRead, Alts: 1}
		op.SetAccesses(trace.Access{Mode: trace.ModeRead})
		p.ops = append(p.ops, op)
	}
	return p.ops
}

func (p *wheel) Step(c trace.Choice) (*trace.Event, error) {
	if p.step != nil {
		return p.step(p, c)
	}
	return p.turn(c)
}

func (p *wheel) turn(c trace.Choice) (*trace.Event, error) {
	p.len++
	p.ev = trace.Event{Op: *p.Pending()[c.G]}
	return &p.ev, nil
}

func (p *wheel) Replay(s trace.Schedule) error { p.len += len(s); return nil }
func (p *wheel) Len() int                      { return p.len }
func (p *wheel) Outcome() []trace.Failure      { return nil }
func (p *wheel) Close()                        { p.open-- }

// drivenWheel is a wheel that drives itself.
type drivenWheel struct{ wheel }

func (p *drivenWheel) Start() trace.Run {
	p.wheel.Start()
	return p
}

func (p *drivenWheel) Drive(s trace.Schedule, decide func(*trace.Event) (trace.Choice, bool)) error {
	p.Replay(s)
	var ev *trace.Event
	for {
		c, ok := decide(ev)
		if !ok {
			return nil
		}
		ev, _ = p.Step(c)
	}
}

// A search ends although the program does not.
func TestLimitsOfProgramWithCycle(t *testing.T) {
	effort.Computes(t)
	for _, e := range []trace.Engine{engine.DFS{}, engine.Source{}, engine.DPOR{}, engine.Optimal{}, engine.Eager{}, engine.Random{Executions: 3}} {
		for _, n := range []int{1, 2} {
			for _, p := range []trace.Program{&wheel{n: n}, &drivenWheel{wheel{n: n}}} {
				res, err := por.ExploreProgram(p, por.Engine(e), por.MaxSteps(1000), por.MaxTime(100*time.Millisecond))
				if err != nil {
					t.Errorf("%s, %d processes: %v", e.Name(), n, err)
					continue
				}
				if n == 1 && (len(res.Failures) != 1 || res.Failures[0].Kind != trace.FailSteps || !strings.Contains(res.Failures[0].Report, "longer than 1,000 steps: a cycle in the program")) {
					t.Errorf("%s, %d processes: %v %+v", e.Name(), n, res.Verdict, res.Failures)
				}
				if res.Exhaustive {
					t.Errorf("%s, %d processes: %v", e.Name(), n, res.Verdict)
				}
			}
		}
	}
}

// Neither does it wait for the end of the first execution, if the context is done.
func TestContextStopsProgram(t *testing.T) {
	for _, p := range []trace.Program{&wheel{n: 2}, &drivenWheel{wheel{n: 2}}} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		res, err := por.ExploreProgram(p, por.Context(ctx), por.MaxSteps(math.MaxInt32))
		cancel()
		if err != nil || res.Exhaustive || res.Stats.Executions != 0 {
			t.Fatalf("%+v, %v", res, err)
		}
		wantText(t, res.Verdict.String(), "0 executions explored in ", "none fails; NOT exhaustive (the context is done: context deadline exceeded; optimal DPOR)")
	}
}

func TestContextStopsClosure(t *testing.T) {
	for _, e := range []trace.Engine{engine.Optimal{}, engine.DFS{}, engine.Hunt{}, engine.POS{}} {
		ctx, cancel := context.WithCancelCause(t.Context())
		n := 0
		res, err := por.Explore(func() {
			var x sched.Int64
			for range 5 {
				sched.Go(func() { x.Add(1); x.Add(1) })
			}
			if n++; n == 10 {
				cancel(errors.New("enough"))
			}
		}, por.Context(ctx), por.Engine(e))
		if err != nil || res.Exhaustive || res.Stats.Executions+res.Stats.Pruned < 8 {
			t.Fatalf("%s: %+v, %v", e.Name(), res, err)
		}
		wantText(t, res.Verdict.String(), "NOT exhaustive (the context is done: enough; ")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	res, err := por.Explore(func() { t.Error("the closure runs") }, por.Context(ctx))
	if err != nil || res.Exhaustive {
		t.Fatalf("%+v, %v", res, err)
	}
	wantText(t, res.Verdict.String(), "0 executions explored", "the context is done: context canceled")
	check(t, writers(2), por.Context(t.Context()), por.Exhaustive(), por.Races(sched.RaceExplore)).wantPass(t, "(exhaustive; ")
}

// A context that is done in the first execution of a closure, which is long, ends it.
func TestContextStopsFirstExecution(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	res, err := por.Explore(func() {
		var x sched.Int64
		for {
			x.Add(1)
		}
	}, por.Context(ctx), por.MaxSteps(math.MaxInt32))
	if err != nil || res.Stats.Executions != 0 || res.Exhaustive {
		t.Fatalf("%+v, %v", res, err)
	}
}

// What is wrong with a program is said to be the program's.
func TestProgramIsWrong(t *testing.T) {
	stop := make(chan bool)
	defer close(stop)
	at := func(n int, f func()) func(*wheel, trace.Choice) (*trace.Event, error) {
		return func(p *wheel, c trace.Choice) (*trace.Event, error) {
			if p.len == n {
				f()
			}
			return p.turn(c)
		}
	}
	for name, test := range map[string]struct {
		wheel
		want string
	}{
		"panic":        {wheel{step: at(3, func() { panic("a bug") })}, "the program panicked in Step: a bug"},
		"runtime":      {wheel{step: at(3, func() { _ = []int{}[len(name(3))] })}, "the program panicked in Step: runtime error: index out of range"},
		"Goexit":       {wheel{step: at(3, runtime.Goexit)}, "the program is wrong: it has called runtime.Goexit"},
		"stuck":        {wheel{step: at(3, func() { <-stop })}, "the program's Step has not returned for "},
		"no run":       {wheel{start: func(*wheel) trace.Run { return nil }}, "the program is wrong: Start has returned no Run"},
		"Start panics": {wheel{start: func(*wheel) trace.Run { panic("oh") }}, "the program panicked in Start: oh"},
		"no event":     {wheel{step: func(*wheel, trace.Choice) (*trace.Event, error) { return nil, nil }}, "the program is wrong: Step has returned neither an event nor an error at step 0"},
		"other event": {wheel{step: func(p *wheel, c trace.Choice) (*trace.Event, error) {
			ev, err := p.turn(c)
			ev.G++
			return ev, err
		}}, "the program is wrong: the event of step 0 is of goroutine 1, but goroutine 0 was to move"},
		"error": {wheel{step: func(*wheel, trace.Choice) (*trace.Event, error) { return nil, errors.New("no more") }}, "engine optimal: no more"},
		"nil op": {wheel{wait: func(p *wheel) []*trace.Op { return []*trace.Op{nil} }},
			"the program is wrong: operation 0 of those pending at step 0 is nil"},
		"no alternative": {wheel{wait: func(p *wheel) []*trace.Op { return []*trace.Op{{}} }},
			"the program is wrong: the operation of goroutine 0 that is pending at step 0 has 0 alternatives"},
		"twice": {wheel{wait: func(p *wheel) []*trace.Op { return []*trace.Op{{Alts: 1}, {Alts: 1}} }},
			"the program is wrong: at step 0 goroutine 0 is pending after goroutine 0"},
	} {
		plain := &wheel{n: 2, step: test.step, start: test.start, wait: test.wait}
		_, err := por.ExploreProgram(plain, por.Watchdog(50*time.Millisecond), por.MaxTime(5*time.Second))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
		if name == "stuck" {
			continue // it is left to itself
		}
		if test.start == nil && plain.open != 0 {
			t.Errorf("%s: %d executions are open", name, plain.open)
		}
		if name == "error" || name == "no event" || test.start != nil {
			continue // steps have errors, Drive has its own
		}
		driven := &drivenWheel{wheel{n: 2, step: test.step, wait: test.wait}}
		_, err = por.ExploreProgram(driven, por.MaxTime(5*time.Second))
		if want := strings.Replace(test.want, "in Step", "in Drive", 1); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s, driven: got %v, want %s", name, err, want)
		}
	}
}

func name(n int) string { return fmt.Sprint(n) }

// A Closure that a researcher hands over is run as it is.
func TestExploreProgramOfClosure(t *testing.T) {
	c := exec.New(writers(3), exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	res, err := por.ExploreProgram(c, por.Exhaustive())
	if err != nil || res.Stats.Executions != 6 {
		t.Errorf("%+v, %v", res, err)
	}
	c2 := exec.New(func() { sched.Assume(sched.AssumeCode, "x") }, exec.Options{})
	defer c2.Shutdown()
	if res, err := por.ExploreProgram(c2); err != nil || res.Exhaustive {
		t.Errorf("%+v, %v", res, err)
	}
	// So is a program that is made of one.
	res, err = por.ExploreProgram(struct{ trace.Program }{c}, por.Exhaustive())
	if err != nil || res.Stats.Executions != 6 {
		t.Errorf("%+v, %v", res, err)
	}
	var none *tally
	if _, err := por.ExploreProgram(none); err == nil || !strings.Contains(err.Error(), "the program is nil") {
		t.Errorf("nil tally: %v", err)
	}
}

// An engine that is not made for operations which use something else while they are
// pending is not believed where it meets one.
func TestFickle(t *testing.T) {
	system := func(whole bool) *guarded.System {
		set := func(v int) []guarded.Action { return []guarded.Action{{Var: v, From: guarded.Number, Value: 1}} }
		return &guarded.System{Vars: 2, Processes: []guarded.Process{
			{Parent: -1, Commands: []guarded.Command{{If: []guarded.Guard{{Var: 0}}, Then: set(1), Whole: whole}}},
			{Parent: -1, Commands: []guarded.Command{{Then: set(0)}}},
		}}
	}
	for _, test := range []struct {
		engine trace.Engine
		whole  bool
		want   string
	}{
		{engine.Optimal{}, false, "NOT exhaustive (the operation of g0 that is pending at step 1 uses something else than before the step of g1, which this engine is not made for: engine.Source is; optimal DPOR)"},
		{unfold.QPOR{K: 2}, false, "NOT exhaustive (the operation of g0"},
		{unfold.Optimal{}, false, "NOT exhaustive (the operation of g0"},
		{bpor.Optimal{}, false, "NOT exhaustive (the operation of g0"},
		{toldEngine{Engine: engine.Source{}, about: trace.About{FixedUses: true}}, false, "NOT exhaustive (the operation of g0"},
		{engine.Optimal{}, true, "(exhaustive; optimal DPOR"},
		{unfold.QPOR{K: 2}, true, "(exhaustive; "},
		{engine.Source{}, false, "all 2 traces explored, none fails (exhaustive; source-DPOR"},
		{engine.DFS{}, false, "(exhaustive; "},
	} {
		res, err := por.ExploreProgram(system(test.whole), por.Engine(test.engine))
		if err != nil || !strings.Contains(res.Verdict.String(), test.want) || res.Exhaustive != strings.HasPrefix(test.want[strings.Index(test.want, "("):], "(exhaustive") {
			t.Errorf("%s, whole %v: %v, %v, want %s", test.engine.Name(), test.whole, res.Verdict, err, test.want)
		}
	}
}
