package por_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// subtest runs f as a part, one after the other.
func subtest(name string, f func()) {
	defer hook.Phase(hook.Phase(name))
	sched.Go(func() { hook.Join(name); f() }).Join()
}

// TestParts explores parts of a program one at a time, after a first execution of all that has shown
// that there is more than one.
func TestParts(t *testing.T) {
	effort.Computes(t)
	contend := func(n int) {
		var m sched.Mutex
		var group sched.WaitGroup
		for range n {
			group.Add(1)
			sched.Go(func() { m.Lock(); m.Unlock(); group.Done() })
		}
		group.Wait()
	}
	inParallel := func(names ...string) (hs []sched.Handle) {
		for _, name := range names {
			hs = append(hs, sched.Go(func() { hook.Join(name); contend(3) }))
		}
		return hs
	}
	const bounded = "every trace of each subtest, with one schedule of the others, among them, none fails; NOT exhaustive (subtests were not explored together; "
	for _, test := range []struct {
		name       string
		f          func(tb testing.TB)
		opts       []por.Option
		executions int64
		says       string
	}{
		{name: "none", f: func(testing.TB) { contend(3) }, executions: 6, says: "all 6 traces explored, none fails (exhaustive"},
		{name: "one trace", f: func(testing.TB) {
			for i := range 9 {
				subtest(fmt.Sprint(i), func() { sched.Go(func() {}).Join() })
			}
		}, executions: 1, says: "the only trace explored, it does not fail (exhaustive"},
		{name: "one", f: func(testing.TB) { subtest("a", func() { contend(3) }) }, executions: 2 + 6 + 6, says: "14 executions explored, none fails (exhaustive"},
		{name: "two", f: func(testing.TB) {
			subtest("a", func() { contend(3) })
			subtest("b", func() { contend(2) })
		}, executions: 2 + 6 + 2 + 12, says: "22 executions explored, none fails (exhaustive"},
		{name: "eight", f: func(testing.TB) {
			for i := range 8 {
				subtest(fmt.Sprint(i), func() { contend(3) })
			}
		}, executions: 2 + 8*6, says: "50 executions explored in "},
		{name: "eight, bounded", f: func(testing.TB) {
			for i := range 8 {
				subtest(fmt.Sprint(i), func() { contend(3) })
			}
		}, executions: 2 + 8*6, says: bounded},
		{name: "source", f: func(testing.TB) {
			for i := range 8 {
				subtest(fmt.Sprint(i), func() { contend(3) })
			}
		}, opts: []por.Option{por.Engine(engine.Source{})}, executions: 2 + 8*6, says: bounded},
		{name: "choices", f: func(testing.TB) {
			for i := range 9 {
				subtest(fmt.Sprint(i), func() { sched.Choose(7) })
			}
		}, executions: 2 + 9*7, says: bounded},
		{name: "nested", f: func(testing.TB) {
			for i := range 3 {
				subtest(fmt.Sprint(i), func() {
					contend(2)
					for j := range 3 {
						subtest(fmt.Sprintf("%d/%d", i, j), func() { contend(4) })
					}
				})
			}
		}, executions: 2 + 3*2 + 9*24, says: bounded},
		{name: "parallel", f: func(testing.TB) {
			for _, h := range inParallel("a", "b", "c", "d", "e", "f", "g", "h") {
				h.Join()
			}
		}, executions: 2 + 8*6, says: bounded},
		{name: "a part of all", f: func(testing.TB) {
			h := sched.Go(func() { contend(2) })
			subtest("a", func() { sched.Choose(3) })
			h.Join()
		}, executions: 2 + 2*3 + 2*3, says: "explored, none fails (exhaustive"},
	} {
		x := &existingTB{outerTB: outerTB{TB: t, name: t.Name()}}
		withinTB(&x.outerTB, func(testing.TB) { por.Check(x, test.f, append(test.opts, por.MaxTime(10*time.Minute))...) })
		if n := x.verdict.Stats.Executions; n != test.executions || !strings.Contains(x.outerTB.text(), test.says) {
			t.Errorf("%s: %d executions, want %d; says %s", test.name, n, test.executions, x.outerTB.text())
		}
	}
}

// TestLimitOfParts lets a limit end the search after an execution, which is the only one if it is in
// all parts.
func TestLimitOfParts(t *testing.T) {
	alone := func() { sched.Go(func() {}).Join() }
	choose := func() { sched.Choose(2) }
	for _, test := range []struct {
		name  string
		f     func(testing.TB)
		limit int64
		only  bool
	}{
		{"one", func(testing.TB) { subtest("a", alone) }, 1, true},
		{"two", func(testing.TB) { subtest("a", alone); subtest("b", alone) }, 1, true},
		{"a choice in the other", func(testing.TB) { subtest("a", alone); subtest("b", choose) }, 1, false},
		{"a choice in the first", func(testing.TB) { subtest("a", choose); subtest("b", alone) }, 1, false},
		{"the only one of the first", func(testing.TB) { subtest("a", alone); subtest("b", choose) }, 2, false},
	} {
		x := &existingTB{outerTB: outerTB{TB: t, name: t.Name()}}
		withinTB(&x.outerTB, func(testing.TB) { por.Check(x, test.f, por.MaxExecutions(test.limit)) })
		if v := x.verdict; v.Stats.Executions != test.limit || v.Covered != test.only {
			t.Errorf("%s: covered: %t, want %t: %v", test.name, v.Covered, test.only, v)
		}
	}
}

// TestLimitOfTheOnlyFailure lets a limit end the search after the only execution, which waits for the
// clock, and fails. There is no word of time by lag.
func TestLimitOfTheOnlyFailure(t *testing.T) {
	x := &existingTB{outerTB: outerTB{TB: t, name: t.Name()}}
	withinTB(&x.outerTB, func(testing.TB) {
		por.Check(x, func(tb testing.TB) { subtest("a", func() { sched.Sleep(time.Hour) }) }, por.MaxExecutions(1))
	})
	if v := x.verdict.String(); len(x.errors) != 1 || strings.Contains(v, "does not fail") || strings.Contains(v, "by lag") {
		t.Errorf("%s, errors %q", v, x.errors)
	}
}

// TestPartsFail finds what fails in one part, and in several together, and says where.
func TestPartsFail(t *testing.T) {
	var order []int
	// note runs two goroutines of which either may come first.
	note := func() {
		var first sched.Int32
		h := sched.Go(func() { first.CompareAndSwap(0, 1) })
		first.CompareAndSwap(0, 2)
		h.Join()
		order = append(order, int(first.Load()))
	}
	for _, test := range []struct {
		name string
		f    func(tb testing.TB)
		want string
	}{
		{"in one", func(testing.TB) {
			for i := range 9 {
				subtest(fmt.Sprint("sub", i), func() {
					if note(); order[i] == 1 && i == 7 {
						sched.NewChan[int](0).Recv()
					}
				})
			}
		}, "deadlock in sub7: all goroutines wait"},
		{"in another goroutine", func(testing.TB) {
			subtest("sub", func() {
				if note(); order[0] == 1 {
					sched.Go(func() { panic("oh") }).Join()
				}
			})
			subtest("other", note)
		}, "panic in sub: oh"},
		{"together", func(tb testing.TB) {
			subtest("sub", note)
			subtest("other", note)
			if order[0] == 1 && order[1] == 1 {
				tb.Error("both")
			}
		}, "both"},
		{"between", func(tb testing.TB) {
			var n sched.Int32
			subtest("sub", func() { sched.Go(func() { n.Store(1) }) })
			subtest("other", func() {
				if n.Load() == 0 {
					panic("late")
				}
			})
		}, "panic in other: late"},
	} {
		x := &existingTB{outerTB: outerTB{TB: t, name: t.Name()}}
		withinTB(&x.outerTB, func(testing.TB) {
			por.Check(x, func(tb testing.TB) { order = nil; test.f(tb) })
		})
		if len(x.errors) != 1 || !strings.Contains(x.errors[0], test.want) {
			t.Errorf("%s: %q, want %s", test.name, x.errors, test.want)
		}
	}
}

// TestPartsTurns has a loop that ends only if its select, or choice, does not always go the same way. In
// a part that is not explored there is one alternative at a time.
func TestPartsTurns(t *testing.T) {
	effort.Computes(t)
	selects := func() {
		var closed [3]bool
		var chans [3]*sched.Chan[int]
		cases := make([]sched.Case, len(chans))
		for i := range chans {
			chans[i] = sched.NewChan[int](0)
			chans[i].Close()
			cases[i] = sched.RecvCase(chans[i], nil, nil)
		}
		for closed != [3]bool{true, true, true} {
			closed[sched.Select(cases...)] = true
		}
	}
	chooses := func() {
		for sched.Choose(4) != 3 {
		}
	}
	for _, e := range []trace.Engine{engine.Auto{}, engine.Optimal{}, engine.Source{}, engine.DPOR{}, engine.Reverse{}} {
		for name, f := range map[string]func(){"selects": selects, "chooses": chooses} {
			x := &existingTB{outerTB: outerTB{TB: t, name: t.Name()}}
			withinTB(&x.outerTB, func(testing.TB) {
				por.Check(x, func() { subtest("one", f); subtest("two", f) },
					por.Engine(e), por.MaxExecutions(20), por.MaxSteps(20_000), por.MaxTime(0))
			})
			if len(x.errors) != 0 || x.verdict.Stats.Executions < 3 {
				t.Errorf("%s, %s: %d executions, %q", e.Name(), name, x.verdict.Stats.Executions, x.errors)
			}
		}
	}
}
