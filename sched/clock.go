package sched

import (
	"github.com/gopor/gopor/internal/machine"
	"math"
	"time"

	"github.com/gopor/gopor/sched/trace"
)

// A goroutine may wait for a time by asking for it again and again. After
// mostReadings of an unchanged time every further one takes a while, readingTime,
// as it does on a real clock.
const (
	mostReadings = 1000
	readingTime  = 10 * time.Microsecond
)

// now returns the time. It is an event where time can move at any moment, and
// for a goroutine that waits by asking.
func (g *goroutine) now() time.Time {
	m := g.m
	g.usesClock("time.Now")
	switch {
	case m.Time == machine.TimeAnyOrder:
		g.ask(trace.OpNow, nil)
	case g.readAt != m.elapsed:
		g.readAt, g.readings = m.elapsed, 0
	case g.readings < mostReadings:
		g.readings++
	default:
		g.sleep(readingTime)
		g.readAt = m.elapsed
	}
	return m.date()
}

// date is the virtual time as a date.
func (m *Machine) date() time.Time { return startTime.Add(time.Duration(m.elapsed)) }

func (g *goroutine) sleep(d time.Duration) {
	g.usesClock("time.Sleep")
	g.askNumbers(trace.OpSleep, nil, uint64(d), 0)
	if g.m.Record {
		g.noteResult(d)
	}
}

// start makes t, which g has filled in, a timer of g that fires after d.
func (t *timerState) start(g *goroutine, d time.Duration) {
	m := g.m
	g.usesTimer(t)
	m.newTimer(g, t)
	m.startTimer(t, g, m.until(d))
	if g.m.Record {
		m.ex.remark(g, "start timer", "", d.String(), m.ex.caller(g))
	}
}

// usesTimer notes what the model of time leaves out of t, which g starts.
func (g *goroutine) usesTimer(t *timerState) {
	g.usesClock(t.assumes())
	if t.period > 0 && g.m.Time == machine.TimeAnyOrder && g.m.Model&machine.ModelUnfair == 0 {
		g.usual(machine.ModelUnfair, "a ticker that ticks again")
	}
}

// until returns d in nanoseconds, cut short at the end of the clock.
func (m *Machine) until(d time.Duration) int64 {
	return min(max(0, int64(d)), math.MaxInt64-m.elapsed)
}

// control stops a timer or starts it again.
func control(g *goroutine, k *key[timerState], d time.Duration, again bool) (active bool) {
	t := own(g.m, k)
	restart := uint64(0)
	if again {
		restart = 1
		g.usesTimer(t)
	}
	g.askNumbers(trace.OpTimer, t, uint64(g.m.until(d)), restart)
	if g.m.Record {
		text := "stop"
		if again {
			text = "reset " + d.String()
		}
		if !g.reply.ok {
			text += ": was not active"
		}
		g.noteResult(text)
	}
	return g.reply.ok
}

// startTime is when virtual time begins, the same moment as in testing/synctest.
var startTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
