package time

import (
	"runtime"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/internal/shadow"
)

// controlled reports whether the calling goroutine is controlled.
func controlled() bool { return hook.Active() }

// Now returns the current time.
func Now() Time {
	if controlled() {
		return sched.Now()
	}
	return outside()
}

// outside returns the time for a goroutine that is not controlled.
func outside() Time {
	if t, ok := hook.InitialTime(); ok {
		return t
	}
	return time.Now()
}

// Since returns the time that has passed since t.
func Since(t Time) Duration {
	if controlled() {
		return sched.Since(t)
	}
	return outside().Sub(t)
}

// Until returns the time that will pass before t.
func Until(t Time) Duration {
	if controlled() {
		return sched.Until(t)
	}
	return t.Sub(outside())
}

// Sleep waits for d.
func Sleep(d Duration) {
	if controlled() {
		var pcs [1]uintptr
		runtime.Callers(2, pcs[:])
		hook.SleepAt(d, pcs[0])
		return
	}
	time.Sleep(d)
}

// A Timer is a time.Timer, or one of package sched if a controlled goroutine has made it.
type Timer struct {
	// C receives the time when the timer fires. It is nil if the timer calls a function.
	C <-chan Time

	by *timer // nil for the zero Timer
}

// timer has the implementation of a Timer: one of its fields is set.
type timer struct {
	real *time.Timer
	ctl  *sched.Timer
}

// standIn returns a native channel for which c stands.
func standIn(c *sched.Chan[Time]) <-chan Time {
	native := make(chan Time)
	shadow.Set(native, c)
	return native
}

// NewTimer returns a timer that sends the time on its channel after d.
func NewTimer(d Duration) *Timer {
	if controlled() {
		t := sched.NewTimer(d)
		return &Timer{standIn(t.C), &timer{ctl: t}}
	}
	t := time.NewTimer(d)
	return &Timer{t.C, &timer{real: t}}
}

// AfterFunc calls f in a goroutine of its own after d.
func AfterFunc(d Duration, f func()) *Timer {
	if controlled() {
		return &Timer{by: &timer{ctl: sched.AfterFunc(d, f)}}
	}
	return &Timer{by: &timer{real: time.AfterFunc(d, f)}}
}

// After returns the channel of a new timer.
func After(d Duration) <-chan Time {
	if controlled() {
		return standIn(sched.After(d))
	}
	return time.After(d)
}

// Stop keeps the timer from firing, and reports whether it would have fired.
func (t *Timer) Stop() bool {
	switch {
	case t.by == nil:
		return new(time.Timer).Stop() // panics
	case t.by.ctl != nil:
		return hook.Active() && t.by.ctl.Stop()
	}
	return t.by.real.Stop()
}

// Reset makes the timer fire after d from now, and reports whether it would have fired.
func (t *Timer) Reset(d Duration) bool {
	switch {
	case t.by == nil:
		return new(time.Timer).Reset(d) // panics
	case t.by.ctl != nil:
		return hook.Active() && t.by.ctl.Reset(d)
	}
	return t.by.real.Reset(d)
}

// A Ticker is a time.Ticker, or one of package sched if a controlled goroutine has made it.
type Ticker struct {
	// C receives the time with every tick.
	C <-chan Time

	by *ticker // nil for the zero Ticker
}

// ticker has the implementation of a Ticker: one of its fields is set.
type ticker struct {
	real *time.Ticker
	ctl  *sched.Ticker
}

// NewTicker returns a ticker that sends the time on its channel every d.
func NewTicker(d Duration) *Ticker {
	if controlled() {
		t := sched.NewTicker(d)
		return &Ticker{standIn(t.C), &ticker{ctl: t}}
	}
	t := time.NewTicker(d)
	return &Ticker{t.C, &ticker{real: t}}
}

// Tick returns the channel of a new ticker, or nil if d is not positive.
func Tick(d Duration) <-chan Time {
	if controlled() && d > 0 {
		return standIn(sched.Tick(d))
	}
	return time.Tick(d)
}

// Stop turns the ticker off.
func (t *Ticker) Stop() {
	switch {
	case t.by == nil:
	case t.by.ctl != nil:
		if hook.Active() {
			t.by.ctl.Stop()
		}
	default:
		t.by.real.Stop()
	}
}

// Reset makes the ticker fire every d from now.
func (t *Ticker) Reset(d Duration) {
	switch {
	case t.by == nil:
		new(time.Ticker).Reset(d) // panics
	case t.by.ctl != nil:
		if hook.Active() {
			t.by.ctl.Reset(d)
		}
	default:
		t.by.real.Reset(d)
	}
}
