package sched

import (
	"time"
)

// This file has what package time has to do with the passing of time, on the
// virtual clock of the execution. It begins at midnight UTC of 1 January 2000.
// How it moves is said by [TimeMode]. Durations, months and so on are those of
// package time.

// Now returns the virtual time.
func Now() time.Time {
	g := enter("Now")
	t := g.now()
	if g.m.Record && g.m.Time == TimeAnyOrder {
		g.noteResult(t)
	}
	return t
}

// Since returns the virtual time that has passed since t.
func Since(t time.Time) time.Duration { return enter("Since").now().Sub(t) }

// Until returns the virtual time that will pass before t.
func Until(t time.Time) time.Duration { return t.Sub(enter("Until").now()) }

// Sleep waits for d; for ever, if the clock has no such time (it has 292 years),
// which is true of timers too. Without a positive d, and in [TimeAnyOrder], where d may
// pass in no time, a Sleep in a loop is as fair as [Gosched].
func Sleep(d time.Duration) { SleepAt(d, callSite()) }

// A Timer fires once, used like time.Timer: after Stop or Reset no stale time
// is received, and C looks unbuffered. Make it with NewTimer or AfterFunc; it
// belongs to the execution that made it.
type Timer struct {
	C *Chan[time.Time]
	k key[timerState]
}

// newTimer returns a timer of g with that key, and the channel that it sends the time
// on.
func newTimer(g *goroutine, k *key[timerState]) (*timerState, *Chan[time.Time]) {
	m, c := g.m, &Chan[time.Time]{cap: 1, timer: true}
	s := create(g, &c.k)
	s.cap = 1
	t := create(g, k)
	t.ch = &s.chanState
	t.put = func() int64 { return s.put(m.date()) }
	return t, c
}

// NewTimer returns a timer that sends the time on its channel after d.
func NewTimer(d time.Duration) *Timer {
	g := enter("NewTimer")
	t := &Timer{}
	s, c := newTimer(g, &t.k)
	t.C = c
	s.start(g, d)
	return t
}

// After returns the channel of a new timer.
func After(d time.Duration) *Chan[time.Time] { return NewTimer(d).C }

// AfterFunc calls f in a goroutine of its own after d, unless the timer is
// stopped. Package context's AfterFunc is [ContextAfterFunc].
func AfterFunc(d time.Duration, f func()) *Timer {
	g := enter("AfterFunc")
	t := &Timer{}
	s := create(g, &t.k)
	s.fn = f
	s.start(g, d)
	return t
}

// Stop keeps the timer from firing, and reports whether it was going to. It
// panics if the timer was not made by NewTimer or AfterFunc.
func (t *Timer) Stop() bool {
	g := leave("Timer.Stop")
	if t.k.self == nil {
		panic("time: Stop called on uninitialized Timer")
	}
	return g != nil && control(g, &t.k, 0, false)
}

// Reset lets the timer fire after d from now, and reports whether it was going
// to fire. It panics if the timer was not made by NewTimer or AfterFunc.
func (t *Timer) Reset(d time.Duration) bool {
	g := leave("Timer.Reset")
	if t.k.self == nil {
		panic("time: Reset called on uninitialized Timer")
	}
	return g != nil && control(g, &t.k, d, true)
}

// A Ticker fires again and again, used like time.Ticker. Ticks that nobody has
// taken are dropped. Make it with NewTicker; it belongs to the execution that
// made it.
type Ticker struct {
	C *Chan[time.Time]
	k key[timerState]
}

// NewTicker returns a ticker that sends the time on its channel every d. It
// panics if d is not positive.
func NewTicker(d time.Duration) *Ticker {
	g := enter("NewTicker")
	if d <= 0 {
		panic("non-positive interval for NewTicker")
	}
	t := &Ticker{}
	s, c := newTimer(g, &t.k)
	t.C, s.period = c, int64(d)
	s.start(g, d)
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
	if g := leave("Ticker.Stop"); g != nil && t.k.self != nil {
		control(g, &t.k, 0, false)
	}
}

// Reset lets the ticker fire every d from now. It panics if d is not positive
// or if the ticker was not made by NewTicker.
func (t *Ticker) Reset(d time.Duration) {
	g := leave("Ticker.Reset")
	if d <= 0 {
		panic("non-positive interval for Ticker.Reset")
	}
	if t.k.self == nil {
		panic("time: Reset called on uninitialized Ticker")
	}
	if g != nil {
		control(g, &t.k, d, true)
	}
}
