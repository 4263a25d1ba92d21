package runtime_test

import (
	"fmt"
	original "runtime"
	"strings"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/internal/stdtest"
	"github.com/gopor/gopor/sched/std/runtime"
)

func TestGosched(t *testing.T) {
	poll := func(gosched func()) func() string {
		return func() string {
			var stop sched.Bool
			sched.Go(func() { stop.Store(true) })
			gosched() // this call adds nothing to the one below
			n := 0
			for !stop.Load() {
				n++
				gosched()
			}
			return fmt.Sprint(n)
		}
	}
	twin := func() string {
		var stop sched.Bool
		sched.Go(func() { stop.Store(true) })
		runtime.Gosched()
		n := 0
		for !stop.Load() {
			n++
			runtime.Gosched()
		}
		return fmt.Sprint(n)
	}
	found := stdtest.Same(t, twin, poll(sched.Gosched))
	if found.Failures != "" || found.Traces < 2 {
		t.Errorf("%+v", found)
	}
	runtime.Gosched()
}

// TestNumGoroutine counts in every interleaving.
func TestNumGoroutine(t *testing.T) {
	found := stdtest.Explore(t, func() string {
		var x sched.Int32
		h := sched.Go(func() { x.Add(1) })
		first := runtime.NumGoroutine()
		sched.Go(func() {}).Join()
		second := runtime.NumGoroutine()
		h.Join()
		return fmt.Sprint(first, second, runtime.NumGoroutine())
	})
	if found.Outcomes != "1 1 1 | 2 1 1 | 2 2 1" || found.Failures != "" {
		t.Errorf("%+v", found)
	}
	if n := runtime.NumGoroutine(); n < 2 {
		t.Errorf("%d goroutines outside", n)
	}
}

// TestReadMemStats has what is told of collections depend on the program only.
func TestReadMemStats(t *testing.T) {
	stdtest.Alone(t, func() string {
		original.GC() // nobody of the execution has asked for that
		text := ""
		for range 3 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			text += fmt.Sprint(m.NumGC, m.NumForcedGC, m.PauseTotalNs, m.PauseNs[(m.NumGC+255)%256], m.LastGC > 0, m.Sys > 0, " ")
			runtime.GC()
		}
		if want := "0 0 0 0 false true 1 1 1000 1000 true true 2 2 2000 1000 true true "; text != want {
			t.Errorf("%q, want %q", text, want)
		}
		return text
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	runtime.GC()
	if runtime.ReadMemStats(&after); after.NumGC <= before.NumGC {
		t.Errorf("outside: %d collections, then %d", before.NumGC, after.NumGC)
	}
}

func TestThreads(t *testing.T) {
	stdtest.Alone(t, func() string {
		var x sched.Int32
		runtime.LockOSThread()
		h := sched.Go(func() { runtime.LockOSThread(); x.Add(1); runtime.UnlockOSThread() })
		h.Join()
		runtime.UnlockOSThread()
		return ""
	})
	runtime.LockOSThread()
	runtime.UnlockOSThread()
}

func TestCallers(t *testing.T) {
	_, file, line, ok := runtime.Caller(0)
	_, wantFile, wantLine, _ := original.Caller(0)
	if !ok || file != wantFile || line != wantLine-1 {
		t.Errorf("Caller: %s:%d", file, line)
	}
	func() {
		pc, _, _, _ := runtime.Caller(1)
		if name := runtime.FuncForPC(pc).Name(); !strings.HasSuffix(name, ".TestCallers") {
			t.Errorf("Caller(1): %s", name)
		}
		var pcs [2]uintptr
		frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
		first, _ := frames.Next()
		second, _ := frames.Next()
		if !strings.HasSuffix(first.Function, ".TestCallers.func1") || !strings.HasSuffix(second.Function, ".TestCallers") {
			t.Errorf("Callers: %s, %s", first.Function, second.Function)
		}
	}()
	buf := make([]byte, 1<<12)
	if text := string(buf[:runtime.Stack(buf, false)]); !strings.HasPrefix(text, "goroutine ") || !strings.Contains(text, "TestCallers") {
		t.Errorf("Stack: %s", text)
	}
}

func TestGoexit(t *testing.T) {
	got := stdtest.Alone(t, func() string {
		text := ""
		sched.Go(func() {
			defer func() { text += "deferred" }()
			runtime.Goexit()
			text += "not this"
		}).Join()
		return text
	})
	if got != "deferred" {
		t.Error(got)
	}
}

func TestForwarded(t *testing.T) {
	done := make(chan int, 1)
	func() {
		p := new([100]int)
		runtime.AddCleanup(p, func(n int) { done <- n }, 7)
		runtime.KeepAlive(p)
	}()
	runtime.GC()
	if n := <-done; n != 7 || runtime.NumCPU() != original.NumCPU() || runtime.GOMAXPROCS(0) != original.GOMAXPROCS(0) || runtime.GOOS != original.GOOS {
		t.Error("not the original's:", n)
	}
}

// TestFinalizers has what executions ask for never run, neither in them nor later.
func TestFinalizers(t *testing.T) {
	ran := make(chan string, 10)
	for range 3 {
		stdtest.Alone(t, func() string {
			p, q := new([100]int), new([100]int)
			runtime.SetFinalizer(p, func(*[100]int) { ran <- "finalizer" })
			runtime.AddCleanup(q, func(s string) { ran <- s }, "cleanup").Stop()
			runtime.AddCleanup(q, func(s string) { ran <- s }, "cleanup")
			runtime.GC()
			return ""
		})
	}
	p := new([100]int)
	last := make(chan bool)
	runtime.SetFinalizer(p, func(*[100]int) { close(last) })
	for range 3 {
		runtime.GC()
	}
	<-last // it is outside
	select {
	case what := <-ran:
		t.Errorf("a %s has run", what)
	default:
	}
}

// TestCallersUnderControl walks a stack in an execution: it ends with the program.
func TestCallersUnderControl(t *testing.T) {
	walk := func() (text string) {
		for i := 0; ; i++ {
			pc, _, line, ok := runtime.Caller(i)
			if !ok {
				break
			}
			name := original.FuncForPC(pc - 1).Name()
			text += fmt.Sprint(name[strings.LastIndex(name, "/")+1:], line > 0, " ")
		}
		var all, one [20]uintptr
		n := runtime.Callers(1, all[:])
		for i := range n {
			if runtime.Callers(i+1, one[:1]) != 1 || one[0] != all[i] && i > 0 {
				text += fmt.Sprint("call ", i, " is another")
			}
		}
		if runtime.Callers(n+1, one[:]) != 0 {
			text += "there is more"
		}
		return text
	}
	got := stdtest.Alone(t, func() string {
		text := walk()
		sched.Go(func() { text += "| " + walk() }).Join()
		return text
	})
	if strings.Contains(got, "coroutine") || strings.Contains(got, "iter.") || strings.Count(got, "TestCallersUnderControl") != 4 || strings.Contains(got, "another") || strings.Contains(got, "more") {
		t.Errorf("%s", got)
	}
}

// TestCallersOfDeepStack looks at a stack of some thousand calls, from above and from within, and
// fewer than there are.
func TestCallersOfDeepStack(t *testing.T) {
	const deep = 3000
	var walk func(n int) string
	walk = func(n int) string {
		if n > 0 {
			return walk(n - 1)
		}
		pcs := make([]uintptr, 2*deep)
		all := runtime.Callers(1, pcs)
		walks, begun := 0, false
		for frames, more := runtime.CallersFrames(pcs[:all]), all > 0; more; {
			var f original.Frame
			f, more = frames.Next()
			if strings.Contains(f.Function, "TestCallersOfDeepStack.func1") {
				walks++
			}
			begun = begun || strings.Contains(f.Function, "TestCallersOfDeepStack.func2")
		}
		_, _, line, ok := runtime.Caller(deep)
		return fmt.Sprint(walks == deep+1, " ", begun, " ", ok && line > 0, " ",
			runtime.Callers(1+deep, pcs) == all-deep, " ", runtime.Callers(1+all, pcs), " ", runtime.Callers(1, pcs[:1000]))
	}
	got := stdtest.Alone(t, func() string { return walk(deep) })
	if want := "true true true true 0 1000"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestStackOfAll has the goroutines of the execution, and says what they wait for and who has
// started them. They have other numbers than those that have ended.
func TestStackOfAll(t *testing.T) {
	found := stdtest.Explore(t, func() string {
		c := sched.NewChan[int](0)
		h := sched.Go(func() { c.Recv() })
		buf := make([]byte, 1<<16)
		text := string(buf[:runtime.Stack(buf, true)])
		c.Send(1)
		h.Join()
		number := func() (n string) {
			sched.Go(func() {
				own := make([]byte, 1<<12)
				n = strings.Fields(string(own[:runtime.Stack(own, false)]))[1]
			}).Join()
			return n
		}
		if a, b := number(), number(); a == b || strings.Contains(text, "goroutine "+a+" ") {
			t.Errorf("%s and %s after %s", a, b, text)
		}
		return fmt.Sprint(strings.Count(text, "\ncreated by github.com/gopor/gopor/sched/std/runtime_test.TestStackOfAll."), strings.Count(text, "TestStackOfAll"), strings.Contains(text, "[chan receive]:\nruntime_test.TestStackOfAll"), strings.Contains(text, "[runnable]"), strings.Contains(text, "coroutine"))
	})
	if found.Outcomes != "1 3 false true false | 1 3 true false false" || found.Failures != "" {
		t.Errorf("%+v", found)
	}
}
