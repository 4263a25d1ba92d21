package exec_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// What goes on when an execution is over.
var (
	leftJobs = sched.NewChan[int](0)
	leftMu   sched.Mutex
	leftPool sched.Pool
	leftMap  sched.Map
	leftAny  any
	leftFunc func()
)

// leavings are closures that leave goroutines behind: which of those are leaked, in the order of
// their numbers, a dash for one that is not, a space for a timer.
var leavings = []struct {
	name, leaked string
	f            func()
}{
	{"nothing", "", func() {}},
	{"forgotten", "1", func() {
		c := sched.NewChan[int](0)
		sched.Go(func() { c.Recv() })
	}},
	{"variable", "-", func() { sched.Go(func() { leftJobs.Recv() }) }},
	{"held by a variable", "-", func() {
		c := sched.NewChan[int](0)
		leftAny = c
		sched.Go(func() { c.Recv() })
	}},
	{"held by a function", "-", func() {
		c := sched.NewChan[int](0)
		leftFunc = c.Close
		sched.Go(func() { c.Recv() })
	}},
	{"in a pool", "-", func() {
		c := sched.NewChan[int](0)
		leftPool.Put(c)
		sched.Go(func() { c.Recv() })
	}},
	{"taken out of a pool", "1", func() {
		c := sched.NewChan[int](0)
		leftPool.Put(c)
		leftPool.Get()
		sched.Go(func() { c.Recv() })
	}},
	{"in a pool, by another goroutine", " -", func() {
		c := sched.NewChan[int](0)
		h := sched.Go(func() { leftPool.Put(c) })
		h.Join()
		sched.Go(func() { c.Recv() })
	}},
	{"in a map", "-", func() {
		c := sched.NewChan[int](0)
		leftMap.Store(1, c)
		sched.Go(func() { c.Recv() })
	}},
	{"lock", "-", func() {
		leftMu.Lock()
		sched.Go(leftMu.Lock)
	}},
	{"forgotten lock", "1", func() {
		mu := new(sched.Mutex)
		mu.Lock()
		sched.Go(mu.Lock)
	}},
	{"forgotten group", "1", func() {
		wg := new(sched.WaitGroup)
		wg.Add(1)
		sched.Go(wg.Wait)
	}},
	{"forgotten condition", "1", func() {
		c := sched.NewCond(new(sched.Mutex))
		sched.Go(func() { c.L.Lock(); c.Wait() })
	}},
	{"cycle", "12", func() {
		a, b := sched.NewChan[int](0), sched.NewChan[int](0)
		sched.Go(func() { a.Recv(); b.Send(1) })
		sched.Go(func() { b.Recv(); a.Send(1) })
	}},
	{"chain", "---", func() {
		a, b := sched.NewChan[int](0), sched.NewChan[int](0)
		sched.Go(func() { leftJobs.Recv(); a.Send(1) })
		sched.Go(func() { a.Recv(); b.Send(1) })
		sched.Go(func() { b.Recv() })
	}},
	{"one of two", "-2", func() {
		a := sched.NewChan[int](0)
		sched.Go(func() { leftJobs.Recv() })
		sched.Go(func() { a.Recv() })
	}},
	{"joined", "1-", func() {
		a := sched.NewChan[int](0)
		sched.Go(func() { a.Recv() })
		sched.Go(func() { sched.Go(func() { leftJobs.Recv() }).Join() })
	}},
	{"ticker", " --", func() {
		a, tick := sched.NewChan[int](0), sched.NewTicker(1e9)
		sched.Go(func() {
			for {
				if tick.C.Recv(); a == nil {
					a.Send(1)
				}
			}
		})
		sched.Go(func() { a.Recv() })
	}},
	{"nil", "1", func() { var c *sched.Chan[int]; sched.Go(func() { c.Recv() }) }},
	{"context", "1", func() {
		ctx, _ := sched.WithCancel(sched.Background())
		sched.Go(func() { ctx.Done().Recv() })
	}},
}

// leftBy runs f, always with the first goroutine that is ready, and returns the closure and its
// failures.
func leftBy(t *testing.T, f func(), o exec.Options) (*exec.Closure, []trace.Failure) {
	t.Helper()
	c := exec.New(f, o)
	t.Cleanup(c.Shutdown)
	return c, failuresOf(t, c, func(ready int) int { return 0 })
}

// failuresOf returns the failures of an execution in which choose selects from the goroutines that
// are ready.
func failuresOf(t *testing.T, c *exec.Closure, choose func(ready int) int) []trace.Failure {
	t.Helper()
	r := c.Start()
	for p := r.Pending(); len(p) > 0; p = r.Pending() {
		if _, err := r.Step(trace.Choice{G: p[choose(len(p))].G}); err != nil {
			t.Fatal(err)
		}
	}
	return r.Outcome()
}

// TestLeaksAgain: the goroutines of an execution run on the stacks of those that were left behind
// before. What these held is not reached.
func TestLeaksAgain(t *testing.T) {
	const half = 4
	var turns sched.Int32
	c := exec.New(func() {
		turns.Store(0)
		for range 2 * half {
			sched.Go(func() {
				c := sched.NewChan[int](0)
				if turns.Add(1)%2 == 0 {
					c = leftJobs
				}
				c.Send(1)
			})
		}
	}, exec.Options{Leaks: exec.NewLeaks(), Record: true})
	t.Cleanup(c.Shutdown)
	random := rand.New(rand.NewPCG(1, 1))
	for run := range 12 {
		failures := failuresOf(t, c, random.IntN)
		if len(failures) != 1 || strings.Count(failures[0].Details(), "waits in send") != half {
			t.Errorf("in execution %d leaked are %v", run, failures)
		}
		c.Close()
	}
}

func TestLeaks(t *testing.T) {
	leaks := exec.NewLeaks() // that executions are alike which differ must not be overlooked
	for _, test := range leavings {
		for _, shared := range []bool{false, true} {
			o := exec.Options{Leaks: exec.NewLeaks(), Coarser: exec.Coarser{OwnPools: true}}
			if shared {
				o = exec.Options{Leaks: leaks, Record: true}
			}
			leftAny, leftFunc = nil, nil
			c, failures := leftBy(t, test.f, o)
			text := ""
			for _, f := range failures {
				if f.Kind != trace.FailLeak {
					t.Errorf("%s: %v", test.name, f)
				}
				text += f.Details()
			}
			var lines []string
			for _, w := range c.Remains().Reached {
				lines = append(lines, w.LineOfLeft())
			}
			reached := strings.Join(lines, "\n")
			for i, want := range test.leaked {
				if want == ' ' { // it is the timer
					continue
				}
				name := "g" + string(rune('1'+i)) + " "
				if leaked := strings.Contains("\n"+text, "\n"+name); leaked != (want != '-') {
					t.Errorf("%s: leaked are %q, want %s", test.name, text, test.leaked)
				}
				if strings.Contains(reached, name) != (want == '-') && shared {
					t.Errorf("%s: reached are %q, leaked should be %s", test.name, reached, test.leaked)
				}
			}
			if test.leaked == "" && (text != "" || reached != "") {
				t.Errorf("%s: leaked are %q, reached %q", test.name, text, reached)
			}
		}
	}
}

// TestLeaksStrict: what is reached is a failure where nothing tells it from what is leaked.
func TestLeaksStrict(t *testing.T) {
	left := func() { sched.Go(func() { leftJobs.Recv() }) }
	if c, failures := leftBy(t, left, exec.Options{}); len(failures) != 1 || failures[0].Kind != trace.FailLeak || len(c.Remains().Reached) != 0 {
		t.Errorf("failures are %v, remains %v", failures, c.Remains())
	}
	if c, failures := leftBy(t, left, exec.Options{Leaks: exec.NewLeaks(), AllowLeaks: true}); len(failures) != 0 || len(c.Remains().Reached) != 0 {
		t.Errorf("failures are %v, remains %v", failures, c.Remains())
	}
}
