package exec_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// beside starts a goroutine that ticks, and waits for what it may do once.
func beside(tick func(done *sched.Chan[int])) func() {
	return func() {
		done := sched.NewChan[int](0)
		sched.Go(func() { tick(done) })
		done.Recv()
	}
}

// ticking runs f, which hangs, and returns how many steps that takes.
func ticking(t *testing.T, f func()) int {
	t.Helper()
	res, err := por.Explore(f, por.MaxClock(10*time.Minute), por.MaxSteps(1_000_000), por.Time(sched.TimeDiscrete))
	if err != nil || len(res.Failures) != 1 || !strings.HasPrefix(res.Failures[0].Msg, "hangs: main waits in recv of ") {
		t.Fatal(res.Verdict, err)
	}
	return len(res.Failures[0].Schedule)
}

// What certainly goes on for ever, and changes nothing, ends after some turns; what may change
// something goes on to the limit of time.
func TestOnlyTicks(t *testing.T) {
	effort.Computes(t)
	const second = 600 // ticks, up to the limit
	for _, test := range []struct {
		name string
		long bool
		tick func(done *sched.Chan[int])
	}{
		{"a tick", false, func(*sched.Chan[int]) {
			for tick := sched.NewTicker(time.Second); ; {
				sched.Loop()
				tick.C.Drop()
			}
		}},
		{"a sleep", false, func(*sched.Chan[int]) {
			for {
				sched.Loop()
				sched.Sleep(time.Second)
			}
		}},
		{"a lock", false, func(*sched.Chan[int]) {
			var mu sched.Mutex
			for {
				sched.Loop()
				sched.Sleep(time.Second)
				mu.Lock()
				mu.Unlock()
			}
		}},
		{"no word of turns", true, func(*sched.Chan[int]) {
			for {
				sched.Sleep(time.Second)
			}
		}},
		{"a count", true, func(*sched.Chan[int]) {
			for n := 0; ; n++ {
				sched.Loop(n)
				sched.Sleep(time.Second)
			}
		}},
		{"an atomic count", true, func(*sched.Chan[int]) {
			var n sched.Int64
			for {
				sched.Loop()
				sched.Sleep(time.Second)
				n.Add(1)
			}
		}},
		{"a time", true, func(*sched.Chan[int]) {
			for tick := sched.NewTicker(time.Second); ; {
				sched.Loop()
				tick.C.Recv()
			}
		}},
		{"a choice", true, func(*sched.Chan[int]) {
			for {
				sched.Loop()
				sched.Sleep(time.Second)
				sched.Choose(2)
			}
		}},
		{"a goroutine", true, func(*sched.Chan[int]) {
			for {
				sched.Loop()
				sched.Sleep(time.Second)
				sched.Go(func() {})
			}
		}},
		{"a variable", true, func(*sched.Chan[int]) {
			var x sched.Var[int]
			for {
				sched.Loop()
				sched.Sleep(time.Second)
				x.Store(x.Load() + 1)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if n := ticking(t, beside(test.tick)); n < second != !test.long {
				t.Errorf("%d steps", n)
			}
		})
	}
}

// Whatever comes within the limit of time is waited for.
func TestTicksAndMore(t *testing.T) {
	sleeps := func() {
		for {
			sched.Loop()
			sched.Sleep(time.Second)
		}
	}
	for name, tick := range map[string]func(done *sched.Chan[int]){
		"a timer": func(done *sched.Chan[int]) {
			sched.AfterFunc(9*time.Minute, func() { done.Send(1) })
			sleeps()
		},
		"a sleeper": func(done *sched.Chan[int]) {
			sched.Go(func() { sched.Sleep(9 * time.Minute); done.Send(1) })
			sleeps()
		},
		"a slow ticker": func(done *sched.Chan[int]) {
			tick := sched.NewTicker(4 * time.Minute)
			sched.Go(func() { tick.C.Recv(); tick.C.Recv(); done.Send(1) })
			sleeps()
		},
		"a count": func(done *sched.Chan[int]) {
			for n := 0; n < 500; n++ {
				sched.Loop(n)
				sched.Sleep(time.Second)
			}
			done.Send(1)
		},
		"a select": func(done *sched.Chan[int]) {
			fast, slow := sched.NewTicker(time.Second), sched.NewTicker(5*time.Minute)
			for {
				sched.Loop()
				if sched.Select(sched.RecvCase(fast.C, nil, nil), sched.RecvCase(slow.C, nil, nil)) == 1 {
					done.Send(1)
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := por.Explore(beside(tick), por.MaxClock(10*time.Minute), por.MaxSteps(1_000_000), por.Time(sched.TimeDiscrete), por.AllowLeaks(), por.MaxExecutions(20))
			if err != nil || len(res.Failures) > 0 {
				t.Error(res.Verdict, err)
			}
		})
	}
}

// A loop that asks for the time moves the clock on by that. It may come to the limit so, and end by
// itself, which is no hang.
func TestAsksAtTheLimit(t *testing.T) {
	const limit = 10 * time.Minute
	asks := func(turns int, d time.Duration) func() {
		return func() {
			start := sched.Now()
			for range turns {
				if sched.Since(start) > d {
					d = 10_000 * time.Hour
				}
			}
		}
	}
	for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeLag} {
		for name, test := range map[string]struct {
			f     func()
			hangs bool
		}{
			"few":  {asks(1100, time.Second), false},
			"many": {asks(2500, time.Second), false},
			"more": {asks(20_000, time.Second), false},
			"for ever": {func() {
				for start := sched.Now(); sched.Since(start) < 1000*time.Hour; {
				}
			}, true},
		} {
			for _, natively := range []bool{false, true} {
				_, failures := leftBy(t, test.f, exec.Options{MaxClock: limit, Natively: natively, Time: mode, MaxSteps: 1_000_000})
				if len(failures) > 0 != test.hangs {
					t.Errorf("%s, %v, natively %v: %v", name, mode, natively, failures)
				}
			}
		}
	}
}
