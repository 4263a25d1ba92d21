package time_test

import (
	"fmt"
	"strings"
	"testing"
	original "time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/std/internal/stdtest"
	"github.com/gopor/gopor/sched/std/time"
)

// from returns what stands for a native channel, as rewritten code finds it.
func from(c <-chan time.Time) *sched.Chan[time.Time] {
	return hook.Shadow(*(*unsafe.Pointer)(unsafe.Pointer(&c)), func() any { return nil }).(*sched.Chan[time.Time])
}

// TestVirtual lets years pass.
func TestVirtual(t *testing.T) {
	const year = 365 * 24 * time.Hour
	began := original.Now()
	got := stdtest.Alone(t, func() string {
		start := time.Now()
		time.Sleep(year)
		text := fmt.Sprint(start, time.Since(start) == year, time.Until(start) == -year-31)
		timer := time.NewTimer(year)
		at := from(timer.C).Recv()
		text += fmt.Sprint(at.Sub(start)/year, timer.Stop(), timer.Reset(year), timer.Stop(), len(timer.C), cap(timer.C))
		ticker := time.NewTicker(year)
		from(ticker.C).Recv()
		ticker.Reset(2 * year)
		at = from(ticker.C).Recv()
		ticker.Stop()
		text += fmt.Sprint(at.Sub(start)/year, from(time.After(year)).Recv().Sub(start)/year)
		text += fmt.Sprint(from(time.Tick(year)).Recv().Sub(start)/year, time.Tick(0) == nil)
		f := time.AfterFunc(year, func() { text += "f" })
		time.Sleep(year + 1)
		return text + fmt.Sprint(f.Stop(), f.C == nil)
	})
	if want := exec.DefaultStart().In(original.Local).String() + " m=+1.000000000 true true2 false false true 0 05 67 trueffalse true"; strings.ReplaceAll(got, "ns", "") != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if spent := original.Since(began); spent > original.Minute {
		t.Errorf("it took %v", spent)
	}
}

// TestLikeSched compares programs with the primitives that they stand for.
func TestLikeSched(t *testing.T) {
	race := func(after func() *sched.Chan[time.Time], sleep func(time.Duration)) func() string {
		return func() string {
			c := after()
			text := ""
			h := sched.Go(func() { sleep(2); text += "slept " })
			c.Recv()
			text += "fired "
			h.Join()
			return text
		}
	}
	twin := race(func() *sched.Chan[time.Time] { return from(time.After(2)) }, time.Sleep)
	primitives := race(func() *sched.Chan[time.Time] { return sched.After(2) }, sched.Sleep)
	for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeAnyOrder} {
		found := stdtest.Same(t, twin, primitives, por.Time(mode))
		if found.Outcomes == "" || found.Failures != "" {
			t.Errorf("%v: %+v", mode, found)
		}
	}
	poll := func(sleep func(time.Duration)) func() string {
		return func() string {
			var stop sched.Bool
			sched.Go(func() { stop.Store(true) })
			sleep(0) // this call adds nothing to the one below
			n := 0
			for !stop.Load() {
				n++
				sleep(0)
			}
			return fmt.Sprint(n)
		}
	}
	if found := stdtest.Same(t, poll(time.Sleep), poll(sched.Sleep)); found.Failures != "" || found.Traces < 2 {
		t.Errorf("%+v", found)
	}
}

func TestDeadlock(t *testing.T) {
	found := stdtest.Explore(t, func() string {
		timer := time.NewTimer(time.Second)
		timer.Stop()
		from(timer.C).Recv()
		return ""
	})
	if found.Failures != "deadlock: all goroutines wait" {
		t.Errorf("%+v", found)
	}
}

func TestPanics(t *testing.T) {
	for _, f := range [][2]func(){
		{func() { new(original.Timer).Stop() }, func() { new(time.Timer).Stop() }},
		{func() { new(original.Timer).Reset(1) }, func() { new(time.Timer).Reset(1) }},
		{func() { new(original.Ticker).Reset(1) }, func() { new(time.Ticker).Reset(1) }},
		{func() { new(original.Ticker).Stop() }, func() { new(time.Ticker).Stop() }},
		{func() { original.NewTicker(0) }, func() { time.NewTicker(0) }},
		{func() { original.NewTicker(1).Reset(0) }, func() { time.NewTicker(1).Reset(0) }},
	} {
		want := stdtest.Caught(f[0])
		if got := stdtest.Caught(f[1]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := stdtest.Alone(t, func() string { return stdtest.Caught(f[1]) }); got != want {
			t.Errorf("under control: got %q, want %q", got, want)
		}
	}
}

// TestLikeOriginal uses the real clock.
func TestLikeOriginal(t *testing.T) {
	start := time.Now()
	if original.Until(start).Abs() > time.Hour {
		t.Error("not the real time:", start)
	}
	timer := time.NewTimer(time.Millisecond)
	<-timer.C
	<-time.After(time.Millisecond)
	ticker := time.NewTicker(time.Millisecond)
	<-ticker.C
	ticker.Reset(2 * time.Millisecond)
	<-ticker.C
	ticker.Stop()
	<-time.Tick(time.Millisecond)
	done := make(chan bool)
	f := time.AfterFunc(time.Hour, func() { close(done) })
	if !f.Reset(time.Millisecond) {
		t.Error("the timer is not active")
	}
	<-done
	time.Sleep(time.Millisecond)
	if time.Since(start) < 8*time.Millisecond || time.Until(start) >= 0 || timer.Stop() || time.NewTimer(time.Hour).Stop() == false {
		t.Error(time.Since(start), time.Until(start))
	}
}

// TestOutside uses a timer under control that was made before: it stays one of
// the real clock.
func TestOutside(t *testing.T) {
	timer := time.NewTimer(time.Hour)
	active := true
	got := stdtest.Explore(t, func() string {
		if timer.Stop() != active {
			return "wrong"
		}
		active = false
		return "right"
	})
	if got.Outcomes != "right" || timer.Stop() {
		t.Error(got)
	}
}

// TestReading looks at what the reading of the monotonic clock shows in: it is as without control, in every
// mode.
func TestReading(t *testing.T) {
	program := func(recv func(c <-chan time.Time) time.Time) string {
		start, text := time.Now(), ""
		say := func(all ...any) { text += fmt.Sprint(all...) + "\n" }
		describe := func(t time.Time) {
			at, reading, has := strings.Cut(t.String(), " m=+")
			say(has, t == t.Round(0), t.Equal(t.Round(0)), t.Round(0).String() == at, len(reading) > 10, t.Unix() == t.Round(0).Unix(), t.Location())
		}
		describe(start)
		describe(start.Add(time.Hour))
		describe(start.UTC())
		describe(start.AddDate(0, 0, 1))
		describe(recv(time.After(time.Millisecond)))
		describe(recv(time.NewTicker(time.Millisecond).C))
		say(start == start.Add(0), start.Add(time.Hour).Sub(start), start.Round(0).Add(time.Hour).Sub(start), start.Truncate(0) == start.Round(0))
		later := time.Now()
		say(later.After(start), later.Round(0).After(start), later.Sub(start) >= 2*time.Millisecond)
		// What is said of a time with a reading is what is said of it without, where all clocks agree.
		diff := later.Sub(start) - later.Round(0).Sub(start.Round(0))
		say(diff.Abs() < time.Minute, time.Since(start).Abs() < time.Minute, time.Until(start) < 0)
		return text
	}
	want := program(func(c <-chan time.Time) time.Time { return <-c })
	for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeLag, sched.TimeAnyOrder} {
		found := stdtest.Explore(t, func() string {
			return program(func(c <-chan time.Time) time.Time { return from(c).Recv() })
		}, por.Time(mode))
		if found.Outcomes != want || found.Failures != "" {
			t.Errorf("%v: %+v\nwant %s", mode, found, want)
		}
	}
	// The reading goes with the date, to the nanosecond.
	for _, start := range []time.Time{exec.DefaultStart(), original.Now(), time.Date(2150, 1, 1, 0, 0, 0, 0, time.UTC)} {
		got := stdtest.Explore(t, func() string {
			a := time.Now()
			time.Sleep(time.Hour)
			b := time.Now()
			text := fmt.Sprint(b.Sub(a) == b.Round(0).Sub(a.Round(0)), a.Sub(hook.StartTime()), " ")
			time.Sleep(8 * 365 * 24 * time.Hour) // natively there is none after March 2157
			_, reading, _ := strings.Cut(a.String(), " m=+")
			return text + fmt.Sprint(reading, strings.Contains(time.Now().String(), " m="))
		}, por.Start(start)).Outcomes
		if want := fmt.Sprint("true 0s 1.000000000", start.Year() != 2150); got != want {
			t.Errorf("%v: %q, want %q", start, got, want)
		}
	}
}
