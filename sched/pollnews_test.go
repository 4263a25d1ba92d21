package sched_test

import (
	"testing"
	"time"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// within receives from done, and calls timeout first if that takes longer than d.
func within(d time.Duration, done *sched.Chan[int], timeout func()) {
	if sched.Select(sched.RecvCase(done, nil, nil), sched.RecvCase(sched.After(d), nil, nil)) == 1 {
		timeout()
		done.Recv()
	}
}

// inTime are programs in which somebody polls, without saying so, for what others do who need no
// time. So no timeout comes first in discrete time, nor by a lag that is shorter.
var inTime = map[string]func(timeout func()){
	"a flag": func(timeout func()) {
		var flag sched.Bool
		done := sched.NewChan[int](0)
		sched.Go(func() {
			for !flag.Load() {
			}
			done.Close()
		})
		flag.Store(true)
		within(time.Second, done, timeout)
	},
	"two flags in a turn": func(timeout func()) {
		var never, flag sched.Bool
		done := sched.NewChan[int](0)
		sched.Go(func() {
			for !never.Load() && !flag.Load() {
			}
			done.Close()
		})
		flag.Store(true)
		within(time.Second, done, timeout)
	},
	"a flag under a lock": func(timeout func()) {
		var mu sched.Mutex
		var flag sched.Var[bool]
		done := sched.NewChan[int](0)
		sched.Go(func() {
			for stop := false; !stop; {
				mu.Lock()
				stop = flag.Load()
				mu.Unlock()
			}
			done.Close()
		})
		mu.Lock()
		flag.Store(true)
		mu.Unlock()
		within(time.Second, done, timeout)
	},
	"a poller for a poller": func(timeout func()) {
		var a, b, c sched.Bool
		done := sched.NewChan[int](0)
		sched.Go(func() {
			for !a.Load() {
			}
			b.Store(true)
			for !c.Load() {
			}
			done.Close()
		})
		sched.Go(func() {
			for !b.Load() {
			}
			c.Store(true)
		})
		a.Store(true)
		within(time.Second, done, timeout)
	},
	"a poller that asks for the time": func(timeout func()) {
		var flag sched.Bool
		done, start := sched.NewChan[int](0), sched.Now()
		sched.Go(func() {
			for !flag.Load() && sched.Since(start) < time.Hour {
			}
			done.Close()
		})
		flag.Store(true)
		within(time.Microsecond, done, timeout)
	},
	"after every one of many sleeps": func(timeout func()) {
		var at sched.Int64
		done := sched.NewChan[int](0)
		sched.Go(func() {
			for n := range int64(8) {
				for at.Load() <= n {
				}
				done.Send(1)
			}
		})
		for range 8 {
			sched.Sleep(time.Second)
			at.Add(1)
			within(time.Second, done, timeout)
		}
	},
	"after a sleep": func(timeout func()) {
		var flag sched.Bool
		done := sched.NewChan[int](0)
		sched.Go(func() {
			for !flag.Load() {
			}
			done.Close()
		})
		sched.Sleep(time.Second)
		flag.Store(true)
		within(time.Second, done, timeout)
	},
}

// TestPollersSeeInTime: whoever is taken for one that polls looks once more before the clock moves on to
// what others wait for.
func TestPollersSeeInTime(t *testing.T) {
	effort.Computes(t)
	for name, f := range inTime {
		for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeLag} {
			if mode == sched.TimeLag && name == "a poller that asks for the time" {
				continue // that timeout is shorter than the lag
			}
			for _, polls := range []int{1, 5, 500} {
				if polls == 500 && name == "a poller that asks for the time" {
					continue // it asks a thousand times, and that takes time
				}
				n, late := 0, 0
				c := exec.New(func() { n++; f(func() { late++ }) }, exec.Options{Time: mode, Polls: polls})
				res, err := por.ExploreProgram(c, por.Engine(engine.Source{}), por.MaxExecutions(int64(effort.Of(2000, 500))))
				random, err2 := por.ExploreProgram(c, por.Engine(engine.Random{Executions: 300, Seed: 1}))
				c.Shutdown()
				if err != nil || err2 != nil || len(res.Failures)+len(random.Failures) > 0 || late > 0 {
					t.Errorf("%s, mode %d, %d polls: late %d times of %d, %v %v, %v %v", name, mode, polls, late, n, err, err2, res.Failures, random.Failures)
				}
			}
		}
	}
}

// TestPollersSeeExactly: that those who poll look once more makes no difference to what events depend on
// each other.
func TestPollersSeeExactly(t *testing.T) {
	for name, f := range inTime {
		for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeLag} {
			if mode == sched.TimeLag && name == "a poller that asks for the time" {
				continue // it is told another time with every move of the clock
			}
			if name == "a poller for a poller" || name == "after every one of many sleeps" || name == "a flag under a lock" {
				continue // they have too many interleavings
			}
			closures.Exact(t, exec.Options{Time: mode, Polls: 1, MaxSteps: 200}, func() string {
				end := "in time"
				f(func() { end = "late" })
				return end
			})
		}
	}
}

// TestPollersTakeTime has goroutines that hand on a turn for ever, polling for it, until a timer stops them.
func TestPollersTakeTime(t *testing.T) {
	for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeLag} {
		c := exec.New(func() {
			var turn sched.Int64
			var stop sched.Bool
			var gs []sched.Handle
			for me := range int64(2) {
				gs = append(gs, sched.Go(func() {
					for !stop.Load() {
						if turn.Load() == me {
							turn.Store(1 - me)
						}
					}
				}))
			}
			sched.Sleep(time.Second)
			stop.Store(true)
			for _, g := range gs {
				g.Join()
			}
		}, exec.Options{Time: mode, Polls: 20})
		res, err := por.ExploreProgram(c, por.Engine(engine.Optimal{}), por.MaxExecutions(1))
		c.Shutdown()
		if err != nil || len(res.Failures) > 0 {
			t.Errorf("mode %d: %v, %v", mode, err, res.Failures)
		}
	}
}

// TestPollersLookNoOftener counts the clock's events in the first execution: while nobody does anything, those
// who poll look once for every operation of a turn, and not again before time has moved on and brought
// something.
func TestPollersLookNoOftener(t *testing.T) {
	for _, test := range []struct {
		name string
		f    func()
		want int
	}{
		{"one", func() {
			var never, stop sched.Bool
			sched.Go(func() { sched.Sleep(time.Hour); stop.Store(true) })
			for !never.Load() && !stop.Load() {
			}
		}, 2 + 1 + 1}, // two looks, the hour, and the look at stop: that at never came before the store
		{"one, beside a loop that awaits something", func() {
			var never, stop sched.Bool
			a := sched.Go(func() { await(stop.Load) })
			sched.Go(func() { sched.Sleep(time.Hour); stop.Store(true) })
			for !never.Load() && !stop.Load() {
			}
			a.Join()
		}, 2*2 + 1 + 1 + 2}, // as before, but the other one is asked before each look, and before the hour
	} {
		c := exec.New(test.f, exec.Options{Polls: 3, Awaits: true})
		n := 0
		_, err := engine.Optimal{}.Explore(c, func(x *trace.Execution) bool {
			for _, c := range x.Schedule {
				if c.G == machine.ClockChoice.G {
					n++
				}
			}
			return false
		})
		c.Shutdown()
		if err != nil || n != test.want {
			t.Errorf("%s: %v, the clock moves %d times, not %d", test.name, err, n, test.want)
		}
	}
}
