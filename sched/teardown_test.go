package sched_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// settled returns the number of goroutines once those that end have ended.
func settled(want int) int {
	for range 200 {
		if runtime.NumGoroutine() <= want {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return runtime.NumGoroutine()
}

// withoutLeak checks that f leaves no goroutine behind.
func withoutLeak(t *testing.T, f func()) {
	t.Helper()
	before := runtime.NumGoroutine()
	f()
	if after := settled(before); after > before {
		buf := make([]byte, 1<<20)
		t.Errorf("%d goroutines before, %d after\n%s", before, after, buf[:runtime.Stack(buf, true)])
	}
}

func TestGoexit(t *testing.T) {
	for name, exit := range map[string]func(){"runtime": runtime.Goexit, "sched": sched.Goexit} {
		withoutLeak(t, func() {
			deferred := 0
			c := exec.New(func() {
				var mu sched.Mutex
				for range 3 {
					sched.Go(func() {
						defer func() { deferred++ }()
						mu.Lock()
						defer mu.Unlock()
						exit()
					})
				}
			}, exec.Options{})
			closures.Walk(t, c, 100, -1)
			run := c.Start()
			if len(run.Pending()) == 0 || len(run.Outcome()) != 0 {
				t.Errorf("%s: the driver is confused", name)
			}
			c.Shutdown()
			if deferred < 300 {
				t.Errorf("%s: %d deferred calls", name, deferred)
			}
		})
	}
}

func TestGoexitOfMain(t *testing.T) {
	ran := false
	fails := closures.Once(t, exec.Options{}, func() {
		sched.Go(func() { var n sched.Int64; n.Add(1); ran = true })
		runtime.Goexit()
	})
	if len(fails) != 0 || !ran {
		t.Errorf("%v, %v", fails, ran)
	}
}

// TestFailNow stops goroutines of a run with a real FailNow.
func TestFailNow(t *testing.T) {
	// A test of its own, whose failure is wanted, that this one does not inherit.
	inner := func(body func(t *testing.T)) bool {
		return testing.RunTests(func(string, string) (bool, error) { return true, nil },
			[]testing.InternalTest{{Name: "inner", F: body}})
	}
	after := 0
	quietly(t, func() {
		ok := inner(func(it *testing.T) {
			for _, inMain := range []bool{true, false} {
				c := exec.New(func() {
					var n sched.Int64
					if inMain {
						n.Add(1)
						it.FailNow()
					}
					sched.Go(func() { n.Add(1); it.FailNow() }).Join()
					after++
				}, exec.Options{})
				closures.Walk(t, c, 10, -1)
				c.Shutdown()
			}
		})
		if ok {
			t.Error("the inner test has not failed")
		}
	})
	if after != 10 {
		t.Errorf("%d times past the end of a goroutine that failed, want 10", after)
	}
}

// TestUnwinding closes executions at every point; what deferred functions do
// then has no effect on anything.
func TestUnwinding(t *testing.T) {
	withoutLeak(t, func() {
		var deferred, wrong int
		c := exec.New(func() {
			var mu sched.Mutex
			var rw sched.RWMutex
			var wg sched.WaitGroup
			var n sched.Int64
			var m sched.Map
			var p sched.Pool
			var v sched.Var[int]
			ch := sched.NewChan[int](0)
			cond := sched.NewCond(&mu)
			ctx, cancel := sched.WithTimeout(sched.Background(), time.Second)
			timer := sched.NewTimer(time.Second)
			for range 2 {
				wg.Add(1)
				sched.Go(func() {
					defer func() { deferred++ }()
					defer wg.Done()
					defer mu.Unlock()
					defer cond.Signal()
					defer cancel()
					defer timer.Stop()
					defer p.Put(1)
					defer func() { m.Store(1, 1); wrong++ }()
					defer func() { n.Add(1); wrong++ }()
					defer func() { v.Store(1); wrong++ }()
					defer func() { ch.Send(1); wrong++ }()
					defer func() { sched.Go(func() { wrong++ }); wrong++ }()
					defer func() { sched.Sleep(1); wrong++ }()
					defer func() { ctx.Err(); wrong++ }()
					defer func() { mu.Lock(); wrong++ }()
					defer rw.RUnlock()
					rw.RLock()
					n.Add(1)
					ctx.Done().Recv()
					rw.RUnlock()
					rw.Lock()
					sched.Select()
				})
			}
			wg.Wait()
		}, exec.Options{AllowLeaks: true})
		for steps := range 14 {
			deferred, wrong = 0, 0
			closures.Walk(t, c, 20, steps)
			// The second goroutine is started when the first has nothing to do.
			if (deferred != 40 && steps > 4) || deferred%20 != 0 || wrong != 0 {
				t.Errorf("after %d steps: %d deferred calls, %d with an effect", steps, deferred, wrong)
			}
		}
		c.Shutdown()
	})
}

// TestPanicsWhileUnwinding has deferred functions that panic, or recover, when
// the execution is closed.
func TestPanicsWhileUnwinding(t *testing.T) {
	withoutLeak(t, func() {
		c := exec.New(func() {
			ch := sched.NewChan[int](0)
			sched.Go(func() {
				defer func() { panic("third") }()
				defer func() {
					defer func() { panic("second") }()
					panic("first")
				}()
				ch.Recv()
			})
			sched.Go(func() {
				defer func() { _ = recover(); panic("again") }()
				ch.Recv()
			})
			sched.Go(func() {
				defer func() {
					for range 3 { // keeps trying
						func() { defer func() { _ = recover() }(); ch.Recv() }()
					}
				}()
				ch.Recv()
			})
			sched.Go(func() {
				defer runtime.Goexit()
				defer ch.Recv()
				ch.Recv()
			})
			ch.Recv()
		}, exec.Options{AllowLeaks: true})
		for steps := range 8 {
			closures.Walk(t, c, 200, steps)
		}
		run := c.Start()
		for p := run.Pending(); len(p) > 0; p = run.Pending() {
			if _, err := run.Step(trace.Choice{G: p[0].G}); err != nil {
				t.Fatal(err)
			}
		}
		if fails := run.Outcome(); len(fails) != 1 || fails[0].Kind != trace.FailDeadlock {
			t.Errorf("%v", fails)
		}
		c.Shutdown()
	})
}

// TestPanicInDeferred has a panic on top of a panic, and one that is recovered.
func TestPanicInDeferred(t *testing.T) {
	fails := closures.Once(t, exec.Options{}, func() {
		var n sched.Int64
		h := sched.Go(func() {
			defer func() { n.Add(1); panic("second") }()
			n.Add(1)
			panic("first")
		})
		func() {
			defer func() { _ = recover(); n.Add(1) }()
			panic("recovered")
		}()
		h.Join()
		n.Add(1)
	})
	if len(fails) != 1 || fails[0].Kind != trace.FailPanic || !strings.Contains(fails[0].Msg, "second") {
		t.Errorf("%v", fails)
	}
}

func TestManyBlockedExecutions(t *testing.T) {
	n := 10_000
	if !effort.Full() {
		n = 1000
	}
	withoutLeak(t, func() {
		c := exec.New(func() {
			ch := sched.NewChan[int](0)
			for range 3 {
				sched.Go(func() { ch.Recv() })
			}
			var mu sched.Mutex
			mu.Lock()
			mu.Lock()
		}, exec.Options{})
		before := runtime.NumGoroutine()
		closures.Walk(t, c, 10, -1)
		most := runtime.NumGoroutine()
		var m1, m2 runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m1)
		closures.Walk(t, c, n, -1)
		runtime.GC()
		runtime.ReadMemStats(&m2)
		if got := settled(most); got > most+8 || got < before {
			t.Errorf("%d goroutines after 10 executions, %d after %d more", most, got, n)
		}
		if m2.HeapAlloc > m1.HeapAlloc+4<<20 {
			t.Errorf("the heap has grown from %d to %d bytes", m1.HeapAlloc, m2.HeapAlloc)
		}
		c.Shutdown()
	})
}

func TestShutdownAndAgain(t *testing.T) {
	withoutLeak(t, func() {
		c := exec.New(func() { sched.NewChan[int](0).Recv() }, exec.Options{})
		for range 3 {
			closures.Walk(t, c, 5, -1)
			c.Start()
			c.Shutdown()
		}
		if _, err := c.Step(trace.Choice{}); err != trace.ErrClosed {
			t.Errorf("Step after Shutdown: %v", err)
		}
		if p := c.Pending(); len(p) != 0 {
			t.Errorf("Pending after Shutdown: %v", p)
		}
	})
	for name, f := range map[string]func(){
		"New needs a function": func() { exec.New(nil, exec.Options{}) },
		"Start before":         func() { c := exec.New(func() {}, exec.Options{}); defer c.Shutdown(); c.Start(); c.Start() },
	} {
		if got := closures.Caught(func() string { f(); return "" }); !strings.Contains(got, name) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestParallelRuns has runs on several real goroutines at once.
func TestParallelRuns(t *testing.T) {
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			closures.WantTraces(t, "locks(2,3)", 20, locks(2, 3))
			closures.WantTraces(t, "context", 4, contextFan(2, false))
		})
	}
}

// TestPrimitivesInString sends values whose methods use primitives: showing them
// in a record must not.
func TestPrimitivesInString(t *testing.T) {
	c := exec.New(func() {
		ch := sched.NewChan[fmt.Stringer](1)
		s := &lockedString{}
		ch.Send(s)
		ch.Recv()
		v := sched.NewVar(*s)
		_ = v.Load()
		ctx, cancel := sched.WithTimeout(sched.Background(), time.Hour)
		defer cancel()
		cs := sched.NewChan[sched.Context](1)
		cs.Send(ctx)
	}, exec.Options{Record: true, Time: sched.TimeAnyOrder})
	defer c.Shutdown()
	closures.Walk(t, c, 1, -1)
	for _, e := range c.Record() {
		if strings.Contains(e.Op(), "lock") {
			t.Errorf("%+v", e)
		}
	}
}

type lockedString struct{ _ *sched.Mutex }

func (s lockedString) String() string { new(sched.Mutex).Lock(); return "x" }

// quietly runs f without the output of the tests in it.
func quietly(t *testing.T, f func()) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	stdout := os.Stdout
	os.Stdout = null
	defer func() { os.Stdout = stdout }()
	f()
}
