package por

import (
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/check"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
)

// TestReporterIsKnown has executions know the goroutine that asks for Ctrl-C, which is no outsider.
func TestReporterIsKnown(t *testing.T) {
	for _, f := range []any{(*explore.Reporter).Tick, (*explore.Reporter).Leave} {
		if stack.RoleOf(stack.Name(f)) != stack.Reporting {
			t.Error(stack.Name(f))
		}
	}
}

// TestStatus looks at what is told of a search while it goes on.
func TestStatus(t *testing.T) {
	h, err := check.NewHarness(failingTB{t}, func(t testing.TB) {
		var n sched.Int64
		var wg sched.WaitGroup
		for range 4 {
			wg.Add(1)
			sched.Go(func() {
				defer wg.Done()
				for range 2 {
					n.Store(n.Load() + 1)
				}
			})
		}
		wg.Wait()
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := explore.NewConfig([]Option{MaxExecutions(3000)})
	if err != nil {
		t.Fatal(err)
	}
	s := check.NewShared(c, h.Subject(), h)
	if got := s.Status(time.Now(), false); got != "0 executions, none of the search yet" {
		t.Error(got)
	}
	s.Pulse.Wanted.Store(true)
	res, err := h.Run(s)
	if err != nil || res.Stats.Executions != 3000 {
		t.Fatalf("%+v, %v", res, err)
	}
	got := s.Status(time.Now(), false)
	wantTold(t, got, "3,000 executions in ", "/s; ", "% of about ", "%")
	if s.Pulse.Estimator != nil {
		t.Error("the program of the estimates is left behind")
	}
	s.Pulse.Drawing.Store(true)
	wantTold(t, s.Status(time.Now(), false), "; drawn at random")
	done := "every trace with at most 1 preemption"
	s.Pulse.Covered.Store(&done)
	wantTold(t, s.Status(time.Now(), false), "; done: every trace with at most 1 preemption; drawn at random")
	s.Pulse.Minimising.Store(true)
	wantTold(t, s.Status(time.Now(), false), "3,000 executions, and a failure, which is being minimised")
}

// An interrupted search says so.
func TestInterrupted(t *testing.T) {
	h, err := check.NewHarness(failingTB{t}, func(t testing.TB) { sched.Choose(3) })
	if err != nil {
		t.Fatal(err)
	}
	c, err := explore.NewConfig[Option](nil)
	if err != nil {
		t.Fatal(err)
	}
	s := check.NewShared(c, h.Subject(), h)
	s.Halt(explore.StopInterrupted)
	res, err := h.Run(s)
	if err != nil || !strings.Contains(res.Verdict.String(), "NOT exhaustive (interrupted;") {
		t.Errorf("%v, %v", res.Verdict, err)
	}
}

// What is shown names the bound that a search has come to the end of.
func TestProgressByBound(t *testing.T) {
	h, err := check.NewHarness(failingTB{t}, func(testing.TB) {
		var n sched.Int64
		for range 3 {
			sched.Go(func() { n.Add(1); n.Add(1) })
		}
		for range 3 {
			n.Add(1)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := explore.NewConfig([]Option{Engine(engine.Hunt{UpTo: bpor.Preemptions(2)}), MaxExecutions(5000), AllowLeaks()})
	if err != nil {
		t.Fatal(err)
	}
	s := check.NewShared(c, h.Subject(), h)
	if _, err := h.Run(s); err != nil {
		t.Fatal(err)
	}
	wantTold(t, s.Status(time.Now(), false), "; done: every trace with at most ", " preemption")
}
