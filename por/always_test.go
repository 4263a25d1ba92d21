package por_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/natively"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/math/rand/v2"
)

// existingTB is a test that knows nothing of this package.
type existingTB struct {
	outerTB
	headline, text string
	verdict        report.Verdict
	skipped        bool
	native         natively.Outcome // of a run without control
	limit          time.Duration    // that the run had, 0 if there was none
}

func (t *existingTB) Natively(limit time.Duration, end time.Time, over func() bool) natively.Outcome {
	t.limit = limit
	return t.native
}

func (t *existingTB) Unfit(headline, text string) { t.headline, t.text = headline, text }
func (t *existingTB) Explored(v report.Verdict)   { t.verdict = v }
func (t *existingTB) AllSkipped(reason string)    { t.skipped = true }

// served is what a goroutine may wait for that goes on when a test is over.
var served = sched.NewChan[int](0)

// TestAlways tells failures that depend on the schedule from those that do not.
func TestAlways(t *testing.T) {
	effort.Computes(t)
	// first runs n goroutines and returns which of them comes first.
	first := func(n int) int {
		var first sched.Int32
		var group sched.WaitGroup
		for i := range n {
			group.Add(1)
			sched.Go(func() { first.CompareAndSwap(0, int32(i+1)); group.Done() })
		}
		group.Wait()
		return int(first.Load())
	}
	leave := func() { sched.Go(func() { sched.NewChan[int](0).Recv() }) }
	stay := func() { sched.Go(func() { served.Recv() }) }
	runs, files := 0, make(map[int]bool)
	for _, test := range []struct {
		name  string
		f     func(tb testing.TB)
		opts  []por.Option
		fails string // what is reported as a failure
		unfit string // why the test is not explored
		says  string // of the verdict, or of the reason
	}{
		{name: "passes", f: func(testing.TB) { first(2) }, says: "all 2 traces explored, none fails (exhaustive"},
		{name: "some", f: func(tb testing.TB) {
			if first(2) == 2 {
				tb.Error("the second")
			}
		}, fails: "the second"},
		{name: "all but one", f: func(tb testing.TB) {
			if first(3) != 3 {
				tb.Error("not the last")
			}
		}, fails: "not the last"},
		{name: "nearly all", f: func(tb testing.TB) {
			if x, y := first(5), first(5); x != 5 && x != 4 || y == 0 {
				tb.Error("not the last")
			}
		}, fails: "not the last"},
		{name: "all", f: func(tb testing.TB) { tb.Error(first(3)) }, unfit: "fails under control whatever the schedule, in all 3 executions, and passes without control: assertion failed", says: "Nothing has run that is known to be different under control. Please report that."},
		{name: "more than are tried", f: func(tb testing.TB) {
			for range 4 {
				first(5)
			}
			tb.Error("fails")
		}, unfit: "in all 150 executions, and passes without control: assertion failed"},
		{name: "too few are tried", f: func(tb testing.TB) {
			first(5)
			sched.Sleep(1)
			tb.Error("fails")
		}, opts: []por.Option{por.MaxExecutions(3)}, unfit: "fails under control in all 3 executions that the limits allowed, and passes without control: assertion failed", says: "likely cause: time is not real: it moves on only where a goroutine waits for it (time.Sleep, always_test.go:"},
		{name: "enough are tried", f: func(tb testing.TB) {
			for range 4 {
				first(5)
			}
			tb.Error("fails")
		}, opts: []por.Option{por.MaxExecutions(60)}, unfit: "fails under control whatever the schedule, in all 60 executions, and passes without control: assertion failed"},
		{name: "one was in time", f: func(tb testing.TB) {
			if time.Sleep(5 * time.Millisecond); first(2) == 1 {
				tb.Error("the first")
			}
		}, opts: []por.Option{por.MaxTime(1)}, fails: "the first"},
		{name: "deadlock", f: func(testing.TB) { sched.NewChan[int](0).Recv() }, fails: "deadlock: all goroutines wait"},
		{name: "clock", f: func(tb testing.TB) { sched.Sleep(1); tb.Error("too early") }, unfit: "too early", says: "time is not real: it moves on only where a goroutine waits for it (time.Sleep, always_test.go:"},
		{name: "no time", f: func(tb testing.TB) {
			start := sched.Now()
			h := sched.Go(func() { sched.Sleep(1e6) })
			sched.Sleep(1e6)
			h.Join()
			if sched.Since(start) < 1e6+1e3 {
				tb.Error("too fast")
			}
		}, unfit: "too fast", says: "time is not real"},
		{name: "asks for the time very often", f: func(tb testing.TB) {
			for start, n := sched.Now(), 0; n < 300_000; n++ {
				sched.Since(start)
			}
		}, unfit: "and passes without control: deadlock: hangs: ", says: "likely cause: a loop asks for the time so often that the clock, which moves on by that, comes to the limit of time"},
		{name: "leak in all, with time", f: func(tb testing.TB) { leave(); sched.Sleep(1) }, fails: "goroutine leak: g1 (always_test.go:"},
		{name: "leak in all, with numbers", f: func(testing.TB) { leave(); rand.N(1000) }, fails: "goroutine leak: g1 (always_test.go:"},
		{name: "network", f: func(tb testing.TB) {
			sched.Sleep(1)
			sched.Assume(sched.AssumeCode, "net.Dial")
			tb.Error("refused")
		}, unfit: "refused", says: "the network is not under control (net.Dial, always_test.go:"},
		{name: "network, with a deadline", f: func(tb testing.TB) {
			sched.Assume(sched.AssumeCode, "net.ListenPacket")
			if first(2) == 2 {
				tb.Error("read udp: i/o timeout")
			}
		}, unfit: "fails under control in some executions, and passes without control: assertion failed: ", says: "likely cause: a deadline of the network passes in real time, while all other goroutines are stopped (net.ListenPacket, always_test.go:"},
		{name: "network, with a deadline always", f: func(tb testing.TB) {
			first(2)
			sched.Assume(sched.AssumeCode, "net.ListenPacket")
			tb.Error("read udp: i/o timeout")
		}, unfit: "fails under control whatever the schedule, in all 2 executions, and passes without control: assertion failed: ", says: "likely cause: a deadline of the network passes in real time, while all other goroutines are stopped (net.ListenPacket, always_test.go:"},
		{name: "network, and a failure of another kind", f: func(tb testing.TB) {
			sched.Assume(sched.AssumeCode, "net.ListenPacket")
			if first(2) == 2 {
				tb.Error("wrong")
			}
		}, fails: "wrong"},
		{name: "a deadline of a pipe", f: func(tb testing.TB) {
			if first(2) == 2 {
				tb.Error("read pipe: i/o timeout")
			}
		}, fails: "read pipe: i/o timeout"},
		{name: "files", f: func(tb testing.TB) {
			sched.Assume(sched.AssumeCode, "the function f, which is not written in Go")
			tb.Error("open x: file exists")
		}, unfit: "file exists", says: "likely cause: what one execution leaves in files is there for the next, which draws the same random names\nWithout control the test could not be run: it would meet what executions have left. If it passes there, this is probably no bug."},
		{name: "network, by TLS", f: func(tb testing.TB) {
			sched.Assume(sched.AssumeCode, "a goroutine that is not under control")
			sched.Assume(sched.AssumeCode, "crypto/tls.Listen")
			tb.Error("refused")
		}, unfit: "refused", says: "the network is not under control (crypto/tls.Listen, always_test.go:"},
		{name: "time and numbers", f: func(tb testing.TB) {
			sched.Sleep(1)
			rand.N(1000)
			tb.Error("unlucky")
		}, opts: []por.Option{por.RandSeed(0)}, unfit: "unlucky", says: "; or random numbers come from one seed (a random number of package math/rand/v2, always_test.go:"},
		{name: "other numbers", f: func(tb testing.TB) {
			sched.Sleep(1)
			if n := rand.N(1000); first(2) > 0 && n != 999 {
				tb.Error("unlucky")
			}
		}, unfit: "in all 2 executions and with the random numbers of 16 other seeds, and passes without control: assertion failed: ", says: "time is not real: it moves on only where a goroutine waits for it (time.Sleep, always_test.go:"},
		{name: "numbers", f: func(tb testing.TB) {
			if n := rand.N(1000); first(2) > 0 && n > 300 {
				tb.Error("unlucky")
			}
		}, fails: "It fails in all executions with the random numbers of seed 0, and not with those of seed "},
		{name: "numbers that lead to a file which is there afterwards", f: func(tb testing.TB) {
			n := rand.N(1_000_000)
			if len(files) == 0 {
				files[n] = true
			}
			if files[n] {
				tb.Error("the file exists")
			}
			files[n] = true
		}, unfit: "whatever the schedule and with the random numbers of 16 other seeds: assertion failed"},
		{name: "numbers of more than are tried", f: func(tb testing.TB) {
			n := rand.N(1000)
			for range 4 {
				first(5)
			}
			if n > 300 {
				tb.Error("unlucky")
			}
		}, fails: "It fails in all executions with the random numbers of seed 0, and not with those of seed "},
		{name: "time must not pass", f: func(tb testing.TB) {
			begin := sched.Now()
			sched.Go(func() { sched.Sleep(80 * time.Millisecond) })
			first(2)
			if sched.Since(begin) > 50*time.Millisecond {
				tb.Error("too slow")
			}
		}, says: "is late by 80ms: assertion failed: "},
		{name: "sleeps long enough", f: func(tb testing.TB) {
			var ready sched.Bool
			sched.Go(func() { ready.Store(true) })
			sched.Sleep(40 * time.Millisecond)
			if !ready.Load() {
				tb.Error("not ready")
			}
		}, says: "none fails but when g1 at always_test.go:"},
		{name: "sleeps long enough beside races of a library, which are explored next", f: func(tb testing.TB) {
			var ready sched.Bool
			sched.Go(func() { ready.Store(true) })
			hits()
			sched.Sleep(40 * time.Millisecond)
			if !ready.Load() {
				tb.Error("not ready")
			}
		}, opts: []por.Option{por.Library(serverPackage)}, says: "none fails but when g1 at always_test.go:"},
		{name: "does not sleep long enough", f: func(tb testing.TB) {
			var ready sched.Bool
			sched.Go(func() { ready.Store(true) })
			sched.Sleep(2 * time.Millisecond)
			if !ready.Load() {
				tb.Error("not ready")
			}
		}, fails: "Needs a delay: g1 at always_test.go:"},
		{name: "a short delay is enough", f: func(tb testing.TB) {
			var ready sched.Bool
			sched.Go(func() { sched.Sleep(90 * time.Millisecond) })
			sched.Go(func() { ready.Store(true) })
			sched.Sleep(2 * time.Millisecond)
			if !ready.Load() {
				tb.Error("not ready")
			}
		}, fails: "is late by 2ms"},
		{name: "slow by request", f: func(tb testing.TB) {
			var ready sched.Bool
			sched.Go(func() { ready.Store(true) })
			sched.Sleep(40 * time.Millisecond)
			if !ready.Load() {
				tb.Error("not ready")
			}
		}, opts: []por.Option{por.Time(sched.TimeLag)}, fails: "is late by 40ms"},
		{name: "sleeps last longer than is asked for", f: func(tb testing.TB) {
			begin := sched.Now()
			sched.Sleep(time.Millisecond)
			sched.Sleep(time.Millisecond)
			if sched.Since(begin) <= 2*time.Millisecond {
				tb.Error("no longer")
			}
		}, says: "the only trace explored in discrete time, it does not fail; "},
		{name: "livelock", f: func(testing.TB) {
			var stop sched.Bool
			for !stop.CompareAndSwap(true, false) {
			}
		}, opts: []por.Option{por.MaxSteps(1000)}, unfit: "step limit", says: "likely cause: it waits in a loop for what is not under control, unless"},
		{name: "long", f: func(testing.TB) {
			for {
				first(1)
			}
		}, opts: []por.Option{por.MaxSteps(1000)}, unfit: "too long to explore: an execution takes more than 1,000 steps", says: "does something new until then"},
		{name: "long in some", f: func(testing.TB) {
			for first(2) == 2 {
				first(1)
			}
		}, opts: []por.Option{por.MaxSteps(1000), por.MaxExecutions(100), por.Engine(engine.Optimal{})}, says: "some executions are longer than the limit of steps; 1 more cut short at the step limit; "},
		{name: "race in all", f: func(tb testing.TB) {
			var x sched.Var[int]
			sched.Go(func() { x.Store(1) })
			x.Store(2)
			tb.Error("besides")
		}, fails: "data race"},
		{name: "used in all when it is over", f: func(testing.TB) { panic("Log in goroutine after Test has completed: x") }, fails: "after Test has completed"},
		{name: "used in all when it is over, since it has failed", f: func(tb testing.TB) {
			tb.Error("besides")
			panic("Log in goroutine after Test has completed: x")
		}, unfit: "fails under control whatever the schedule, and passes without control: panic: Log in goroutine after Test has completed: x"},
		{name: "leak in all", f: func(tb testing.TB) { leave(); first(2) }, fails: "goroutine leak: g1 (always_test.go:53) waits for ever in recv of chan 1 (always_test.go:53)"},
		{name: "left in all", f: func(tb testing.TB) { stay(); first(2) }, says: "(exhaustive; optimal DPOR, "},
		{name: "left in all, noted", f: func(tb testing.TB) { stay() }, says: "; leaves goroutines behind that something still reaches: g1 (always_test.go:54) waits in recv of served (always_test.go:54)"},
		{name: "leak of four in two operations", f: func(tb testing.TB) {
			for range 3 {
				leave()
			}
			sched.Go(func() {
				var wg sched.WaitGroup
				wg.Add(1)
				wg.Wait()
			})
		}, fails: ", g4 (always_test.go:"},
		{name: "leak of four in one operation", f: func(tb testing.TB) {
			ch := sched.NewChan[int](0)
			for range 4 {
				sched.Go(func() { ch.Recv() })
			}
		}, fails: "goroutine leak: g1, g2, g3 and 1 other (always_test.go:"},
		{name: "left in all, strict", f: func(tb testing.TB) { stay() }, opts: []por.Option{por.StrictLeaks()}, fails: "goroutine leak: g1 (always_test.go:54) waits for ever in recv of served"},
		{name: "leak in all, allowed", f: func(tb testing.TB) { leave() }, opts: []por.Option{por.StrictLeaks(), por.AllowLeaks()}, says: "the only trace explored, it does not fail (exhaustive; optimal DPOR, "},
		{name: "left in some", f: func(tb testing.TB) {
			if first(3) == 2 {
				stay()
			}
		}, says: "leaves goroutines behind that something still reaches: g4 (always_test.go:54) waits in recv of served"},
		{name: "left in all, leak in some", f: func(tb testing.TB) {
			if stay(); first(3) == 2 {
				leave()
			}
		}, fails: "goroutine leak: g5 (always_test.go:53) waits for ever in recv of chan 2"},
		{name: "leak in some", f: func(tb testing.TB) {
			if leave(); first(2) == 2 {
				leave()
			}
		}, fails: "goroutine leak"},
		{name: "leak in some only", f: func(tb testing.TB) {
			if first(3) == 2 {
				leave()
			}
		}, fails: "goroutine leak"},
		{name: "leak but in one", f: func(tb testing.TB) {
			if first(3) != 3 {
				leave()
			}
		}, fails: "goroutine leak"},
		{name: "stuck", f: func(tb testing.TB) { <-make(chan int) }, opts: []por.Option{por.Watchdog(1e6), por.Direct()}, unfit: "cannot be explored: an execution has performed no operation for"},
		{name: "once", f: func(tb testing.TB) {
			if runs++; first(2) > 0 && runs == 3 {
				tb.Error("a third run")
			}
		}, unfit: "fails once, and not when its schedule is run again: assertion failed"},
	} {
		x := &existingTB{outerTB: outerTB{TB: t, name: t.Name()}, native: natively.Outcome{Result: natively.Passes}}
		withinTB(&x.outerTB, func(testing.TB) { por.Check(x, test.f, test.opts...) })
		errors := strings.Join(x.errors, "\n")
		if (errors == "") != (test.fails == "") || !strings.Contains(errors, test.fails) {
			t.Errorf("%s: failures are %q, want %q", test.name, errors, test.fails)
		}
		if (x.headline == "") != (test.unfit == "") || !strings.Contains(x.headline, test.unfit) {
			t.Errorf("%s: unfit for %q, want %q", test.name, x.headline, test.unfit)
		}
		if text := strings.Join(x.logs, "\n") + x.text; !strings.Contains(text, test.says) {
			t.Errorf("%s: says %q, want %q", test.name, text, test.says)
		}
		if strings.Contains(x.headline, "16 other seeds") && strings.Contains(x.text, "one seed") {
			t.Errorf("%s: the numbers are said to be the reason, though others were tried: %s", test.name, x.text)
		}
		if strings.Contains(errors, ", with the random numbers of seed") {
			t.Errorf("%s: fails with the numbers of the search, the report says otherwise: %s", test.name, errors)
		}
		if failed := x.verdict.Failures > 0; failed != (test.fails != "") {
			t.Errorf("%s: the verdict is %v", test.name, x.verdict)
		}
	}
}

// A data race does not hide the deadlock of the same execution.
func TestRaceAndDeadlock(t *testing.T) {
	both := func(testing.TB) {
		var x sched.Var[int]
		sched.Go(func() { x.Store(1) })
		x.Store(2)
		sched.NewChan[int](0).Recv()
	}
	if x := check(t, both); len(x.errors) != 1 || !strings.Contains(x.errors[0], "data race") || !strings.Contains(x.errors[0], "; also deadlock") || !strings.Contains(x.errors[0], "also: deadlock") {
		t.Errorf("%q", x.errors)
	}
	if x := check(t, both, por.KeepGoing(2)); len(x.errors) != 1 || !strings.Contains(x.errors[0], "also: deadlock") {
		t.Errorf("%q", x.errors)
	}
	// The race is in all executions, the deadlock in some.
	x := check(t, func(testing.TB) {
		var n sched.Int32
		var x sched.Var[int]
		sched.Go(func() { x.Store(1); n.Store(1) })
		x.Store(2)
		if n.Load() == 1 {
			sched.NewChan[int](0).Recv()
		}
	}, por.KeepGoing(2))
	if len(x.errors) != 2 || !strings.HasPrefix(x.errors[1], "por: failure 2 of 2: deadlock") {
		t.Errorf("%q", x.errors)
	}
}

// TestSettlesLate: the limit of time is over when the first execution of a test has turned out to differ from the second, since the
// first has left something. The search begins anew all the same.
func TestSettlesLate(t *testing.T) {
	left := false
	x := &existingTB{outerTB: outerTB{TB: t, name: t.Name()}}
	withinTB(&x.outerTB, func(testing.TB) {
		por.Check(x, func(testing.TB) {
			var n sched.Int32
			if !left {
				time.Sleep(300 * time.Millisecond)
				n.Store(1)
			}
			left = true
			n.Load()
		}, por.MaxTime(50*time.Millisecond))
	})
	logs := strings.Join(x.logs, "\n")
	if x.headline != "" || !strings.Contains(logs, "the only trace explored, it does not fail; NOT exhaustive: a variable outlives executions") || !strings.Contains(logs, "what the first execution has left") {
		t.Errorf("%s\n%s\n%s", x.headline, x.text, logs)
	}
}
