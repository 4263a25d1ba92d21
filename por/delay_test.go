package por

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/minimise"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// TestMinimiseKeepsDelays minimises all executions by lag that fail: none of the results has
// code later than the execution that it was made of.
func TestMinimiseKeepsDelays(t *testing.T) {
	f := func() {
		start := sched.Now()
		tick := sched.NewTicker(20 * time.Millisecond)
		tick.C.Recv()
		tick.Reset(5 * time.Millisecond)
		tick.C.Recv()
		if sched.Since(start) >= 30*time.Millisecond {
			panic("late")
		}
		tick.Stop()
	}
	c := sched.New(f, sched.Options{Time: sched.TimeLag})
	defer c.Shutdown()
	var failing []trace.Schedule
	DFS{}.Explore(c, func(x *trace.Execution) bool {
		if len(x.Run.Outcome()) > 0 {
			failing = append(failing, append(trace.Schedule(nil), x.Schedule...))
		}
		return len(failing) < 200
	})
	same := func(f trace.Failure) bool { return f.Kind == trace.FailPanic }
	delays := make(map[time.Duration]bool)
	for _, s := range failing {
		first, _ := trial.Guide(c, s, nil, nil)
		first.Delay = trial.DelayOf(c, first.Primary, len(s))
		delays[first.Delay.By] = true
		best, _ := minimise.Execution(c, first, reportTime.minimising(0, reportTime.total), same, func() bool { return false }, time.Now)
		again, ok := trial.Guide(c, best.Schedule, nil, nil)
		if d := trial.DelayOf(c, again.Primary, len(best.Schedule)); !ok || !again.Shows(same) || d.By > first.Delay.By {
			t.Errorf("late by %v, and when it was minimised by %v", first.Delay.By, d.By)
		}
	}
	if len(delays) < 3 {
		t.Errorf("%d executions, and delays %v: the test is weak", len(failing), delays)
	}
}

// TestDelayOfTrace asks all executions of random programs that fail for the delay: those of one trace need the same.
func TestDelayOfTrace(t *testing.T) {
	effort.Computes(t)
	const lag = 20 * time.Millisecond
	shared, needed := 0, 0
	for seed := range uint64(effort.Of(200, 12)) {
		c := sched.New(impatient(seed), sched.Options{Time: sched.TimeLag, Lag: lag})
		var failing []trace.Schedule
		DFS{}.Explore(c, func(x *trace.Execution) bool {
			if len(x.Run.Outcome()) > 0 {
				failing = append(failing, slices.Clone(x.Schedule))
			}
			return x.Stats.Executions < 200
		})
		delays := make(map[uint64]time.Duration)
		for _, s := range failing {
			run, order := c.Start(), trace.NewTracker(trace.Dependence)
			for _, choice := range s {
				ev, err := run.Step(choice)
				if err != nil {
					t.Fatal(err)
				}
				order.Push(int32(ev.G), ev.Accesses(), ev.Order)
			}
			fails := run.Outcome()
			by := trial.DelayOf(c, fails[0], len(s)).By
			run.Close()
			key := order.Fingerprint(func(i int) int32 { return s[i].Alt })
			if other, ok := delays[key]; ok {
				shared++
				if by != other {
					t.Errorf("seed %d: executions of one trace are late by %v and %v: %v", seed, other, by, fails)
				}
			}
			if delays[key] = by; by > 0 {
				needed++
			}
		}
		c.Shutdown()
	}
	if shared < 3 || needed < 3 {
		t.Errorf("%d executions of a trace that had failed before, %d by delays: the test is weak", shared, needed)
	}
}

// TestDelayOfChain has main give up after 100 ms. A chain of goroutines was to come to it before, so all executions that fail
// need a delay of 100 ms, however long the chain is. If the chain begins when main has given up, some need none.
func TestDelayOfChain(t *testing.T) {
	const patience = 100 * time.Millisecond
	for links := range 5 {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("links=%d/after=%v", links, after), func(t *testing.T) {
				var delays []time.Duration
				c := sched.New(func() {
					last, begin := sched.NewChan[int](0), sched.NewChan[int](0)
					sched.Go(func() {
						if after {
							begin.Recv()
						}
						for range links {
							inner := sched.NewChan[int](0)
							sched.Go(func() { inner.Send(1) })
							inner.Recv()
						}
						last.Send(1)
					})
					late := sched.NewTimer(patience)
					if sched.Select(sched.RecvCase(last, nil, nil), sched.RecvCase(late.C, nil, nil)) == 1 {
						begin.Close()
						panic("given up")
					}
				}, sched.Options{Time: sched.TimeLag})
				defer c.Shutdown()
				Optimal{}.Explore(c, func(x *trace.Execution) bool {
					for _, f := range x.Run.Outcome() {
						if f.Kind == trace.FailPanic {
							delays = append(delays, trial.DelayOf(c, f, x.Run.Len()).By)
						}
					}
					return true
				})
				want := patience
				if after {
					want = 0
				}
				if len(delays) == 0 {
					t.Fatal("no execution fails")
				}
				if least := slices.Min(delays); least != want {
					t.Errorf("late by %v at the least, want %v: %v", least, want, delays)
				}
			})
		}
	}
}
