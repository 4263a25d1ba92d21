package sched_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// pollers are loops that wait for a goroutine that sleeps, or for a time.
var pollers = map[string]func(){
	"atomic": func() {
		var stop sched.Bool
		sched.Go(func() { sched.Sleep(time.Hour); stop.Store(true) })
		for !stop.Load() {
		}
	},
	"gosched": func() {
		var stop sched.Bool
		sched.Go(func() { sched.Sleep(time.Hour); stop.Store(true) })
		for !stop.Load() {
			sched.Gosched()
		}
	},
	"select": func() {
		stop := sched.NewChan[int](0)
		sched.Go(func() { sched.Sleep(time.Hour); stop.Close() })
		for sched.Select(sched.RecvCase(stop, nil, nil), sched.Default) != 0 {
		}
	},
	"closed and select": func() {
		done, stop := sched.NewChan[int](0), sched.NewChan[int](0)
		done.Close()
		sched.Go(func() { sched.Sleep(time.Hour); stop.Close() })
		for stop.Len() == 0 && sched.Select(sched.RecvCase(stop, nil, nil), sched.Default) != 0 {
			done.Recv()
		}
	},
	"closed and atomic": func() {
		var stop sched.Bool
		done := sched.NewChan[int](0)
		sched.Go(func() { done.Close(); sched.Sleep(time.Hour); stop.Store(true) })
		for {
			if done.Recv(); stop.Load() {
				return
			}
		}
	},
	"map": func() {
		var m sched.Map
		sched.Go(func() { sched.Sleep(time.Hour); m.Store(1, 2); sched.Sleep(time.Hour); m.Delete(2); m.Store(1, 3) })
		m.Store(2, new(int))
		for v, _ := m.Load(1); v != 3; v, _ = m.Load(1) {
			m.LoadOrStore(2, new(int))
			m.CompareAndDelete(1, 4)
		}
	},
	"keys": func() {
		var m sched.Map
		m.Store(1, 0)
		sched.Go(func() { sched.Sleep(time.Hour); m.Store(1, 1); sched.Sleep(time.Hour); m.Store(2, 0) })
		for stop := false; !stop; {
			m.Range(func(k, _ any) bool { stop = k == 2; return true })
		}
	},
	"pool": func() {
		var p sched.Pool
		sched.Go(func() { sched.Sleep(time.Hour); p.Put(1) })
		for p.Get() == nil {
		}
	},
	"compare and swap": func() {
		var locked sched.Bool
		var top sched.Pointer[int]
		locked.Store(true)
		sched.Go(func() { sched.Sleep(time.Hour); locked.Store(false); top.Store(new(int)) })
		for !locked.CompareAndSwap(false, true) {
		}
		for top.CompareAndSwap(nil, nil) {
			top.CompareAndSwap(new(int), nil)
			sched.Sleep(time.Second)
		}
	},
	"swap": func() {
		var locked sched.Bool
		locked.Store(true)
		sched.Go(func() { sched.Sleep(time.Hour); locked.Store(false) })
		for locked.Swap(true) {
			sched.Gosched()
		}
	},
	"timer": func() {
		stop := sched.After(time.Millisecond)
		for sched.Select(sched.RecvCase(stop, nil, nil), sched.Default) != 0 {
		}
	},
	"closed": func() { // and not looked at
		closed, stop := sched.NewChan[int](0), sched.NewChan[int](0)
		closed.Close()
		sched.Go(func() { sched.Sleep(time.Hour); stop.Close() })
		for sched.Select(sched.RecvCase(stop, nil, nil), sched.RecvCase(closed, nil, nil)) != 0 {
		}
	},
	"mutex": func() {
		var mu sched.Mutex
		var stop sched.Var[bool]
		sched.Go(func() { sched.Sleep(time.Hour); mu.Lock(); stop.Store(true); mu.Unlock() })
		for done := false; !done; {
			mu.Lock()
			done = stop.Load()
			mu.Unlock()
		}
	},
	"clock": func() {
		start := sched.Now()
		for sched.Since(start) < time.Millisecond {
		}
	},
	"clock and select": func() {
		sched.NewTicker(time.Hour)
		never, start := sched.NewChan[int](0), sched.Now()
		for sched.Since(start) < 10*time.Millisecond && sched.Select(sched.RecvCase(never, nil, nil), sched.Default) != 0 {
		}
	},
	"context": func() {
		ctx, cancel := sched.WithTimeout(sched.Background(), time.Hour)
		defer cancel()
		for ctx.Err() == nil {
		}
	},
	"cause": func() {
		ctx, cancel := sched.WithCancelCause(sched.Background())
		sched.Go(func() { sched.Sleep(time.Hour); cancel(errors.New("late")) })
		for sched.Cause(ctx) == nil {
			sched.Gosched()
		}
	},
	"each other": func() {
		var a, b sched.Bool
		sched.Go(func() {
			for !a.Load() {
			}
			b.Store(true)
		})
		sched.Go(func() { sched.Sleep(time.Second); a.Store(true) })
		for !b.Load() {
		}
	},
}

// A loop that polls ends when what it waits for comes with time, however time passes.
func TestPollersEnd(t *testing.T) {
	effort.Computes(t)
	for name, f := range pollers {
		for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeLag, sched.TimeAnyOrder} {
			res, err := por.Explore(f, por.Time(mode), por.MaxExecutions(20))
			if err != nil || len(res.Failures) > 0 {
				t.Errorf("%s, mode %d: %v %v, %d failures", name, mode, res.Verdict, err, len(res.Failures))
			}
			if mode == sched.TimeDiscrete && name == "atomic" && (!res.Verdict.Covered || res.Stats.Executions != 2 || res.Exhaustive) {
				t.Errorf("%s: %s", name, res.Verdict)
			}
		}
	}
}

// What is looked for again is not found by polling: a context is cancelled, or it is the
// cause that is asked for now.
func TestContextIsNews(t *testing.T) {
	c := exec.New(func() {
		ctx, cancel := sched.WithCancelCause(sched.Background())
		sched.NewTicker(time.Hour)
		start := sched.Now()
		ctx.Err()
		sched.Cause(ctx)
		sched.Go(func() { cancel(nil) })
		sched.Gosched()
		ctx.Err()
		sched.Cause(ctx)
		if d := sched.Since(start); d > time.Minute {
			panic(fmt.Sprint("it took ", d))
		}
	}, exec.Options{Polls: 1})
	defer c.Shutdown()
	r := c.Start()
	closures.LastFirst(t, r)
	if fails := r.Outcome(); len(fails) > 0 {
		t.Error(fails)
	}
}

// A goroutine that polls for a time is not told one that is much later.
func TestPollInTime(t *testing.T) {
	for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeLag} {
		res, err := por.Explore(func() {
			start := sched.Now()
			pollers["clock and select"]()
			if d := sched.Since(start); d > 12500*time.Microsecond {
				panic(fmt.Sprint("it took ", d))
			}
		}, por.Time(mode), por.MaxExecutions(20))
		if err != nil || len(res.Failures) > 0 {
			t.Errorf("mode %d: %v %v %v", mode, res.Verdict, err, res.Failures)
		}
	}
}

// A goroutine that polls for ever does not wait, so it is no leak by the criterion of Go. With StrictLeaks all that is
// left behind fails.
func TestPollerLeaks(t *testing.T) {
	poller := func() {
		var stop sched.Bool
		sched.Go(func() {
			for !stop.Load() {
				sched.Gosched()
			}
		})
	}
	res, err := por.Explore(poller)
	if err != nil || len(res.Failures) > 0 || len(res.Verdict.Behind) != 1 || !strings.Contains(res.Verdict.Behind[0], "polls by load of stop") {
		t.Error(res.Verdict, err, res.Failures)
	}
	res, err = por.Explore(poller, por.StrictLeaks())
	if err != nil || len(res.Failures) != 1 || res.Failures[0].Kind != trace.FailLeak {
		t.Error(res.Verdict, err, res.Failures)
	}
}

// TestPollersLeftBehind: with PollersLeak who goes round a loop for ever is left behind, whether it awaits something or
// is seen to repeat itself at the limit of steps.
func TestPollersLeftBehind(t *testing.T) {
	for name, loop := range map[string]func(x *sched.Bool){
		"awaits": func(x *sched.Bool) { await(x.Load) },
		"repeats": func(x *sched.Bool) {
			for x.Store(false); !x.Load(); x.Store(false) {
			}
		},
	} {
		for _, leak := range []bool{false, true} {
			kind := trace.FailSteps
			if leak {
				kind = trace.FailLeak
			}
			fails := closures.InTurns(t, func() {
				var x sched.Bool
				sched.Go(func() { loop(&x) })
			}, exec.Options{Awaits: true, PollersLeak: leak, MaxSteps: 3000})
			if len(fails) != 1 || fails[0].Kind != kind || !strings.Contains(fails[0].Msg+fails[0].Details(), "g1") {
				t.Errorf("%s, %v: %v", name, leak, fails)
			}
		}
	}
}

// Every look at the clock shows a later time, also in another goroutine that it has been
// told of, and time that was slept is not shorter for that.
func TestNowMovesOn(t *testing.T) {
	for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeLag, sched.TimeAnyOrder} {
		res, err := por.Explore(func() {
			start := sched.Now()
			for range 3 {
				start = sched.Now()
			}
			c := sched.NewChan[time.Time](1)
			sched.Go(func() {
				sched.Now()
				c.Send(sched.Now())
			})
			if sched.Since(start) <= 0 || !c.Recv().After(start) {
				panic("time stands still")
			}
			start = sched.Now()
			sched.Sleep(time.Millisecond)
			if d := sched.Since(start); d < time.Millisecond {
				panic(fmt.Sprint("slept for ", d))
			}
			start = sched.Now()
			if d := sched.After(time.Millisecond).Recv().Sub(start); d < time.Millisecond {
				panic(fmt.Sprint("waited for ", d))
			}
		}, por.Time(mode), por.Grant(sched.AssumeClock), por.Exhaustive())
		if err != nil || len(res.Failures) > 0 {
			t.Errorf("mode %d: %v %v %v", mode, res.Verdict, err, res.Failures)
		}
	}
}

// A closure that only a timer of an hour would wake stalls if there is a limit.
func TestMaxClock(t *testing.T) {
	lost := func() {
		tick := sched.NewTicker(time.Hour)
		sched.Go(func() {
			for range 3 {
				tick.C.Recv()
			}
		})
		sched.NewChan[int](0).Recv()
	}
	for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeLag} {
		res, err := por.Explore(lost, por.Time(mode), por.MaxClock(10*time.Minute))
		if err != nil || len(res.Failures) != 1 {
			t.Fatal(res.Verdict, err)
		}
		if f := res.Failures[0]; f.Kind != trace.FailDeadlock || f.Msg != "hangs: main waits in recv of chan 1; only a ticker helps, in 1h0m0s, beyond the limit of 10m0s" {
			t.Errorf("%s", f.Report)
		}
		res, err = por.Explore(func() { sched.Sleep(9 * time.Minute) }, por.Time(mode), por.MaxClock(10*time.Minute))
		if err != nil || len(res.Failures) != 0 {
			t.Error(res.Verdict, err)
		}
	}
}

// A goroutine that polls is told a later time for each turn in which it asks, and for none in which it does not any more:
// then the clock moves on in no time.
func TestPollPaysForAsking(t *testing.T) {
	const asks, polls = 10, 3
	took := func(turns int) (d time.Duration) {
		fails := closures.Once(t, exec.Options{Polls: polls}, func() {
			var x sched.Int64
			start := sched.Now()
			for i := range turns {
				if x.Load(); i < asks {
					sched.Now()
				}
			}
			d = sched.Since(start).Truncate(time.Microsecond) // a look takes some nanoseconds
		})
		if len(fails) > 0 {
			t.Fatal(fails)
		}
		return d
	}
	paid := took(asks + 1) // the latest turn comes after one that has asked
	if before := took(asks - 1); paid != before+2*10*time.Microsecond {
		t.Errorf("%v in %d turns, %v in %d", before, asks-1, paid, asks+1)
	}
	for turns := asks + 2; turns < asks+6; turns++ {
		if d := took(turns); d != paid {
			t.Errorf("%v in %d turns, want %v", d, turns, paid)
		}
	}
}
