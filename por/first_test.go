package por_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// A closure with one trace is compared with something: itself.
func TestFirstExecutionTwice(t *testing.T) {
	for _, test := range []struct {
		name string
		f    func(t testing.TB, run int) // does something else in the second run
		want string
	}{
		{"operation", func(t testing.TB, run int) {
			var n sched.Int64
			if run == 2 {
				n.Load()
			} else {
				n.Store(1)
			}
		}, "diverged at step 0: expected main to store"},
		{"more", func(t testing.TB, run int) {
			var n sched.Int64
			n.Load()
			if run == 2 {
				n.Load()
			}
		}, "expected the end of the execution, but main is about to load"},
		{"goroutine", func(t testing.TB, run int) {
			var n sched.Int64
			if run == 2 {
				sched.Go(func() { n.Load() })
			}
		}, "expected the end of the execution, but g1 is about to load"},
		{"outcome", func(t testing.TB, run int) {
			if run == 2 {
				panic("not now")
			}
		}, "the first execution did not fail, and when it was run once more, it failed (panic: not now)"},
	} {
		runs := 0
		o := check(t, func(t testing.TB) {
			runs++
			test.f(t, runs)
		})
		if !strings.Contains(o.text(), "the closure is not deterministic") || !strings.Contains(o.text(), test.want) {
			t.Errorf("%s: %q is missing in\n%s", test.name, test.want, o.text())
		}
	}
}

// What is only said in other words is no failure, but a sign.
func TestFirstExecutionSays(t *testing.T) {
	for _, test := range []struct {
		name string
		f    func(t testing.TB, run int)
		want string
	}{
		{"other outcome", func(t testing.TB, run int) {
			panic(fmt.Sprint("number ", run))
		}, "por: panic: number"},
		{"log", func(t testing.TB, run int) {
			t.Log("the same")
			t.Logf("run %d", run)
		}, `run 1" in line 2, and when it was run once more, "first_test.go:`},
		{"long line", func(t testing.TB, run int) {
			t.Logf("%s%d%s", strings.Repeat("a", 1000), run, strings.Repeat("b", 1000))
		}, "logged ...\"" + strings.Repeat("a", 60) + "1" + strings.Repeat("b", 39) + "\"... in line 1, and"},
		{"longer log", func(t testing.TB, run int) {
			if run == 1 {
				t.Log("only here")
			}
		}, `only here" in line 1, and when it was run once more, nothing`},
	} {
		runs := 0
		o := check(t, func(t testing.TB) {
			runs++
			test.f(t, runs)
		}, por.Direct())
		if strings.Contains(o.text(), "not deterministic") || !strings.Contains(o.text(), test.want) {
			t.Errorf("%s: %q is missing in\n%s", test.name, test.want, o.text())
		}
		if test.name != "other outcome" && !strings.Contains(o.text(), "NOT exhaustive: a value may differ") {
			t.Errorf("%s: called exhaustive:\n%s", test.name, o.text())
		}
	}
}

// TestFirstExecutionInterrupted: while the first execution that is shown is run once more, since none before it has used
// memory, the search is ended. Nothing is said of it then, and it does not count.
func TestFirstExecutionInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	runs, x := 0, new(int)
	read := func() { hook.ReadMemory(unsafe.Pointer(x), unsafe.Sizeof(*x)) }
	res, err := por.Explore(func() {
		runs++
		var n sched.Int64
		sched.Go(func() { n.Load() })
		if runs == 3 {
			cancel()
			for {
				read() // until it is broken off
			}
		}
		if n.Load(); runs > 1 {
			read()
		}
	}, por.Context(ctx), por.Engine(twice{}))
	if err != nil && !errors.Is(err, context.Canceled) || runs != 3 || res != nil && res.Exhaustive {
		t.Errorf("%d executions, %v, %v", runs, res, err)
	}
	if res != nil && !strings.Contains(res.Verdict.String(), "0 executions explored") {
		t.Error(res.Verdict)
	}
}

// TestInterruptedBeforeAll: an execution that is broken off before its first operation is none, of whatever engine.
func TestInterruptedBeforeAll(t *testing.T) {
	for _, name := range engine.Names() {
		e, _ := engine.Named(name)
		ctx, cancel := context.WithCancel(t.Context())
		x := new(int)
		res, err := por.Explore(func() {
			cancel()
			for {
				hook.ReadMemory(unsafe.Pointer(x), unsafe.Sizeof(*x)) // until it is broken off
			}
		}, por.Context(ctx), por.Engine(e))
		if res == nil || res.Stats.Executions != 0 || res.Exhaustive {
			t.Errorf("%s: %v, %v", name, res.Verdict, err)
		}
	}
}

// twice is an engine that shows the second execution, and no more.
type twice struct{}

func (twice) Name() string { return "twice" }

func (twice) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	var x trace.Execution
	for range 2 {
		if x.Run != nil {
			x.Run.Close()
		}
		x = trace.Execution{Run: p.Start(), Stats: new(trace.Stats)}
		for ops := x.Run.Pending(); len(ops) > 0; ops = x.Run.Pending() {
			choice := trace.Choice{G: ops[0].G}
			if _, err := x.Run.Step(choice); err != nil {
				return *x.Stats, err
			}
			x.Schedule = append(x.Schedule, choice)
		}
	}
	x.Stats.Executions = 1
	visit(&x)
	x.Run.Close()
	return *x.Stats, nil
}

// The cost is one execution, for every engine.
func TestFirstExecutionCost(t *testing.T) {
	for _, name := range engine.Names() {
		e, _ := engine.Named(name)
		runs := int64(0)
		res, err := por.Explore(func() { runs++; sched.Choose(1) }, por.Engine(e), por.MaxExecutions(1))
		if err != nil || res.Stats.Executions != 1 || runs != 2 {
			t.Errorf("%s: %d runs, %v, %v", name, runs, res.Verdict, err)
		}
	}
}

// A first execution that fails is found, and minimised, all the same.
func TestFirstExecutionFails(t *testing.T) {
	o := check(t, func(t testing.TB) {
		t.Log("logged")
		t.Error("failed")
	})
	o.wantError(t, "assertion failed: first_test.go:", "log of this execution:\n    first_test.go:")
	if len(o.errors) != 1 {
		t.Errorf("errors are %q", o.errors)
	}
}

// stateDependent is a program that changes in a way that its operations do not show.
type stateDependent struct {
	tally
	starts int
	access bool
}

func (p *stateDependent) Start() trace.Run {
	p.starts++
	p.tally.Start()
	return p
}

func (p *stateDependent) Pending() []*trace.Op {
	ops := p.tally.Pending()
	if p.starts == 2 && len(ops) > 0 {
		if p.access {
			ops[0].SetAccesses(trace.Access{Obj: 7, Mode: trace.ModeRead})
		} else {
			ops[0].Alts = 2
		}
	}
	return ops
}

func (p *stateDependent) Step(c trace.Choice) (*trace.Event, error) {
	ev := trace.Event{Op: *p.Pending()[0], Alt: c.Alt}
	_, err := p.tally.Step(c)
	return &ev, err
}

func TestFirstExecutionOfProgram(t *testing.T) {
	for access, want := range map[bool]string{
		true:  "the program is not deterministic: under one and the same schedule it did something else than before: diverged at step 0: expected read of object 0 by g0, ",
		false: "but read of object 0 by g0, alternative 0 of 2",
	} {
		res, err := por.ExploreProgram(&stateDependent{tally: tally{n: 1}, access: access})
		var d *trace.DivergenceError
		if !errors.As(err, &d) || !strings.Contains(err.Error(), want) || res.Exhaustive || res.Verdict.Covered {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// prepared is an engine that changes a variable before the first execution.
type prepared struct{ variable *int }

func (prepared) Name() string { return "prepared" }

func (e prepared) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	*e.variable = 1
	return engine.Source{}.Explore(p, visit)
}

// TestVariablesCopiedBefore: variables at package level are copied before an engine begins, whose time is limited.
func TestVariablesCopiedBefore(t *testing.T) {
	x, seen := new(int), -1
	hook.KeepVariable("p.x", x)
	defer func() {
		machine.Turns.Everyone.Store(false)
		machine.Turns.Taken.Store(false)
	}()
	_, err := por.Explore(func() { new(sched.Int32).Load(); seen = *x }, por.Engine(prepared{x}))
	if err != nil || seen != 0 {
		t.Errorf("an execution has found %d, %v", seen, err)
	}
}
