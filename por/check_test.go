package por_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/unfold"
)

// outerTB is a test that keeps what it is told, so that a failing Check can be
// looked at.
type outerTB struct {
	testing.TB
	name string

	mu       sync.Mutex
	failed   bool
	skipped  bool
	errors   []string
	logs     []string
	cleanups []func()
	deadline time.Time
}

func (t *outerTB) Name() string { return t.name }
func (t *outerTB) Helper()      {}

func (t *outerTB) add(list *[]string, text string, fail bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	*list = append(*list, text)
	t.failed = t.failed || fail
}

func (t *outerTB) Error(args ...any)            { t.add(&t.errors, fmt.Sprint(args...), true) }
func (t *outerTB) Errorf(f string, args ...any) { t.add(&t.errors, fmt.Sprintf(f, args...), true) }
func (t *outerTB) Log(args ...any)              { t.add(&t.logs, fmt.Sprint(args...), false) }
func (t *outerTB) Logf(f string, args ...any)   { t.add(&t.logs, fmt.Sprintf(f, args...), false) }

func (t *outerTB) Fatal(args ...any) {
	t.Error(args...)
	runtime.Goexit()
}

func (t *outerTB) Fatalf(f string, args ...any) {
	t.Errorf(f, args...)
	runtime.Goexit()
}

func (t *outerTB) FailNow() {
	t.mu.Lock()
	t.failed = true
	t.mu.Unlock()
	runtime.Goexit()
}

func (t *outerTB) Skip(args ...any) {
	t.Log(args...)
	t.SkipNow()
}

func (t *outerTB) SkipNow() {
	t.mu.Lock()
	t.skipped = true
	t.mu.Unlock()
	runtime.Goexit()
}

func (t *outerTB) Skipped() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.skipped
}

func (t *outerTB) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

func (t *outerTB) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

func (t *outerTB) Deadline() (time.Time, bool) { return t.deadline, !t.deadline.IsZero() }

// within runs body as a test of its own and returns what it has told its TB.
func within(t testing.TB, body func(t testing.TB)) *outerTB {
	return withinTB(&outerTB{TB: t, name: "TestInner"}, body)
}

func withinTB(o *outerTB, body func(t testing.TB)) *outerTB {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, f := range slices.Backward(o.cleanups) {
				f()
			}
		}()
		body(o)
	}()
	<-done
	return o
}

// check runs one Check as a test of its own.
func check(t testing.TB, f any, opts ...por.Option) *outerTB {
	t.Helper()
	return within(t, func(t testing.TB) { por.Check(t, f, opts...) })
}

// text is everything that the test has told.
func (t *outerTB) text() string {
	return strings.Join(t.errors, "\n") + "\n" + strings.Join(t.logs, "\n")
}

// wantError fails the test unless there is exactly one error, with these parts.
func (t *outerTB) wantError(test *testing.T, parts ...string) {
	test.Helper()
	if len(t.errors) != 1 {
		test.Fatalf("%d errors, want 1:\n%s", len(t.errors), t.text())
	}
	for _, p := range parts {
		if !strings.Contains(t.errors[0], p) {
			test.Errorf("the error lacks %q:\n%s", p, t.errors[0])
		}
	}
}

// wantPass fails the test unless Check has passed, with these parts in the log.
func (t *outerTB) wantPass(test *testing.T, parts ...string) {
	test.Helper()
	if t.failed {
		test.Fatalf("Check failed:\n%s", t.text())
	}
	for _, p := range parts {
		if !strings.Contains(t.text(), p) {
			test.Errorf("the log lacks %q:\n%s", p, t.text())
		}
	}
}

// The closures of the tests.

func abba() {
	var a, b sched.Mutex
	h := sched.Go(func() {
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	})
	a.Lock()
	b.Lock()
	b.Unlock()
	a.Unlock()
	h.Join()
}

func lostUpdate(t testing.TB) {
	n := sched.NewVar(0)
	h := sched.Go(func() { n.Store(n.Load() + 1) })
	n.Store(n.Load() + 1)
	h.Join()
	t.Logf("both are done")
	if got := n.Load(); got != 2 {
		t.Errorf("n = %d, want 2", got)
	}
}

// writers has n! traces and none that fails.
func writers(n int) func() {
	return func() {
		v := sched.NewVar(0)
		var hs []sched.Handle
		for i := range n {
			hs = append(hs, sched.Go(func() { v.Store(i) }))
		}
		for _, h := range hs {
			h.Join()
		}
	}
}

func TestCheckPasses(t *testing.T) {
	explore := por.Races(sched.RaceExplore)
	o := check(t, writers(4), explore)
	o.wantPass(t, "all 24 traces explored, none fails (exhaustive; optimal DPOR", "24 executions, 0 blocked")

	o = check(t, writers(1), explore)
	o.wantPass(t, "the only trace explored, it does not fail (exhaustive; optimal DPOR")

	o = check(t, writers(2), explore, por.Engine(engine.DFS{}))
	o.wantPass(t, "interleavings explored, none fails (exhaustive; depth-first search")

	o = check(t, writers(2), explore, por.Engine(engine.Source{}))
	o.wantPass(t, "all 2 traces explored, none fails (exhaustive; source-DPOR")

	o = check(t, writers(3), explore, por.Engine(unfold.QPOR{K: 2}))
	o.wantPass(t, "all 6 traces explored, none fails (exhaustive; quasi-optimal POR, k = 2", "events kept")

	o = check(t, writers(3), explore, por.Engine(unfold.Optimal{}))
	o.wantPass(t, "all 6 traces explored, none fails (exhaustive; optimal POR by unfolding", "6 executions, 0 blocked", "events kept")

	o = check(t, writers(2), explore, por.Engine(engine.Random{Executions: 50}), por.Seed(7))
	o.wantPass(t, "50 executions explored", "none fails; NOT exhaustive (drawn at random; random)")

	o = check(t, writers(5), explore, por.MaxExecutions(10))
	o.wantPass(t, "10 executions explored", "NOT exhaustive (execution limit; optimal DPOR)")

	o = check(t, writers(9), explore, por.MaxTime(30*time.Millisecond))
	o.wantPass(t, "NOT exhaustive (time limit; optimal DPOR")

	o = check(t, writers(5), explore, por.MaxExecutions(10), por.Exhaustive())
	o.wantError(t, "NOT exhaustive (execution limit", "the option Exhaustive requires more")
}

func TestCheckStopsBeforeDeadline(t *testing.T) {
	o := inTime(t, 2*time.Second, func(t testing.TB) {
		por.Check(t, writers(9), por.Races(sched.RaceExplore), por.MaxTime(0))
	})
	o.wantPass(t, "NOT exhaustive (the deadline of the test; optimal DPOR")
}

func TestCheckRefusesClosures(t *testing.T) {
	for _, test := range []struct {
		f    any
		want string
	}{
		{nil, "the closure is nil; give a func(), a func(testing.TB) or a func(*testing.T)"},
		{(func())(nil), "the closure is a nil func()"},
		{(func(testing.TB))(nil), "the closure is a nil func(testing.TB)"},
		{(func(*testing.T))(nil), "the closure is a func(*testing.T), but the test a *por_test.outerTB"},
		{func(t *testing.T) {}, "the closure is a func(*testing.T), but the test a *por_test.outerTB; give a func() or a func(testing.TB)"},
		{func(t *testing.F) {}, "the closure is a func(*testing.F); give a func(), a func(testing.TB) or a func(*testing.T)"},
		{7, "the closure is a int"},
	} {
		check(t, test.f).wantError(t, test.want)
	}
}

// A closure may ask for the test itself, for helpers that want a *testing.T.
func TestCheckPassesTest(t *testing.T) {
	executions := 0
	por.Check(t, func(got *testing.T) {
		executions++
		if got != t {
			t.Error("another test")
		}
		sched.Go(func() { sched.Gosched() })
	})
	if executions == 0 {
		t.Error("the closure was not called")
	}
}

func TestCheckInsideCheck(t *testing.T) {
	o := within(t, func(t testing.TB) {
		por.Check(t, func() { por.Check(t, func() {}) })
	})
	if len(o.errors) < 1 || !strings.Contains(o.errors[0], "Check inside Check") {
		t.Errorf("got\n%s", o.text())
	}
	check(t, func(t testing.TB) {
		por.Check(t, func() {})
	}).wantError(t, "Check inside Check")
	var err error
	check(t, func() { _, err = por.Explore(func() {}) }).wantPass(t)
	if err == nil || !strings.Contains(err.Error(), "Explore inside Check") {
		t.Errorf("error is %v", err)
	}
}

func TestCheckFailures(t *testing.T) {
	inC, withProgram, withFinalizer, onNetwork := notDeterministic(), notDeterministic(), notDeterministic(), notDeterministic()
	for _, test := range []struct {
		name string
		f    any
		opts []por.Option
		want []string
	}{
		{name: "deadlock", f: abba, want: []string{
			"por: deadlock by lock order: main and g1 wait for each other", "main waits in lock of b, held by g1", "g1 waits in lock of a, held by main",
			"por_test.abba", "a.Lock()     holds a", "b.Lock()  <- wants b", "b.Lock()     holds b", "a.Lock()  <- wants a",
			"1 preemption (fewer do not show it), 4 steps", "POR_REPLAY=p1", "check_test.go", "a.Lock()",
		}},
		{name: "assertion", f: lostUpdate, opts: []por.Option{por.Races(sched.RaceExplore)}, want: []string{
			"assertion failed: check_test.go:", "n = 1, want 2", "log of this execution", "both are done",
			"1 preemption", "g1 (check_test.go:", "go test ", "-run '^TestInner$'",
		}},
		{name: "race", f: lostUpdate, want: []string{"data race: ", "check_test.go"}},
		{name: "panic", f: func() {
			c := sched.NewChan[int](1)
			sched.Go(func() { c.Close() }).Join()
			c.Send(1)
		}, want: []string{"panic: send on closed channel: main sends on c, which g1 has closed before (check_test.go:", "main panics (check_test.go:", "==> panic"}},
		{name: "panic of lines", f: func() { panic("\n\nassert: mock: unexpected call\n\nto it") }, want: []string{"por: panic: assert: mock: unexpected call ...\n", "check_test.go"}},
		{name: "own panic", f: func() { panic(errors.New("my own")) }, want: []string{"panic: my own", "check_test.go"}},
		{name: "fatal error", f: func() {
			var mu sched.Mutex
			mu.Unlock()
		}, want: []string{"fatal error: ", "unlock of unlocked mutex"}},
		{name: "leak", f: func() {
			c := sched.NewChan[int](0)
			sched.Go(func() { c.Recv() })
		}, want: []string{"goroutine leak: ", "g1 waits in recv of", "recv c, waits"}},
		{name: "steps", f: func() {
			v := sched.NewVar(0)
			for v.Load() == 0 {
			}
		}, opts: []por.Option{por.MaxSteps(1000), por.Races(sched.RaceExplore)}, want: []string{
			"livelock: main repeats read v (check_test.go:", "step limit: the execution is longer than 1,000 steps", "992 steps not shown: -por.full", "   999",
		}},
		{name: "fatal", f: func(t testing.TB) { t.Fatal("now", 1) }, want: []string{"assertion failed: check_test.go", ": now 1"}},
		{name: "not deterministic", f: notDeterministic(), opts: []por.Option{por.Races(sched.RaceExplore)}, want: []string{"the closure is not deterministic", "the order of a map"}},
		{name: "not deterministic with C", f: func() {
			sched.Assume(sched.AssumeCode, "net.Dial")
			sched.Assume(sched.AssumeCode, "the C function f of package p")
			inC()
		}, opts: []por.Option{por.Races(sched.RaceExplore)}, want: []string{"the closure is not deterministic", "which is not under control: the C function f of package p"}},
		{name: "not deterministic with another program", f: func() {
			sched.Assume(sched.AssumeCode, "os/exec.Cmd.Start")
			withProgram()
		}, opts: []por.Option{por.Races(sched.RaceExplore)}, want: []string{"the closure is not deterministic", "the likeliest is what another program does, which is not under control: os/exec.Cmd.Start (check_test.go:"}},
		{name: "not deterministic with the network", f: func() {
			sched.Assume(sched.AssumeCode, "net.Dial")
			onNetwork()
		}, opts: []por.Option{por.Races(sched.RaceExplore)}, want: []string{"the closure is not deterministic", "the likeliest is what comes from the network, and when its deadlines pass, which is not under control: net.Dial (check_test.go:"}},
		{name: "not deterministic with a finalizer", f: func() {
			sched.Assume(sched.AssumeCode, "net.Dial")
			sched.Assume(sched.AssumeCode, "runtime.SetFinalizer")
			withFinalizer()
		}, opts: []por.Option{por.Races(sched.RaceExplore)}, want: []string{"the closure is not deterministic", "the likeliest is when the garbage collector runs a finalizer: runtime.SetFinalizer (check_test.go:"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			check(t, test.f, test.opts...).wantError(t, test.want...)
		})
	}
}

// notDeterministic returns a closure that keeps state between executions.
func notDeterministic() func() {
	runs := 0
	return func() {
		runs++
		v, w := sched.NewVar(0), sched.NewVar(0)
		if runs > 1 {
			w.Load()
		}
		v.Load()
		h := sched.Go(func() { v.Store(1) })
		v.Load()
		h.Join()
	}
}

func TestCheckOuterTest(t *testing.T) {
	for name, fail := range map[string]func(t testing.TB){
		"Errorf": func(t testing.TB) { t.Errorf("x is %d", 5) },
		"Fatalf": func(t testing.TB) { t.Fatalf("x is %d", 5) },
	} {
		t.Run(name, func(t *testing.T) {
			after := false
			o := within(t, func(t testing.TB) {
				por.Check(t, func() {
					c := sched.NewChan[int](0)
					sched.Go(func() { c.Send(5) })
					if x := c.Recv(); x == 5 {
						fail(t)
					}
				})
				after = true
			})
			if !after {
				t.Error("Check did not return")
			}
			if o.errors[0] != "x is 5" {
				t.Errorf("first error is %q", o.errors[0])
			}
			report := o.errors[len(o.errors)-1]
			if !strings.Contains(report, "the closure has failed the test around it") || !strings.Contains(report, "recv c = 5, waits") {
				t.Errorf("report is\n%s", report)
			}
		})
	}
}

func TestCheckKeepsGoing(t *testing.T) {
	o := check(t, func(t testing.TB) {
		c := sched.NewChan[int](2)
		for i := range 2 {
			sched.Go(func() { c.Send(i) })
		}
		t.Errorf("first is %d", c.Recv())
		c.Recv()
	}, por.KeepGoing(5))
	if len(o.errors) != 2 {
		t.Fatalf("%d errors, want 2:\n%s", len(o.errors), o.text())
	}
	for i, e := range o.errors {
		if !strings.Contains(e, fmt.Sprintf("failure %d of 2: assertion failed", i+1)) {
			t.Errorf("error %d is\n%s", i, e)
		}
	}
	if !strings.Contains(o.text(), "2 distinct failures were found") {
		t.Errorf("no verdict in\n%s", o.text())
	}
}

func TestCheckTB(t *testing.T) {
	var order []string
	var dirs []string
	var last string
	var ctx context.Context
	o := check(t, func(t testing.TB) {
		order = order[:0]
		t.Cleanup(func() { order = append(order, "first") })
		t.Cleanup(func() {
			if ctx.Err() == nil {
				t.Error("the context is alive in Cleanup")
			}
			order = append(order, "second")
		})
		ctx = t.Context()
		dir := t.TempDir()
		dirs = append(dirs, filepath.Base(dir))
		if list, err := os.ReadDir(dir); len(list) > 0 || err != nil {
			t.Errorf("in a new directory: %v, %v", list, err)
		}
		last = dir
		if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("GOPOR_TEST_VARIABLE", "set")
		fmt.Fprintln(t.Output(), "not seen")
		t.Log("not seen")
		if t.Failed() || t.Skipped() || t.Name() != "TestInner" {
			t.Error("the TB is not fresh")
		}
		writersIn := sched.NewChan[int](2)
		for i := range 2 {
			sched.Go(func() { writersIn.Send(i) })
		}
		if writersIn.Recv() == 1 {
			t.Skip("enough")
		}
		writersIn.Recv()
	})
	o.wantPass(t, "all 2 traces explored")
	if strings.Contains(o.text(), "not seen") {
		t.Errorf("a log is shown:\n%s", o.text())
	}
	if got := fmt.Sprint(order); got != "[second first]" {
		t.Errorf("cleanups ran in order %v", got)
	}
	// The first execution is run twice, after one that was the first to ask for the
	// context.
	if got := fmt.Sprint(dirs); got != "[001 001 001 001]" {
		t.Errorf("directories are %v", got)
	}
	if _, err := os.Stat(last); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", last, err)
	}
	if v, ok := os.LookupEnv("GOPOR_TEST_VARIABLE"); ok {
		t.Errorf("GOPOR_TEST_VARIABLE is still %q", v)
	}
}

func assertPositive(t testing.TB, n int) {
	t.Helper()
	if n <= 0 {
		t.Errorf("%d is not positive\nand more", n)
	}
}

func TestCheckTBHelper(t *testing.T) {
	_, _, line, _ := runtime.Caller(0)
	o := check(t, func(t testing.TB) {
		t.Log("before")
		assertPositive(t, 0)
	})
	o.wantError(t, fmt.Sprintf("check_test.go:%d: 0 is not positive ...", line+3), "before", "and more")
}

func TestChecksInParallel(t *testing.T) {
	for i := range 6 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			check(t, writers(5), por.Races(sched.RaceExplore)).wantPass(t, "all 120 traces")
			check(t, abba).wantError(t, "deadlock")
		})
	}
}

func TestCheckLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 5 {
		check(t, abba)
		check(t, writers(4), por.Races(sched.RaceExplore))
		check(t, func(t testing.TB) { t.FailNow() })
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestCheckGoroutineFails(t *testing.T) {
	// FailNow and a panic in a goroutine other than the closure's, and in Cleanup.
	check(t, func(t testing.TB) {
		sched.Go(func() { t.Fatal("in a child") }).Join()
	}).wantError(t, "assertion failed: check_test.go:", "in a child")
	ran := false
	check(t, func(t testing.TB) {
		t.Cleanup(func() { ran = true })
		t.Cleanup(func() { panic("in a cleanup") })
	}).wantError(t, "panic: in a cleanup")
	if !ran {
		t.Error("a panic in one cleanup keeps the others from running")
	}
	o := within(t, func(t testing.TB) {
		por.Check(t, func() {
			sched.Go(func() { t.Fatal("real one") }).Join()
		})
	})
	if len(o.errors) < 2 || o.errors[0] != "real one" {
		t.Errorf("errors are %q", o.errors)
	}
}
