package por

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/minimise"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
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
	c := exec.New(f, exec.Options{Time: sched.TimeLag})
	defer c.Shutdown()
	var failing []trace.Schedule
	engine.DFS{}.Explore(c, func(x *trace.Execution) bool {
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
		best, _ := minimise.Execution(c, first, budget, same, func() bool { return false }, time.Now)
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
		c := exec.New(impatient(seed), exec.Options{Time: sched.TimeLag, Lag: lag})
		var failing []trace.Schedule
		engine.DFS{}.Explore(c, func(x *trace.Execution) bool {
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
				c := exec.New(func() {
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
				}, exec.Options{Time: sched.TimeLag})
				defer c.Shutdown()
				engine.Optimal{}.Explore(c, func(x *trace.Execution) bool {
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

// TestLeastDelay has programs that fail if code is late by some time, and do so, too, if it is late by more. Reports name the least.
func TestLeastDelay(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name string
		f    func()
		want time.Duration
	}{
		{"between two sleeps", func() {
			var mu sched.Mutex
			now, at := 0, 0
			sched.Go(func() {
				mu.Lock()
				at = now
				mu.Unlock()
			})
			for i := range 3 {
				sched.Sleep(ms)
				mu.Lock()
				now = i + 1
				mu.Unlock()
			}
			mu.Lock()
			defer mu.Unlock()
			if at != 0 {
				panic("late")
			}
		}, ms},
		{"after a sleep", func() {
			var done sched.Bool
			sched.Go(func() {
				sched.Sleep(10 * ms)
				done.Store(true)
			})
			sched.Sleep(25 * ms)
			if !done.Load() {
				panic("late")
			}
		}, 15 * ms},
		{"after two sleeps", func() {
			var done sched.Bool
			sched.Go(func() {
				sched.Sleep(10 * ms)
				sched.Sleep(10 * ms)
				done.Store(true)
			})
			sched.Sleep(25 * ms)
			if !done.Load() {
				panic("late")
			}
		}, 5 * ms},
		{"several", func() {
			var done [3]sched.Bool
			for i := range done {
				sched.Go(func() { done[i].Store(true) })
			}
			missing := 0
			for range 3 {
				sched.Sleep(2 * ms)
				for i := range done {
					if !done[i].Load() {
						missing++
					}
				}
			}
			if missing > 1 {
				panic("late")
			}
		}, 2 * ms},
	} {
		t.Run(test.name, func(t *testing.T) {
			res, err := Explore(test.f, MaxTime(time.Minute))
			if err != nil || len(res.Failures) != 1 {
				t.Fatal(res, err)
			}
			f := res.Failures[0]
			if f.Delay.By != test.want {
				t.Errorf("late by %v, want %v\n%s", f.Delay.By, test.want, f.Report)
			}
			again, err := Explore(test.f, Replay(f.Replay))
			if err != nil || len(again.Failures) != 1 {
				t.Errorf("the replay: %v %v", again, err)
			}
		})
	}
}

// TestHastened runs schedules that have code late by two milliseconds, and allow one. The goroutine that was late does all
// that it did at once, so nothing is preempted.
func TestHastened(t *testing.T) {
	c := exec.New(func() {
		var mu sched.Mutex
		now, at := 0, 0
		sched.Go(func() {
			mu.Lock()
			at = now
			mu.Unlock()
		})
		for i := range 3 {
			sched.Sleep(time.Millisecond)
			mu.Lock()
			now = i + 1
			mu.Unlock()
		}
		if at != 0 {
			panic("late")
		}
	}, exec.Options{Time: sched.TimeLag})
	defer c.Shutdown()
	var late []trace.Schedule
	engine.DFS{}.Explore(c, func(x *trace.Execution) bool {
		if len(x.Run.Outcome()) > 0 {
			late = append(late, slices.Clone(x.Schedule))
		}
		return true
	})
	tried := 0
	for _, s := range late {
		first, _ := trial.Guide(c, s, nil, nil)
		if first.Preemptions > 0 || trial.DelayOf(c, first.Primary, len(s)).By != 2*time.Millisecond {
			continue
		}
		tried++
		c.SetLag(time.Millisecond)
		c.HoldLag(true)
		again, ok := trial.Hasten(c, s, func() bool { return false })
		by := trial.DelayOf(c, again.Primary, len(again.Schedule)).By
		if !ok || len(again.Failures) == 0 || again.Preemptions > 0 || by != time.Millisecond {
			t.Errorf("%v: late by %v, %d preemptions, %v: %v", s, by, again.Preemptions, again.Failures, again.Schedule)
		}
		c.HoldLag(false)
		c.SetLag(exec.DefaultLag)
	}
	if tried == 0 {
		t.Errorf("none of %d executions is late by 2ms and preempts nothing: the test is weak", len(late))
	}
}

// TestLeastDelayWithoutEnd has a program that goes on for ever if code is less late than in the
// execution that fails. The executions that look for the least delay are left.
func TestLeastDelayWithoutEnd(t *testing.T) {
	const most = 500_000
	rounds := 0 // of all executions
	res, err := Explore(func() {
		stop := sched.NewChan[bool](0)
		sched.Go(func() {
			sched.Sleep(time.Microsecond)
			stop.Close()
		})
		var told sched.Int64
		for sched.Select(sched.RecvCase(stop, nil, nil), sched.Default) != 0 {
			rounds++
			told.Add(1)
		}
		panic("the timer has fired")
	}, Time(sched.TimeLag), MaxSteps(2*most), Engine(engine.Random{}))
	if err != nil || len(res.Failures) != 1 || rounds > most {
		t.Errorf("%v, %+v, %d rounds", err, res, rounds)
	}
}
