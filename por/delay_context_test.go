package por

import (
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/minimise"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestDelayOfCancelling has a derived context cancelled 50 ms before the test looks. Natively the goroutine that cancels
// the parent, or the timer's, does that as well. So all executions that fail need a delay.
func TestDelayOfCancelling(t *testing.T) {
	const soon, then = 10 * time.Millisecond, 60 * time.Millisecond
	nap := func() { sched.Sleep(then) }
	programs := map[string]func() (cancelled bool){
		"by main": func() bool {
			ctx, cancel := sched.WithCancel(sched.Background())
			child, _ := sched.WithCancel(ctx)
			seen := sched.NewChan[bool](1)
			sched.Go(func() { nap(); seen.Send(child.Err() != nil) })
			sched.Sleep(soon)
			cancel()
			return seen.Recv()
		},
		"by a deadline": func() bool {
			ctx, _ := sched.WithTimeout(sched.Background(), soon)
			child, _ := sched.WithCancel(ctx)
			nap()
			return child.Err() != nil
		},
		"of a grandchild": func() bool {
			ctx, _ := sched.WithTimeout(sched.Background(), soon)
			child, _ := sched.WithCancel(ctx)
			grandchild, _ := sched.WithCancel(child)
			nap()
			return grandchild.Err() != nil
		},
		"AfterFunc": func() bool {
			ctx, _ := sched.WithTimeout(sched.Background(), soon)
			var ran sched.Bool
			sched.ContextAfterFunc(ctx, func() { ran.Store(true) })
			nap()
			return ran.Load()
		},
	}
	for name, program := range programs {
		t.Run(name, func(t *testing.T) {
			failed := 0
			c := exec.New(func() {
				if !program() {
					panic("not cancelled")
				}
			}, exec.Options{Time: sched.TimeLag, AllowLeaks: true})
			defer c.Shutdown()
			engine.Optimal{}.Explore(c, func(x *trace.Execution) bool {
				for _, f := range x.Run.Outcome() {
					failed++
					if d := trial.DelayOf(c, f, x.Run.Len()); d.By < then-soon {
						t.Errorf("%v: needs a delay of %v only, by %s", f.Msg, d.By, d.Name)
					}
				}
				return true
			})
			if failed == 0 {
				t.Error("no execution fails")
			}
		})
	}
}

// TestNameOfCancelling says what is late in words, and not by the name of the agent.
func TestNameOfCancelling(t *testing.T) {
	got := explore.DescribeDelay(exec.Delay{By: 50 * time.Millisecond, Name: "cancel 2", File: "/x/ctx_test.go", Line: 21})
	if want := "the cancelling of a derived context at ctx_test.go:21 is late by 50ms"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := explore.DescribeDelay(exec.Delay{By: time.Millisecond, Name: "g1"}); !strings.HasPrefix(got, "g1 is late") {
		t.Errorf("%q", got)
	}
}

// TestMinimiseNeedsNoDelay minimises executions that need no delay, beside others, which are simpler, that do.
func TestMinimiseNeedsNoDelay(t *testing.T) {
	c := exec.New(func() {
		var twice sched.Bool
		done := sched.NewChan[int](0)
		sched.Go(func() {
			twice.Store(true)
			twice.Store(false)
			done.Close()
		})
		if twice.Load() {
			panic("between the stores")
		}
		late := sched.NewTimer(50 * time.Millisecond)
		if sched.Select(sched.RecvCase(done, nil, nil), sched.RecvCase(late.C, nil, nil)) == 1 {
			panic("given up")
		}
	}, exec.Options{Time: sched.TimeLag})
	defer c.Shutdown()
	var prompt []trace.Schedule
	late := 0
	engine.DFS{}.Explore(c, func(x *trace.Execution) bool {
		if fails := x.Run.Outcome(); len(fails) > 0 && trial.DelayOf(c, fails[0], x.Run.Len()).By == 0 {
			prompt = append(prompt, append(trace.Schedule(nil), x.Schedule...))
		} else if len(fails) > 0 {
			late++
		}
		return true
	})
	same := func(f trace.Failure) bool { return f.Kind == trace.FailPanic }
	for _, s := range prompt {
		first, _ := trial.Guide(c, s, nil, nil)
		best, _ := minimise.Execution(c, first, budget, same, func() bool { return false }, time.Now)
		again, ok := trial.Guide(c, best.Schedule, nil, nil)
		if d := trial.DelayOf(c, again.Primary, len(best.Schedule)); !ok || !again.Shows(same) || d.By > 0 {
			t.Errorf("needs no delay, and when it was minimised one of %v: %v", d.By, again.Primary)
		}
	}
	if len(prompt) == 0 || late == 0 {
		t.Errorf("%d executions without a delay and %d with one: the test is weak", len(prompt), late)
	}
}
