package por_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/natively"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/math/rand/v2"
)

// The outcomes of runs without control.
var (
	passes  = natively.Outcome{Result: natively.Passes}
	skips   = natively.Outcome{Result: natively.Skips}
	fails   = natively.Outcome{Result: natively.Fails, Says: "x_test.go:7: wrong"}
	inUse   = natively.Outcome{Result: natively.Fails, Says: "panic: listen tcp :80: bind: address already in use"}
	hangs   = natively.Outcome{Result: natively.Hangs, Limit: 10 * time.Second, Waits: "chan receive"}
	unknown = natively.Outcome{Says: "go test -c: no C compiler"}
)

// TestNatively has a row for each row of the table by which failures of all executions are judged, and
// for each result of a run without control.
func TestNatively(t *testing.T) {
	assertion := func(tb testing.TB) { tb.Error("wrong") }
	clock := func(tb testing.TB) { sched.Sleep(1); tb.Error("wrong") }
	deadlock := func(testing.TB) { sched.NewChan[int](0).Recv() }
	background := func(testing.TB) { sched.Go(func() { panic("late") }) }
	served := func(f func(testing.TB)) func(testing.TB) {
		return func(tb testing.TB) {
			sched.Assume(sched.AssumeCode, "net/http/httptest.NewServer")
			f(tb)
		}
	}
	sometimes := served(func(testing.TB) { // a deadlock in one of two orders
		var n sched.Int32
		h := sched.Go(func() { n.Store(1) })
		if n.Load() == 1 {
			sched.NewChan[int](0).Recv()
		}
		h.Join()
	})
	lock := func(testing.TB) {
		var mu sched.Mutex
		mu.Lock()
		mu.Lock()
	}
	const (
		fail  = "FAIL"
		unfit = "not explored"
	)
	for _, test := range []struct {
		name string
		f    func(testing.TB)
		runs map[natively.Outcome]string // what becomes of the test
		says map[natively.Outcome]string
		none bool // there is no run
		opts []por.Option
	}{
		{name: "what executions leave is in its way", f: func(tb testing.TB) { tb.Error("bind: address already in use") },
			runs: map[natively.Outcome]string{passes: unfit, skips: unfit, fails: unfit, hangs: unfit, unknown: unfit}, none: true,
			says: map[natively.Outcome]string{fails: "what has listened may still do"}},
		{name: "nothing was met", f: assertion,
			runs: map[natively.Outcome]string{passes: unfit, skips: unfit, fails: fail, inUse: fail, hangs: fail, unknown: fail},
			says: map[natively.Outcome]string{
				passes:  "and passes without control: assertion failed",
				skips:   "and is skipped without control: assertion failed",
				fails:   "It fails whatever the schedule, and also without control: this is no matter of timing.\n\nWithout control: x_test.go:7: wrong\n",
				inUse:   "Without control the test could not be run: it fails by what executions may have left: panic: listen tcp :80",
				unknown: "Without control the test could not be run: go test -c: no C compiler.",
				hangs:   "Without control the test hangs: it was ended after 10s, waiting in chan receive.",
			}},
		{name: "the clock was met", f: clock,
			runs: map[natively.Outcome]string{passes: unfit, skips: unfit, fails: fail, inUse: unfit, hangs: unfit, unknown: unfit},
			says: map[natively.Outcome]string{
				passes:  "wrong; likely cause: time is not real",
				unknown: "Without control the test could not be run: go test -c: no C compiler. If it passes there, this is probably no bug.",
				hangs:   "Without control the test hangs: it was ended after 10s, waiting in chan receive.",
			}},
		{name: "a deadlock", f: deadlock,
			runs: map[natively.Outcome]string{passes: fail, skips: fail, fails: fail, hangs: fail, unknown: fail},
			says: map[natively.Outcome]string{passes: "Without control the test passes this time. Its goroutines move in another order there."}},
		{name: "a deadlock, and the clock", f: func(tb testing.TB) { sched.Sleep(1); deadlock(tb) },
			runs: map[natively.Outcome]string{passes: fail, fails: fail, hangs: fail, unknown: fail}},
		{name: "a deadlock, and random numbers", f: func(tb testing.TB) { rand.N(1000); deadlock(tb) },
			runs: map[natively.Outcome]string{passes: fail, fails: fail, hangs: fail, unknown: fail}},
		{name: "a deadlock, and a variable of before", f: func(tb testing.TB) {
			sched.Assume(sched.AssumeVariable, "a variable")
			deadlock(tb)
		},
			runs: map[natively.Outcome]string{passes: unfit, fails: fail, hangs: fail, unknown: unfit}},
		{name: "a deadlock, and a file", f: func(tb testing.TB) {
			sched.Assume(sched.AssumeSource, "os.ReadFile")
			deadlock(tb)
		},
			runs: map[natively.Outcome]string{passes: unfit, fails: fail, hangs: fail, unknown: unfit}},
		{name: "a deadlock by itself", f: lock,
			runs: map[natively.Outcome]string{passes: fail, fails: fail, hangs: fail, unknown: fail}},
		{name: "a deadlock beside a server", f: served(deadlock),
			runs: map[natively.Outcome]string{passes: unfit, fails: fail, hangs: fail, unknown: unfit},
			says: map[natively.Outcome]string{passes: "likely cause: goroutines that are not under control may go on where all others wait (net/http/httptest.NewServer, natively_test.go:"}},
		{name: "a deadlock in some executions beside a server", f: sometimes,
			runs: map[natively.Outcome]string{passes: unfit, fails: fail, hangs: fail, unknown: unfit},
			says: map[natively.Outcome]string{passes: "fails under control in some executions, and passes without control: deadlock"}},
		{name: "an assertion beside a server", f: served(assertion),
			runs: map[natively.Outcome]string{passes: unfit, fails: fail, hangs: unfit, unknown: unfit},
			says: map[natively.Outcome]string{passes: "likely cause: the network is not under control"}},
		{name: "a finalizer", f: func(tb testing.TB) {
			sched.Assume(sched.AssumeCode, "runtime.SetFinalizer")
			tb.Error("not finalized")
		},
			runs: map[natively.Outcome]string{passes: unfit, fails: fail, hangs: unfit, unknown: unfit},
			says: map[natively.Outcome]string{unknown: "likely cause: no finalizer or cleanup runs in an execution (runtime.SetFinalizer"}},
		{name: "the panic of a goroutine that is left behind", f: background,
			runs: map[natively.Outcome]string{passes: fail, skips: fail, fails: fail, hangs: fail, unknown: fail},
			says: map[natively.Outcome]string{passes: "Without control the test passes, where the process ends with its tests."}},
		{name: "the panic of a goroutine that is left behind, after a while", f: func(testing.TB) { sched.Go(func() { sched.Sleep(1e9); panic("late") }) },
			runs: map[natively.Outcome]string{passes: unfit, fails: fail, unknown: unfit}},
		{name: "the panic of main", f: func(testing.TB) { panic("at once") },
			runs: map[natively.Outcome]string{passes: unfit, fails: fail, unknown: fail}},
		{name: "maps have one order", f: func(tb testing.TB) {
			sched.Assume(sched.AssumeMapOrder, "range over a map[string]int")
			tb.Error("the same")
		},
			runs: map[natively.Outcome]string{passes: unfit, fails: fail, unknown: unfit},
			says: map[natively.Outcome]string{passes: "likely cause: maps are ranged over in one order (range over a map[string]int"}},
		{name: "a race is no matter of the table", f: func(testing.TB) {
			var x sched.Var[int]
			sched.Go(func() { x.Store(1) })
			x.Store(2)
		},
			runs: map[natively.Outcome]string{passes: fail}, none: true},
		{name: "some pass", f: func(tb testing.TB) {
			var n sched.Int32
			sched.Go(func() { n.Store(1) })
			if n.Load() == 1 {
				tb.Error("wrong")
			}
		},
			runs: map[natively.Outcome]string{passes: fail}, none: true},
		{name: "too few", f: func(tb testing.TB) { sched.Sleep(1); sched.Go(func() {}); tb.Error("wrong") }, opts: []por.Option{por.MaxExecutions(1)},
			runs: map[natively.Outcome]string{passes: unfit, fails: fail},
			says: map[natively.Outcome]string{
				passes: "Others may pass: these were too few to tell.",
				fails:  "It fails in the only execution that the limits allowed, and also without control",
			}},
	} {
		for run, want := range test.runs {
			x := &existingTB{outerTB: outerTB{TB: t, name: t.Name()}, native: run}
			withinTB(&x.outerTB, func(testing.TB) { por.Check(x, test.f, append(test.opts, por.Direct())...) })
			errors := strings.Join(x.errors, "\n")
			got := "passes"
			switch {
			case errors != "" && x.headline == "":
				got = fail
			case errors == "" && x.headline != "":
				got = unfit
			}
			if got != want {
				t.Errorf("%s: where it %v the test is %s, want %s: %s%s", test.name, run, got, want, errors, x.text)
			}
			if text := strings.Join(strings.Fields(errors+x.text), " "); !strings.Contains(text, strings.Join(strings.Fields(test.says[run]), " ")) {
				t.Errorf("%s: where it %v this is said: %s\nwant %s", test.name, run, text, test.says[run])
			}
			if got == fail && (x.verdict.Failures != 1 || x.verdict.Exhaustive) {
				t.Errorf("%s: the verdict is %v", test.name, x.verdict)
			}
			if got == fail && !test.none && !strings.Contains(errors, "It fails") {
				t.Errorf("%s: it is not said that all executions fail: %s", test.name, errors)
			}
			if (x.limit == 0) != test.none {
				t.Errorf("%s: the limit of the run without control is %v", test.name, x.limit)
			}
		}
	}
}

// A run without control ends before the deadline of the test, and is not made if the search was broken off.
func TestNativelyLimit(t *testing.T) {
	x := &existingTB{outerTB: outerTB{TB: t, name: t.Name()}, native: fails}
	withinTB(&x.outerTB, func(testing.TB) { por.Check(x, func(testing.TB) { sched.NewChan[int](0).Recv() }, por.Direct()) })
	if x.limit != natively.Short {
		t.Errorf("a deadlock with nothing else has %v", x.limit)
	}
	withinTB(&x.outerTB, func(testing.TB) {
		por.Check(x, func(testing.TB) { sched.Sleep(1); sched.NewChan[int](0).Recv() }, por.Direct())
	})
	if x.limit != natively.Limit {
		t.Errorf("a deadlock with a clock has %v", x.limit)
	}
}

// TestOutsideOfControl has goroutines that are not under control, and others that meet in the network.
func TestOutsideOfControl(t *testing.T) {
	assume := func(what string) { sched.Assume(sched.AssumeCode, what) }
	two := func() { h := sched.Go(func() {}); h.Join() }
	many := func() {
		var n sched.Int32
		h := sched.Go(func() { n.Store(1) })
		n.Load()
		h.Join()
	}
	for _, test := range []struct {
		name  string
		f     func()
		unfit string
		says  string // of the verdict
	}{
		{"a server", func() { assume("net/http/httptest.NewServer") }, "cannot be explored: goroutines are not under control (net/http/httptest.NewServer, natively_test.go:", ""},
		{"a server, and several traces", func() { assume("net/http.Server.Serve"); many() }, "", "2 executions explored in 12ms, none fails; NOT exhaustive (goroutines are not under control (net/http.Server.Serve, natively_test.go:"},
		{"a handler with a limit of time", func() { assume("net/http.TimeoutHandler") }, "goroutines are not under control (net/http.TimeoutHandler", ""},
		{"a proxy", func() { assume("net/http/httputil.ReverseProxy.ServeHTTP") }, "goroutines are not under control (net/http/httputil.", ""},
		{"a client alone", func() { assume("net/http.Get") }, "", "the only trace explored, it does not fail; NOT exhaustive: code runs that is not under control (net/http.Get"},
		{"a client with goroutines of its own", func() {
			assume("net/http.Get")
			assume("a goroutine that is not under control, which uses what the execution uses")
		}, "goroutines are not under control (net/http.Get", ""},
		{"a goroutine of before", func() { assume("a goroutine that is not under control, which uses what the execution uses") }, "", "the only trace explored"},
		{"sockets of one goroutine", func() { assume("net.Listen"); assume("net.Dial") }, "", "the only trace explored"},
		{"sockets of two", func() { assume("net.Listen"); two() }, "cannot be explored: goroutines meet in the network, which is not under control (net.Listen, natively_test.go:", ""},
		{"TLS of two", func() { two(); assume("crypto/tls.Dial") }, "goroutines meet in the network, which is not under control (crypto/tls.Dial", ""},
		{"names of two", func() { assume("net.LookupHost"); two() }, "", "the only trace explored"},
		{"two", two, "", "the only trace explored, it does not fail (exhaustive"},
		{"a file of two", func() { sched.Assume(sched.AssumeSource, "os.ReadFile"); two() }, "", "the only trace explored"},
		{"another program", func() { assume("os/exec.Cmd.Run"); two() }, "", "the only trace explored"},
	} {
		x := &existingTB{outerTB: outerTB{TB: t, name: t.Name()}, native: passes}
		withinTB(&x.outerTB, func(testing.TB) { por.Check(x, func(testing.TB) { test.f() }, por.Direct()) })
		x.verdict.Stats.Elapsed = 12 * time.Millisecond
		if (x.headline == "") != (test.unfit == "") || !strings.Contains(x.headline, test.unfit) {
			t.Errorf("%s: not explored for %q, want %q", test.name, x.headline, test.unfit)
		}
		if x.headline == "" && !strings.Contains(x.verdict.String(), test.says) || len(x.errors) > 0 {
			t.Errorf("%s: the verdict is %v, want %s; %q", test.name, x.verdict, test.says, x.errors)
		}
	}
	// So it is for a Check, which says it in its verdict; and what is granted is granted.
	for _, granted := range []bool{false, true} {
		opts := []por.Option{por.Direct()}
		if granted {
			opts = append(opts, por.Grant(sched.AssumeCode))
		}
		res, err := por.Explore(func() { assume("net/http/httptest.NewServer") }, opts...)
		if err != nil || res.Exhaustive != granted || strings.Contains(res.Verdict.String(), "the only trace") != granted {
			t.Errorf("%v, %v", res.Verdict, err)
		}
	}
}
