package sched_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// seconds returns the virtual time.
func seconds() float64 {
	return sched.Since(hook.StartTime()).Seconds()
}

// TestStart asks for the date, in an execution and out of one, with and without Options.Start.
func TestStart(t *testing.T) {
	for _, start := range []time.Time{{}, time.Date(1950, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2200, 12, 31, 23, 59, 59, 999_999_999, time.UTC)} {
		want := start
		if start.IsZero() {
			want = exec.DefaultStart()
		}
		for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeLag, sched.TimeAnyOrder} {
			var now, begun, tick, end time.Time
			closures.Once(t, exec.Options{Start: start, Time: mode}, func() {
				now, begun = sched.Now(), hook.StartTime()
				tick, _ = sched.After(time.Hour).Recv2()
				ctx, cancel := sched.WithTimeout(sched.Background(), time.Hour)
				defer cancel()
				end, _ = ctx.Deadline()
			})
			if !now.Equal(want) || now.Location() != time.Local || !begun.Equal(want) {
				t.Errorf("start %v: now %v, StartTime %v", want, now, begun)
			}
			if d := tick.Sub(want).Round(time.Microsecond); d != time.Hour {
				t.Errorf("start %v: a timer of an hour has sent %v", want, tick)
			}
			if d := end.Sub(want).Round(time.Microsecond); d != 2*time.Hour {
				t.Errorf("start %v: a deadline an hour after that is %v", want, end)
			}
		}
	}
	if start := hook.StartTime(); start != exec.DefaultStart() {
		t.Errorf("outside of executions: %v", start)
	}
}

// since returns how long after the beginning of the clock t is, in seconds.
func since(t time.Time) float64 { return t.Sub(hook.StartTime()).Round(time.Microsecond).Seconds() }

// TestNaps: a loop that waits for a timer and sleeps for no time in every turn, which is no loop that polls since it starts
// goroutines, comes to its end: the first turns take no time, and the others 10 microseconds each.
func TestNaps(t *testing.T) {
	turns, took := 0, time.Duration(0)
	failures := closures.InTurns(t, func() {
		start := sched.Now()
		timeout, c := sched.NewTimer(10*time.Millisecond), sched.NewChan[bool](0)
		for {
			sched.Go(func() { c.Send(false) })
			if sched.Select(sched.RecvCase(timeout.C, nil, nil), sched.RecvCase(c, nil, nil)) == 0 {
				c.Recv()
				break
			}
			turns++
			sched.Sleep(0)
		}
		took = sched.Since(start)
	}, exec.Options{MaxSteps: 20_000, Polls: 50})
	if turns != 1050 || took != 10*time.Millisecond || len(failures) > 0 {
		t.Errorf("%d turns in %v, %v", turns, took, failures)
	}
}

func TestVirtualTime(t *testing.T) {
	tests := []struct {
		name, want string
		f          func() string
	}{
		{"sleep", "0 1.5 1.500000031", func() string {
			a := seconds()
			sched.Sleep(1500 * time.Millisecond)
			b := seconds()
			sched.Sleep(-1)
			return fmt.Sprint(a, b, seconds())
		}},
		{"after", "3 3", func() string {
			at := <-collect(sched.After(3 * time.Second))
			return fmt.Sprint(since(at), seconds())
		}},
		{"order", "[1 2 3]", func() string {
			var got []int
			var wg sched.WaitGroup
			for _, i := range []int{3, 1, 2} {
				wg.Add(1)
				sched.AfterFunc(time.Duration(i)*time.Second, func() { got = append(got, i); wg.Done() })
			}
			wg.Wait()
			return fmt.Sprint(got)
		}},
		{"stop", "true false false true", func() string {
			a, b := sched.NewTimer(time.Second), sched.NewTimer(time.Second)
			text := fmt.Sprint(a.Stop(), a.Stop())
			b.C.Recv()
			text += fmt.Sprint(" ", b.Stop())
			// A value that was not received is no more after Stop.
			c := sched.NewTimer(time.Second)
			sched.Sleep(2 * time.Second)
			return text + fmt.Sprint(" ", c.Stop())
		}},
		{"no stale value", "true 1 7", func() string {
			a := sched.NewTimer(time.Second)
			sched.Sleep(2 * time.Second)
			text := fmt.Sprint(a.Reset(5*time.Second), " ", sched.Select(sched.RecvCase(a.C, nil, nil), sched.Default))
			a.C.Recv()
			return text + fmt.Sprint(" ", seconds())
		}},
		{"looks unbuffered", "0 0 0 0", func() string {
			a := sched.NewTimer(time.Second)
			text := fmt.Sprint(a.C.Len(), a.C.Cap())
			sched.Sleep(2 * time.Second)
			return text + fmt.Sprint(" ", a.C.Len(), a.C.Cap())
		}},
		{"ticker", "1 2 4.5 5 7", func() string {
			a := sched.NewTicker(time.Second)
			text := fmt.Sprint(since(a.C.Recv()), since(a.C.Recv()))
			sched.Sleep(2500 * time.Millisecond) // one tick waits, one is dropped
			text += fmt.Sprint(" ", seconds())
			a.C.Recv()
			text += fmt.Sprint(" ", since(a.C.Recv()))
			a.Reset(2 * time.Second)
			a.C.Recv()
			a.Stop()
			return text + fmt.Sprint(" ", seconds())
		}},
		{"tick", "true 1", func() string {
			return fmt.Sprint(sched.Tick(0) == nil, since(sched.Tick(time.Second).Recv()))
		}},
		{"reset of a func", "2 true false", func() string {
			n := 0
			a := sched.AfterFunc(time.Second, func() { n++ })
			sched.Sleep(1500 * time.Millisecond)
			ok := a.C == nil && !a.Reset(time.Second)
			sched.Sleep(1500 * time.Millisecond)
			return fmt.Sprint(n, ok, a.Stop())
		}},
		{"for ever", "true", func() string {
			a := sched.NewTimer(math.MaxInt64)
			sched.Sleep(time.Hour)
			b := sched.NewTimer(math.MaxInt64)
			return fmt.Sprint(a.Stop() && b.Stop())
		}},
		{"negative", "0", func() string {
			sched.NewTimer(-5).C.Recv()
			return fmt.Sprint(seconds())
		}},
		{"a lock is waited for", "2", func() string {
			var mu sched.Mutex
			mu.Lock()
			sched.AfterFunc(2*time.Second, mu.Unlock)
			mu.Lock()
			return fmt.Sprint(seconds())
		}},
	}
	for _, test := range tests {
		for range 2 {
			if got := closures.Alone(t, test.f); got != test.want {
				t.Errorf("%s: got %q, want %q", test.name, got, test.want)
			}
		}
	}
}

// collect receives one value.
func collect(c *sched.Chan[time.Time]) chan time.Time {
	got := make(chan time.Time, 1)
	got <- c.Recv()
	return got
}

func TestAnyOrderTime(t *testing.T) {
	found := closures.Outcomes(t, exec.Options{Time: sched.TimeAnyOrder}, func() string {
		a, b := sched.NewTimer(time.Hour), sched.NewTimer(time.Second)
		if sched.Select(sched.RecvCase(a.C, nil, nil), sched.RecvCase(b.C, nil, nil)) == 0 {
			return "hour"
		}
		return "second"
	})
	if found.List() != "hour | second" {
		t.Errorf("%s", found.List())
	}
	// A ticker whose ticks nobody takes, or everybody, comes to an end.
	found = closures.Outcomes(t, exec.Options{Time: sched.TimeAnyOrder, MaxSteps: 300}, func() string {
		a := sched.NewTicker(time.Second)
		var n sched.Int64
		sched.Go(func() { n.Add(1) })
		for range 3 {
			a.C.Recv()
		}
		a.Stop()
		return fmt.Sprint(n.Load())
	})
	if len(found.Failures) != 0 || found.List() != "0 | 1" && found.List() != "1" {
		t.Errorf("%s, %v", found.List(), found.Failures)
	}
}

// A goroutine that waits by asking for the time comes to its end, before others
// that wait longer, and how often it has asked in one execution makes no
// difference to another.
func TestTimeAskedForOften(t *testing.T) {
	found := closures.Exact(t, exec.Options{}, func() string {
		for range 500 {
			sched.Now()
		}
		var slept sched.Bool
		sched.Go(func() { sched.Sleep(time.Second); slept.Store(true) })
		turns := 0
		for start := sched.Now(); sched.Since(start) < 200*time.Microsecond; turns++ {
		}
		return fmt.Sprint(turns, slept.Load(), sched.Choose(3))
	})
	if found.List() != "517 false 0 | 517 false 1 | 517 false 2" {
		t.Errorf("outcomes %s", found.List())
	}
}

// TestLooksTakeTime has every look at the clock take some, however much has been looked by then; what is
// waited for until a moment comes when it does for those who have not looked.
func TestLooksTakeTime(t *testing.T) {
	for _, looks := range []int{1, 2, 40, 300} {
		found := closures.Exact(t, exec.Options{}, func() string {
			start, order := sched.Now(), ""
			for range looks {
				if last := sched.Now(); !sched.Now().After(last.Add(10 * time.Nanosecond)) {
					panic("a look takes no time")
				}
			}
			var mu sched.Mutex
			var wg sched.WaitGroup
			wait := func(name string, sleep func()) {
				wg.Add(1)
				sched.Go(func() {
					defer wg.Done()
					sleep()
					mu.Lock()
					defer mu.Unlock()
					order += name
				})
			}
			wait("a", func() { sched.Sleep(sched.Until(start.Add(time.Second))) })
			wait("b", func() { sched.Sleep(time.Second) })
			wait("c", func() { sched.Sleep(time.Second - time.Millisecond - 500) })
			wg.Wait()
			return order
		})
		if found.List() != "cab | cba" {
			t.Errorf("%d looks: %s, %v", looks, found.List(), found.Failures)
		}
	}
}

// The end of the clock, 292 years from the start, never comes: who waits for it
// waits for ever.
func TestEndOfClock(t *testing.T) {
	found := closures.Outcomes(t, exec.Options{AllowLeaks: true}, func() string {
		sched.Go(func() { sched.Sleep(math.MaxInt64); panic("the end has come") })
		sched.Go(func() {
			for range 10 {
				sched.Now()
			}
			sched.Sleep(math.MaxInt64) // is not cut short for what it lacks of a microsecond
			panic("the end has come")
		})
		sched.Sleep(time.Hour)
		sched.Select(sched.RecvCase(sched.After(math.MaxInt64), nil, nil), sched.RecvCase(sched.After(time.Hour), nil, nil))
		return fmt.Sprint(seconds())
	})
	if len(found.Failures) != 0 || found.List() != "7200" {
		t.Errorf("%s, %v", found.List(), found.Failures)
	}
	found = closures.Outcomes(t, exec.Options{}, func() string {
		sched.After(math.MaxInt64).Recv()
		return "the end has come"
	})
	if len(found.Failures) != 1 || found.List() != " !deadlock" {
		t.Errorf("%s, %v", found.List(), found.Failures)
	}
}

// TestEndOfClockByLag has the clock move on while a goroutine is about to wait until the end of the clock. The
// goroutine must not take what is left of the clock now for what was left when it asked.
func TestEndOfClockByLag(t *testing.T) {
	const end = math.MaxInt64
	waits := map[string]func(done *sched.Chan[int]) bool{
		"Timer.Reset": func(done *sched.Chan[int]) bool {
			timer := sched.NewTimer(time.Hour)
			timer.Reset(end)
			return firesBefore(timer.C, done)
		},
		"Timer.Reset, just less": func(done *sched.Chan[int]) bool {
			timer := sched.NewTimer(time.Hour)
			timer.Reset(end - 1)
			return firesBefore(timer.C, done)
		},
		"Timer.Reset, fired": func(done *sched.Chan[int]) bool {
			timer := sched.NewTimer(time.Millisecond)
			timer.C.Recv()
			timer.Reset(end)
			return firesBefore(timer.C, done)
		},
		"Ticker.Reset": func(done *sched.Chan[int]) bool {
			ticker := sched.NewTicker(time.Hour)
			ticker.Reset(end)
			return firesBefore(ticker.C, done)
		},
		"NewTimer":  func(done *sched.Chan[int]) bool { return firesBefore(sched.NewTimer(end).C, done) },
		"NewTicker": func(done *sched.Chan[int]) bool { return firesBefore(sched.NewTicker(end).C, done) },
		"AfterFunc": func(done *sched.Chan[int]) bool {
			fired := sched.NewChan[time.Time](1)
			sched.AfterFunc(time.Hour, func() { fired.Send(time.Time{}) }).Reset(end)
			return firesBefore(fired, done)
		},
		"WithTimeout": func(done *sched.Chan[int]) bool {
			ctx, cancel := sched.WithTimeout(sched.Background(), end)
			defer cancel()
			sched.Select(sched.RecvCase(ctx.Done(), nil, nil), sched.RecvCase(done, nil, nil))
			return ctx.Err() != nil
		},
	}
	for name, wait := range waits {
		o := exec.Options{Time: sched.TimeLag, Lag: 100 * time.Millisecond}
		found := closures.Outcomes(t, o, func() string {
			done, fired := sched.NewChan[int](0), sched.NewChan[bool](1)
			sched.Go(func() { fired.Send(wait(done)) })
			sched.Sleep(2 * time.Millisecond)
			sched.Sleep(2 * time.Millisecond)
			done.Close()
			return fmt.Sprint(fired.Recv())
		})
		if len(found.Failures) != 0 || found.List() != "false" {
			t.Errorf("%s: %s, %v", name, found.List(), found.Failures)
		}
	}
}

// firesBefore reports whether a value comes from c before done is closed.
func firesBefore(c *sched.Chan[time.Time], done *sched.Chan[int]) bool {
	return sched.Select(sched.RecvCase(c, nil, nil), sched.RecvCase(done, nil, nil)) == 0
}

// TestHastyTicker lets a ticker that is faster than any code drop ticks, so that what is
// to happen later is not millions of ticks away.
func TestHastyTicker(t *testing.T) {
	for _, period := range []time.Duration{1, time.Microsecond} {
		for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeLag} {
			n, at := 0, time.Duration(0)
			fails := closures.Once(t, exec.Options{Time: mode, MaxSteps: 10_000}, func() {
				n = 0
				start := sched.Now()
				tick, end := sched.NewTicker(period), sched.After(100*time.Millisecond)
				for done := false; !done; {
					var now time.Time
					switch sched.Select(sched.RecvCase(tick.C, &now, nil), sched.RecvCase(end, nil, nil)) {
					case 0:
						n++
						if at = now.Sub(start); n <= 50 && at > time.Duration(n)*period+time.Microsecond || at%period != 0 && period > 1 && mode == sched.TimeDiscrete {
							t.Errorf("tick %d of a ticker of %v comes after %v", n, period, at)
						}
					case 1:
						done = true
					}
				}
			})
			if len(fails) > 0 || n < 100 || n > 1000 || at < 98*time.Millisecond {
				t.Errorf("period %v, mode %v: %d ticks, the last after %v, %v", period, mode, n, at, fails)
			}
		}
	}
}

// TestStopsByLag counts the traces of a goroutine that stops a timer while the clock moves on twice
// for another goroutine, which sleeps. The timer is started before, between or after the moves. When
// it is stopped makes no difference.
func TestStopsByLag(t *testing.T) {
	const ms = time.Millisecond
	tests := map[string]struct {
		stop func()
		want int
	}{
		"AfterFunc": {func() { sched.AfterFunc(250*ms, func() {}).Stop() }, 3},
		"NewTimer":  {func() { sched.NewTimer(250 * ms).Stop() }, 3},
		"NewTicker": {func() { sched.NewTicker(250 * ms).Stop() }, 3},
		"an hour":   {func() { sched.NewTimer(time.Hour).Stop() }, 3},
		// It asks for the time before it starts a timer.
		"WithTimeout": {func() { _, cancel := sched.WithTimeout(sched.Background(), 250*ms); cancel() }, 6},
		// The second Stop is to know whether the timer was sending when the first one came.
		"two stops": {func() { t := sched.NewTimer(250 * ms); t.Stop(); t.Stop() }, 6},
	}
	for name, tt := range tests {
		found := closures.Traces(t, exec.Options{Time: sched.TimeLag}, func() {
			h := sched.Go(tt.stop)
			sched.Sleep(ms)
			sched.Sleep(ms)
			h.Join()
		})
		if found.Traces != tt.want {
			t.Errorf("%s: %d traces, want %d", name, found.Traces, tt.want)
		}
	}
}

// TestStoppedFarAway lets the clock pass the deadline of a timer that was stopped when the deadline
// was far away: it does not stop there, and nothing fires.
func TestStoppedFarAway(t *testing.T) {
	for _, end := range []time.Duration{150 * time.Millisecond, 250 * time.Millisecond, time.Minute} {
		c := exec.New(func() {
			sched.NewTimer(end).Stop()
			sched.Sleep(time.Hour)
		}, exec.Options{Time: sched.TimeLag})
		run := c.Start()
		var kinds []trace.Kind
		for p := run.Pending(); len(p) > 0; p = run.Pending() {
			ev, err := run.Step(trace.Choice{G: p[0].G})
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, ev.Kind)
		}
		if want := []trace.Kind{trace.OpNow, trace.OpTimer, trace.OpSleep, trace.OpAdvance}; !slices.Equal(kinds, want) {
			t.Errorf("%v: %v, want %v", end, kinds, want)
		}
		c.Shutdown()
	}
}
