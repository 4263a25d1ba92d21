package exec

import (
	"runtime"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

func dfs(t testing.TB, c *Closure) (n int) {
	type frame struct{ choices []trace.Choice }
	var stack []frame
	var sched trace.Schedule
	for {
		run := c.Start()
		if err := run.Replay(sched); err != nil {
			t.Fatal(err)
		}
		for {
			p := run.Pending()
			if len(p) == 0 {
				break
			}
			var f frame
			for _, op := range p {
				for a := range op.Alts {
					f.choices = append(f.choices, trace.Choice{G: op.G, Alt: a})
				}
			}
			ch := f.choices[0]
			f.choices = f.choices[1:]
			stack = append(stack, f)
			sched = append(sched, ch)
			if _, err := run.Step(ch); err != nil {
				t.Fatal(err)
			}
		}
		n++
		for _, f := range run.Outcome() {
			t.Log(f, sched)
		}
		run.Close()
		for len(stack) > 0 && len(stack[len(stack)-1].choices) == 0 {
			stack = stack[:len(stack)-1]
			sched = sched[:len(sched)-1]
		}
		if len(stack) == 0 {
			c.Shutdown()
			return n
		}
		f := &stack[len(stack)-1]
		sched[len(sched)-1] = f.choices[0]
		f.choices = f.choices[1:]
	}
}

func TestBasic(t *testing.T) {
	effort.Computes(t)
	t.Log(dfs(t, New(func() {
		var mu sched.Mutex
		var x sched.Var[int]
		var wg sched.WaitGroup
		for range 2 {
			wg.Go(func() {
				mu.Lock()
				x.Update(func(i int) int { return i + 1 })
				mu.Unlock()
			})
		}
		wg.Wait()
		if x.Load() != 2 {
			panic("lost")
		}
	}, Options{})))
	t.Log(dfs(t, New(func() {
		c := sched.NewChan[int](0)
		done := sched.NewChan[bool](0)
		sched.Go(func() { c.Send(1); c.Close() })
		sched.Go(func() {
			for v := range c.All() {
				_ = v
			}
			done.Close()
		})
		var a, b sched.Mutex
		sched.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
		sched.Go(func() { b.Lock() })
		sched.Select(sched.RecvCase(done, nil, nil))
	}, Options{})))
}

// TestExplores checks that the stack that drives a closure is known by its functions, whatever
// the package is called: what it holds is not the program's.
func TestExplores(t *testing.T) {
	known := func() bool {
		var pcs [64]uintptr
		frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
		for {
			f, more := frames.Next()
			if explores(f.Function) {
				return true
			}
			if !more {
				return false
			}
		}
	}
	if known() {
		t.Fatal("the stack of a test is that of a search")
	}
	found := false
	c := New(func() {}, Options{Harness: Harness{Between: func() { found = known() }}})
	defer c.Shutdown()
	c.Start().Close()
	if !found {
		t.Error("no function of the stack on which an execution starts is known")
	}
}
