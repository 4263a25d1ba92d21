package sched_test

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// firstFailure explores a program and returns its failure of kind, which must
// be there; other kinds must not.
func firstFailure(t *testing.T, kind trace.FailureKind, o exec.Options, f func()) trace.Failure {
	t.Helper()
	found := closures.Traces(t, o, f)
	for k, fail := range found.Failures {
		if k != kind {
			t.Errorf("unexpected %v\n%s", fail, fail.Details())
		}
	}
	fail, ok := found.Failures[kind]
	if !ok {
		t.Fatalf("no %v in %d traces", kind, found.Traces)
	}
	return fail
}

// Every misuse that panics does so in the standard library as well, with the
// same text.
func TestPanics(t *testing.T) {
	tests := []struct {
		want string
		f    func()
	}{
		{"runtime panic: send on closed channel", func() { c := sched.NewChan[int](1); c.Close(); c.Send(1) }},
		{"runtime panic: close of closed channel", func() { c := sched.NewChan[int](1); c.Close(); c.Close() }},
		{"runtime panic: close of nil channel", func() { var c *sched.Chan[int]; c.Close() }},
		{"runtime panic: send on closed channel", func() {
			c := sched.NewChan[int](0)
			c.Close()
			sched.Select(sched.SendCase(c, 1), sched.Default)
		}},
		{"runtime panic: send on closed channel", func() {
			c := sched.NewChan[int](0)
			sched.Go(c.Close)
			c.Send(1)
		}},
		{"panic: sync: negative WaitGroup counter", func() { var wg sched.WaitGroup; wg.Done() }},
		{"panic: sync: negative WaitGroup counter", func() { var wg sched.WaitGroup; wg.Add(1); wg.Add(-2) }},
		{"panic: non-positive interval for NewTicker", func() { sched.NewTicker(0) }},
		{"panic: non-positive interval for Ticker.Reset", func() { sched.NewTicker(1).Reset(-1) }},
		{"panic: time: Reset called on uninitialized Ticker", func() { new(sched.Ticker).Reset(1) }},
		{"panic: time: Stop called on uninitialized Timer", func() { new(sched.Timer).Stop() }},
		{"panic: time: Reset called on uninitialized Timer", func() { new(sched.Timer).Reset(1) }},
		{"", func() { new(sched.Ticker).Stop() }},
		{"panic: cannot create context from nil parent", func() { sched.WithCancel(nil) }},
		{"panic: cannot create context from nil parent", func() { sched.WithTimeout(nil, 1) }},
		{"panic: cannot create context from nil parent", func() { sched.WithoutCancel(nil) }},
		{"panic: cannot create context from nil parent", func() { sched.WithValue(nil, 1, 1) }},
		{"panic: nil key", func() { sched.WithValue(sched.Background(), nil, 1) }},
		{"panic: key is not comparable", func() { sched.WithValue(sched.Background(), []int{}, 1) }},
		{"runtime panic: send on the Done channel of a context", func() {
			ctx, _ := sched.WithCancel(sched.Background())
			ctx.Done().Send(struct{}{})
		}},
		{"runtime panic: close of the Done channel of a context", func() {
			ctx, _ := sched.WithCancel(sched.Background())
			ctx.Done().Close()
		}},
		{"panic: sched: NewChan: size out of range", func() { sched.NewChan[int](-1) }},
		{"panic: sched: Go of a nil function", func() { sched.Go(nil) }},
		{"panic: sched: Choose needs at least one alternative", func() { sched.Choose(0) }},
		{"panic: sched: Join of a zero Handle", func() { sched.Handle{}.Join() }},
		{"panic: sched: Select with a nil Case", func() { sched.Select(nil) }},
		{"panic: sched: Select with more than one Default", func() { sched.Select(sched.Default, sched.Default) }},
	}
	for i, test := range tests {
		if got := alone1(t, test.f); got != test.want {
			t.Errorf("%d: got %q, want %q", i, got, test.want)
		}
	}
}

// alone1 is alone for what may start other goroutines, main having the lead.
func alone1(t *testing.T, f func()) (result string) {
	closures.Once(t, exec.Options{AllowLeaks: true}, func() { result = closures.Caught(func() string { f(); return "" }) })
	return result
}

func panicsDeepInside() { panic(fmt.Errorf("the %s is missing", "cat")) }

func TestPanicHasStack(t *testing.T) {
	fail := firstFailure(t, trace.FailPanic, exec.Options{Record: true}, func() {
		sched.Go(func() { panicsDeepInside() }).Join()
	})
	if fail.Msg != "the cat is missing" || !strings.Contains(fail.Details(), "panicsDeepInside") || fail.G == 0 {
		t.Errorf("%+v", fail)
	}
}

func TestDeadlockText(t *testing.T) {
	fail := firstFailure(t, trace.FailDeadlock, exec.Options{}, func() {
		var a, b sched.Mutex
		h := sched.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
		h.Join()
	})
	text := fail.Msg + "\n" + fail.Details()
	for _, want := range []string{"main waits in lock of Mutex", "held by g1", "g1 waits in lock of Mutex", "held by main"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the report:\n%s", want, text)
		}
	}
}

// Whatever can wait for ever says so, and what for.
func TestWhatDeadlocksSay(t *testing.T) {
	tests := []struct {
		want string
		f    func()
	}{
		{"main waits in lock of Mutex", func() { var mu sched.Mutex; mu.Lock(); mu.Lock() }},
		{"main waits in rlock of RWMutex", func() { var rw sched.RWMutex; rw.Lock(); rw.RLock() }},
		{"held by main", func() { var rw sched.RWMutex; rw.Lock(); rw.RLock() }},
		{"read-locked by main", func() { var rw sched.RWMutex; rw.RLock(); rw.Lock() }},
		{"main waits in recv of chan", func() { sched.NewChan[int](0).Recv() }},
		{"main waits in send of chan", func() { sched.NewChan[int](0).Send(1) }},
		{"main waits in a select without cases", func() { sched.Select() }},
		{"main waits", func() { var c *sched.Chan[int]; c.Recv() }},
		{"main waits", func() { var c *sched.Chan[int]; c.Send(1) }},
		{"main waits in a select", func() { sched.Select(sched.RecvCase[int](nil, nil, nil)) }},
		{"main waits in wg.wait of WaitGroup", func() { var wg sched.WaitGroup; wg.Add(1); wg.Wait() }},
		{"main waits in cond.wait of Cond", func() {
			var mu sched.Mutex
			c := sched.NewCond(&mu)
			mu.Lock()
			c.Wait()
		}},
		{"main waits in once of Once", func() { var o sched.Once; o.Do(func() { o.Do(func() {}) }) }},
		{"main waits in recv of chan", func() { ctx, _ := sched.WithCancel(sched.Background()); ctx.Done().Recv() }},
		{"main waits", func() { sched.Background().Done().Recv() }},
		{"main waits in recv of chan", func() { t := sched.NewTimer(1); t.Stop(); t.C.Recv() }},
		{"waits for the end of g1", func() { sched.Go(func() { sched.Select() }).Join() }},
	}
	for i, test := range tests {
		fail := firstFailure(t, trace.FailDeadlock, exec.Options{}, test.f)
		if text := fail.Msg + "\n" + fail.Details(); !strings.Contains(text, test.want) {
			t.Errorf("%d: %q is not in %s", i, test.want, text)
		}
	}
}

func TestLeak(t *testing.T) {
	leaky := func() { sched.Go(func() { sched.NewChan[int](0).Recv() }) }
	fail := firstFailure(t, trace.FailLeak, exec.Options{}, leaky)
	if !strings.Contains(fail.Details(), "g1 waits in recv of chan") {
		t.Errorf("%+v", fail)
	}
	if found := closures.Traces(t, exec.Options{AllowLeaks: true}, leaky); len(found.Failures) != 0 {
		t.Errorf("allowed, but reported: %v", found.Failures)
	}
	// A timer that nobody waits for is no leak, nor a context never cancelled.
	found := closures.Traces(t, exec.Options{}, func() {
		sched.NewTimer(time.Hour)
		sched.NewTicker(time.Hour)
		sched.AfterFunc(time.Hour, func() { panic("never") })
		ctx, _ := sched.WithTimeout(sched.Background(), time.Hour)
		sched.ContextAfterFunc(ctx, func() { panic("never") })
	})
	if len(found.Failures) != 0 {
		t.Errorf("%v", found.Failures)
	}
}

// A goroutine that serves a ticker, or sleeps in a loop, and is never told to end
// is a leak, not a livelock. One that takes its time to end is none.
func TestLeakOfTime(t *testing.T) {
	loops := map[string]func(n int){
		"ticker": func(n int) {
			tick := sched.NewTicker(time.Minute)
			for range n {
				tick.C.Recv()
			}
		},
		"sleep": func(n int) {
			for range n {
				sched.Sleep(time.Minute)
			}
		},
	}
	for name, loop := range loops {
		fail := firstFailure(t, trace.FailLeak, exec.Options{MaxSteps: 1000}, func() { sched.Go(func() { loop(1e6) }) })
		if !strings.HasPrefix(fail.Details(), "g1 ") || !strings.Contains(fail.Details(), "time has moved on 100 times since main has ended") {
			t.Errorf("%s: %s", name, fail.Details())
		}
		for _, f := range []func(){
			func() { sched.Go(func() { loop(100) }) },
			func() { sched.Go(func() { loop(200) }); sched.Sleep(2 * time.Hour) },
		} {
			if found := closures.Traces(t, exec.Options{MaxSteps: 1000}, f); len(found.Failures) != 0 {
				t.Errorf("%s: %v", name, found.Failures)
			}
		}
		if found := closures.Traces(t, exec.Options{MaxSteps: 1000, AllowLeaks: true}, func() { sched.Go(func() { loop(1e6) }) }); len(found.Failures) != 0 {
			t.Errorf("%s, allowed: %v", name, found.Failures)
		}
	}
}

func TestFatalErrors(t *testing.T) {
	tests := []struct {
		want string
		f    func()
	}{
		{"fatal error: sync: unlock of unlocked mutex", func() { new(sched.Mutex).Unlock() }},
		{"fatal error: sync: Unlock of unlocked RWMutex", func() { new(sched.RWMutex).Unlock() }},
		{"fatal error: sync: RUnlock of unlocked RWMutex", func() { new(sched.RWMutex).RUnlock() }},
		{"fatal error: sync: Unlock of unlocked RWMutex", func() { var rw sched.RWMutex; rw.RLock(); rw.Unlock() }},
		{"fatal error: sync: RUnlock of unlocked RWMutex", func() { var rw sched.RWMutex; rw.Lock(); rw.RUnlock() }},
	}
	for i, test := range tests {
		fail := firstFailure(t, trace.FailFatal, exec.Options{}, func() {
			defer func() { _ = recover() }() // does not help
			test.f()
			panic("went on")
		})
		if fail.String() != test.want {
			t.Errorf("%d: got %q, want %q", i, fail, test.want)
		}
	}
}

func TestSpin(t *testing.T) {
	var flag sched.Bool
	fail := firstFailure(t, trace.FailSteps, exec.Options{MaxSteps: 50}, func() {
		for !flag.Load() {
		}
	})
	if !strings.Contains(fail.Msg, "50 steps") {
		t.Errorf("%+v", fail)
	}
	// A loop that asks only for the time ends at the limit too.
	fails := closures.Once(t, exec.Options{MaxSteps: 50}, func() {
		for end := sched.Now().Add(time.Hour); sched.Now().Before(end); {
		}
	})
	if len(fails) != 1 || fails[0].Kind != trace.FailSteps {
		t.Errorf("a loop over Now: %v", fails)
	}
}

// Loops that let others go first end, and how often they turn is bounded.
func TestFairSpins(t *testing.T) {
	pauses := map[string]func(){
		"Gosched":  sched.Gosched,
		"Sleep(0)": func() { sched.Sleep(0) },
		"Sleep":    func() { sched.Sleep(time.Second) },
	}
	for name, pause := range pauses {
		for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeAnyOrder} {
			found := closures.Traces(t, exec.Options{Time: mode, MaxSteps: 200}, func() {
				var flag, other sched.Bool
				sched.Go(func() { other.Store(true); flag.Store(true) })
				for !flag.Load() {
					pause()
				}
			})
			if len(found.Failures) != 0 || found.Traces < 2 {
				t.Errorf("%s, time %v: %d traces, %v", name, mode, found.Traces, found.Failures)
			}
		}
	}
}

func TestDivergence(t *testing.T) {
	n := 0
	c := exec.New(func() {
		var a sched.Int64
		var mu sched.Mutex
		a.Add(1)
		if n++; n%2 == 0 {
			mu.Lock()
			mu.Unlock()
		}
		a.Add(1)
	}, exec.Options{})
	defer c.Shutdown()
	run := c.Start()
	for len(run.Pending()) > 0 {
		if _, err := run.Step(trace.Choice{}); err != nil {
			t.Fatal(err)
		}
	}
	run.Close()
	run = c.Start()
	err := run.Replay(trace.Schedule{{}, {}})
	d, ok := err.(*trace.DivergenceError)
	if !ok || d.Step != 1 || !strings.Contains(d.Want, "main to add") || !strings.Contains(d.Got, "main to lock") {
		t.Errorf("%v", err)
	}
	run.Close()
	run = c.Start()
	for _, ch := range []trace.Choice{{G: 7}, {G: -1}, {G: 1}, {Alt: 1}, {Alt: -1}} {
		run.Close()
		run = c.Start()
		if _, err := run.Step(ch); err == nil {
			t.Errorf("%v could be chosen", ch)
		}
		if _, err := run.Step(trace.Choice{}); err == nil {
			t.Errorf("a run that has diverged goes on")
		}
	}
}

func TestOutsideARun(t *testing.T) {
	uses := map[string]func(){
		"Mutex.Lock": func() { new(sched.Mutex).Lock() },
		"Go":         func() { sched.Go(func() {}) },
		"Int64.Add":  func() { new(sched.Int64).Add(1) },
		"Add":        func() { hook.Add(new(int64), 1) },
		"Map.Load":   func() { new(sched.Map).Load(1) },
		"Pool.Put":   func() { new(sched.Pool).Put(1) },
		"Chan.Send":  func() { sched.NewChan[int](1).Send(1) },
		"Select":     func() { sched.Select() },
		"Sleep":      func() { sched.Sleep(1) },
		"Now":        func() { sched.Now() },
		"NewTimer":   func() { sched.NewTimer(1) },
		"WithCancel": func() { sched.WithCancel(sched.Background()) },
		"Var.Load":   func() { new(sched.Var[int]).Load() },
		"Once.Do":    func() { new(sched.Once).Do(func() {}) },
		"Cond.Wait":  func() { sched.NewCond(new(sched.Mutex)).Wait() },
		"Choose":     func() { sched.Choose(1) },
		"Gosched":    sched.Gosched,
	}
	for name, use := range uses {
		got := closures.Caught(func() string { use(); return "" })
		if want := "panic: sched: " + name + " called outside a controlled execution"; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
	// A goroutine that the scheduler does not know, in the middle of a run.
	var got string
	closures.Once(t, exec.Options{}, func() {
		var mu sched.Mutex
		var wg sync.WaitGroup
		wg.Add(1)
		go func() {
			defer wg.Done()
			got = closures.Caught(func() string { mu.Lock(); return "locked" })
		}()
		wg.Wait()
	})
	if !strings.Contains(got, "started with a go statement instead of sched.Go") {
		t.Errorf("foreign goroutine: %s", got)
	}
}

func TestOtherRun(t *testing.T) {
	var mu sched.Mutex
	var ctx sched.Context
	var timer *sched.Timer
	c := exec.New(func() {
		ctx, _ = sched.WithCancel(sched.Background())
		timer = sched.NewTimer(1)
		mu.Lock()
		sched.Gosched()
		mu.Unlock()
	}, exec.Options{})
	defer c.Shutdown()
	run := c.Start()
	if _, err := run.Step(trace.Choice{}); err != nil {
		t.Fatal(err)
	}
	uses := map[string]func(){
		"a context": func() { ctx.Err() },
		"a timer":   func() { timer.Stop() },
		"a chan":    func() { ctx.Done().Recv() },
	}
	for what, use := range uses {
		got := alone1(t, use)
		if want := "panic: sched: " + what + " of one run is used by a goroutine of another run"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := alone1(t, mu.Lock); got != "" {
		t.Errorf("another run has a Mutex of its own: %s", got)
	}
	run.Close()
	for _, what := range []string{"a context", "a timer", "a chan"} {
		got := alone1(t, uses[what])
		if want := "panic: sched: " + what + " of an earlier execution is used: make it in the closure"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := alone1(t, mu.Lock); got != "" {
		t.Errorf("a Mutex cannot be used again: %s", got)
	}
}

// clone copies what go vet would not let be copied.
func clone[T any](x *T) *T {
	y := new(T)
	reflect.ValueOf(y).Elem().Set(reflect.ValueOf(x).Elem())
	return y
}

func TestCopied(t *testing.T) {
	uses := map[string]func(){
		"Int32":   func() { var a sched.Int32; a.Load(); b := clone(&a); b.Load() },
		"Pointer": func() { var a sched.Pointer[int]; a.Load(); b := clone(&a); b.Load() },
		"Value":   func() { var a sched.Value; a.Load(); b := clone(&a); b.Load() },
		"Map":     func() { var a sched.Map; a.Load(1); b := clone(&a); b.Load(1) },
		"Pool":    func() { var a sched.Pool; a.Get(); b := clone(&a); b.Get() },
		"Var":     func() { var a sched.Var[int]; a.Load(); b := clone(&a); b.Load() },
		"chan":    func() { a := sched.NewChan[int](1); a.Send(1); b := clone(a); b.Send(1) },
		"timer":   func() { a := sched.NewTimer(1); b := clone(a); b.Stop() },
		"Cond":    func() { a := sched.NewCond(nil); b := clone(a); b.Signal() },
	}
	for what, use := range uses {
		if got, want := alone1(t, use), "panic: sched: a "+what+" was copied after its first use"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
