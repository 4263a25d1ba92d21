package sched

import (
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
)

// This file has what package time has to do with the passing of time, on the virtual clock of the
// execution. When it begins is said by por.Start, and how it moves by [TimeMode]. Dates are in
// the zone time.Local, as those of package time are. Its durations, months and so on are used here.

// Now returns the virtual time.
func Now() time.Time {
	g := machine.Enter("Now")
	t := g.Now()
	if g.M.Record && g.M.Time == machine.TimeAnyOrder {
		g.NoteResult(t)
	}
	return t
}

// Since returns the virtual time that has passed since t.
func Since(t time.Time) time.Duration { return machine.Enter("Since").Now().Sub(t) }

// Until returns the virtual time that will pass before t.
func Until(t time.Time) time.Duration { return t.Sub(machine.Enter("Until").Now()) }

// Sleep waits for d; for ever, if the clock has no such time (it has 292 years),
// which is true of timers too. Without a positive d, and in [TimeAnyOrder], where d may
// pass in no time, a Sleep in a loop is as fair as [Gosched].
func Sleep(d time.Duration) { hook.SleepAt(d, callSite()) }

// A Timer fires once, used like time.Timer: after Stop or Reset no stale time
// is received, and C looks unbuffered. Make it with NewTimer or AfterFunc; it
// belongs to the execution that made it.
type Timer struct {
	C *Chan[time.Time]
	k machine.Key[machine.TimerState]
}

// newTimer returns a timer of g with that key, and the channel that it sends the time
// on.
func newTimer(g *machine.Goroutine, k *machine.Key[machine.TimerState]) (*machine.TimerState, *Chan[time.Time]) {
	m, c := g.M, &Chan[time.Time]{cap: 1, timer: true}
	s := machine.Create(g, &c.k)
	s.Cap = 1
	t := machine.Create(g, k)
	t.Ch = &s.ChanState
	t.Put = func() int64 { return s.Put(t.Date(m)) }
	return t, c
}

// NewTimer returns a timer that sends the time on its channel after d.
func NewTimer(d time.Duration) *Timer {
	g := machine.Enter("NewTimer")
	t := &Timer{}
	s, c := newTimer(g, &t.k)
	t.C = c
	s.Start(g, d)
	return t
}

// After returns the channel of a new timer.
func After(d time.Duration) *Chan[time.Time] { return NewTimer(d).C }

// AfterFunc calls f in a goroutine of its own after d, unless the timer is
// stopped. Package context's AfterFunc is [ContextAfterFunc].
func AfterFunc(d time.Duration, f func()) *Timer {
	g := machine.Enter("AfterFunc")
	t := &Timer{}
	s := machine.Create(g, &t.k)
	s.Fn = f
	s.Start(g, d)
	return t
}

// Stop keeps the timer from firing, and reports whether it was going to. It
// panics if the timer was not made by NewTimer or AfterFunc.
func (t *Timer) Stop() bool {
	g := machine.Leave("Timer.Stop")
	if !t.k.Used() {
		panic("time: Stop called on uninitialized Timer")
	}
	return g != nil && machine.Control(g, &t.k, 0, false)
}

// Reset lets the timer fire after d from now, and reports whether it was going
// to fire. It panics if the timer was not made by NewTimer or AfterFunc.
func (t *Timer) Reset(d time.Duration) bool {
	g := machine.Leave("Timer.Reset")
	if !t.k.Used() {
		panic("time: Reset called on uninitialized Timer")
	}
	return g != nil && machine.Control(g, &t.k, d, true)
}

// A Ticker fires again and again, used like time.Ticker. Ticks that were not taken are dropped.
// Make it with NewTicker; it belongs to the execution that made it.
type Ticker struct {
	C *Chan[time.Time]
	k machine.Key[machine.TimerState]
}

// NewTicker returns a ticker that sends the time on its channel every d. It
// panics if d is not positive.
func NewTicker(d time.Duration) *Ticker {
	g := machine.Enter("NewTicker")
	if d <= 0 {
		panic("non-positive interval for NewTicker")
	}
	t := &Ticker{}
	s, c := newTimer(g, &t.k)
	t.C, s.Period = c, int64(d)
	s.Start(g, d)
	return t
}

// Tick returns the channel of a new ticker, nil if d is not positive.
func Tick(d time.Duration) *Chan[time.Time] {
	if d <= 0 {
		return nil
	}
	return NewTicker(d).C
}

// Stop turns the ticker off. It does not close the channel.
func (t *Ticker) Stop() {
	if g := machine.Leave("Ticker.Stop"); g != nil && t.k.Used() {
		machine.Control(g, &t.k, 0, false)
	}
}

// Reset lets the ticker fire every d from now. It panics if d is not positive
// or if the ticker was not made by NewTicker.
func (t *Ticker) Reset(d time.Duration) {
	g := machine.Leave("Ticker.Reset")
	if d <= 0 {
		panic("non-positive interval for Ticker.Reset")
	}
	if !t.k.Used() {
		panic("time: Reset called on uninitialized Ticker")
	}
	if g != nil {
		machine.Control(g, &t.k, d, true)
	}
}
