package machine

import (
	"math"
	"slices"
	"time"

	"github.com/gopor/gopor/sched/trace"
)

// This file has time by lag. Code takes time, so the clock may move on early, while a goroutine can
// run. Then it moves to the next deadline, if that is near: no further away than the lag. It stays
// if it is already further ahead than the lag of where it would be if code took no time. To
// deadlines that are not near it moves when no goroutine can run, as in discrete time.
//
// Where the clock would be is not one moment, since goroutines do not wait for each other all the
// time. So each of them has its nominal time. That of main begins at 0, and a sleep of d adds d to
// it. A goroutine that an event grants something goes on no earlier than that event. The clock may
// move on early at time t if no goroutine that can run has a nominal time before t − lag. That is a
// matter of what happens before what, and not of the order in which independent events came. To ask
// whether any goroutine can run at all would make every event that may be the last of a goroutine
// depend on the clock.
//
// For the same reason, what lets the clock's next move be pending is one event, if it is
// not the move before. The first of all that set a near deadline when there is none
// writes the set of near deadlines, the others read it. Nothing but the clock takes a
// deadline from that set: of a timer that is stopped it stays, as a time that may have
// come all the same. There the timer fires in vain, as if it had been stopped right before it
// fires. So to stop a timer before the clock moves on, or after, makes no difference.
//
// In a bubble of testing/synctest time moves on only when all goroutines of the bubble wait. So
// there is no early move while one of them can go on, and an early move comes after all their
// events.
//
// To move on is an event of the clock, which writes it. To start a timer, to stop one again, to
// sleep and to ask for the time read it. An early move comes after all events of a nominal time
// before t − lag, and after the firing of all timers of the move before. Any other move comes after
// everything.

// lagClock is what the clock has to know beside the deadlines.
type lagClock struct {
	nominal []int64 // by event; -1 of the clock's own
	firing  int     // timers that have come due and have not fired
	fired   []int32 // the events of those that have, since the clock has moved
	armed   int32   // the event that has set the first near deadline since then, or -1
	delays  []Delay // by which the execution has had code late, each longer than those before
}

// Delay says that a goroutine was late: time has come to a moment at which, if code took
// no time, it would have gone on already.
type Delay struct {
	Event int32 // the clock's, number
	By    time.Duration
}

// Delays returns the delays of the execution so far, each longer than those before.
func (m *Machine) Delays() []Delay { return m.Clock.lag.delays }

// Nominal returns the nominal time at which a goroutine has come to its event of that number.
func (m *Machine) Nominal(event int) time.Duration { return time.Duration(m.Clock.lag.nominal[event]) }

// noteDelay notes how late goroutines are when the clock moves on to target.
func (m *Machine) noteDelay(target int64) {
	longest := time.Duration(0)
	if n := len(m.Clock.lag.delays); n > 0 {
		longest = m.Clock.lag.delays[n-1].By
	}
	for _, g := range m.Goroutines {
		if by := time.Duration(target - g.nominal); g.State == stateReady && g.MayBeLate() && by > longest {
			longest = by
			m.Clock.lag.delays = append(m.Clock.lag.delays, Delay{m.current(), by})
		}
	}
}

// MayBeLate reports whether code of the program, or of the standard library, has to run for g to go
// on. So it is with the agent of a context: natively the goroutine that cancels the parent does
// what the agent does. The clock and the timers need no code, and by lag the clock moves on only
// after timers that have come due.
func (g *Goroutine) MayBeLate() bool { return !g.Pseudo || g.Origin.place <= firstAgent }

// rise says that a goroutine's nominal time has risen after event last, from before.
type rise struct {
	before int64
	last   int32
}

func (c *lagClock) reset() {
	c.nominal, c.fired = c.nominal[:0], c.fired[:0]
	c.firing, c.armed, c.delays = 0, -1, c.delays[:0]
}

// nearObject is the number of the set of near deadlines, as an object.
const nearObject = clockObject + 2

// reach says that what g does next comes after the nominal time t.
func (m *Machine) reach(g *Goroutine, t int64) {
	if t <= g.nominal || m.Time != TimeLag {
		return
	}
	if n := len(g.time.rises); g.last >= 0 && (n == 0 || g.time.rises[n-1].last != g.last) {
		t := g.times()
		t.rises = append(t.rises, rise{g.nominal, g.last})
	}
	g.nominal = t
}

// latestBefore returns the latest event of g with a nominal time before t, -1 if there
// is none.
func (g *Goroutine) latestBefore(t int64) int32 {
	if g.nominal < t {
		return g.last
	}
	for i := len(g.time.rises) - 1; i >= 0; i-- {
		if g.time.rises[i].before < t {
			return g.time.rises[i].last
		}
	}
	return -1
}

// earliest returns the earliest deadline that is of use.
func (m *Machine) earliest() (when int64, ok bool) {
	stuck := m.BubbleIsStuck()
	for i := range m.Clock.deadlines {
		if d := &m.Clock.deadlines[i]; m.counts(d) && !(stuck && d.owner().bubble) && (!ok || d.when < when) {
			when, ok = d.when, true
		}
	}
	return when, ok
}

// near reports whether there is a near deadline.
func (m *Machine) near() bool {
	when, ok := m.earliest()
	return ok && when-m.Clock.elapsed <= m.Lag
}

// readClock adds to g's accesses that it asks for the time.
func (m *Machine) readClock(g *Goroutine) {
	switch m.Time {
	case TimeAnyOrder:
		g.Op.TouchAlso(clockObject, trace.ModeAll)
	case TimeLag:
		g.Op.TouchAlso(clockObject, trace.ModeRead)
	}
}

// arms reports whether g, which is about to sleep or to ask for the time, sets a deadline,
// and in how much time that is.
func (g *Goroutine) arms() (d int64, ok bool) {
	switch {
	case g.Op.Kind == trace.OpSleep, g.Req.arg2 == toStart:
		return int64(g.Req.Arg), true
	case g.Req.arg2 == toAwait:
		return int64(g.Req.Arg) - g.M.Clock.elapsed, true
	}
	return 0, false
}

// describeArm adds to g's accesses in TimeLag that it sets a deadline, d from now.
func (m *Machine) describeArm(g *Goroutine, d int64) {
	g.Op.TouchAlso(clockObject, trace.ModeRead)
	switch {
	case d > m.Lag:
	case m.near():
		g.Op.TouchAlso(nearObject, trace.ModeRead)
	default:
		g.Op.TouchAlso(nearObject, trace.ModeWrite)
	}
}

// setDeadline adds a deadline.
func (m *Machine) setDeadline(d deadline) {
	m.Clock.Timed = m.Clock.Timed || !d.owner().bubble
	if m.Time == TimeLag && m.counts(&d) && d.when-m.Clock.elapsed <= m.Lag && !m.near() {
		m.Clock.lag.armed = m.current()
	}
	m.Clock.deadlines = append(m.Clock.deadlines, d)
}

// resetTicker notes that a value of the ticker t was taken, so that it ticks again.
func (m *Machine) resetTicker(t *TimerState) {
	for i, d := range m.Clock.deadlines {
		if d.t == t && !d.stopped {
			m.Clock.deadlines = append(m.Clock.deadlines[:i], m.Clock.deadlines[i+1:]...)
			m.setDeadline(d)
			return
		}
	}
}

// offerMove lets the clock's next move be pending, if there is one.
func (m *Machine) offerMove() {
	g := m.Clock.G
	g.State = StateWaiting
	m.pending.alter(g)
	if !m.canMove() {
		return
	}
	g.State, g.static = stateReady, true
	g.Op = trace.Op{G: clockID, Kind: trace.OpAdvance, Alts: 1, Obj: -1, Footprint: trace.LawfulFootprint, WaitsOnUses: true}
	g.Op.Touch(clockObject, trace.ModeWrite)
	g.Req.Obj = nil
}

func (m *Machine) canMove() bool {
	if m.Clock.lag.firing > 0 || m.Clock.Late == MostLate {
		return false
	}
	if when, ok := m.earliest(); ok && when-m.Clock.elapsed <= m.Lag {
		now := m.Clock.elapsed
		if m.Held {
			now = when
		}
		for _, g := range m.Goroutines {
			if g.State == stateReady && g != m.Clock.G && (g.bubble || g.nominal < now-m.Lag) {
				return false
			}
		}
		return true
	}
	for _, g := range m.Goroutines {
		if g.State == stateReady && g != m.Clock.G {
			return false
		}
	}
	return m.clockUseful() || m.onlyPolls()
}

// orderMove says what the clock's next move comes after, beside what it depends on.
func (m *Machine) orderMove() {
	g, before := m.Clock.G, int64(math.MaxInt64)
	g.order = append(g.order[:0], m.Clock.lag.fired...)
	if m.near() {
		before = m.Clock.elapsed - m.Lag
		if m.Clock.lag.armed >= 0 {
			g.order = append(g.order, m.Clock.lag.armed)
		}
	}
	for _, h := range m.Goroutines {
		if h == g {
			continue
		}
		upTo := before
		if h.bubble {
			upTo = math.MaxInt64
		}
		if ev := h.latestBefore(upTo); ev >= 0 && !slices.Contains(g.order, ev) {
			g.order = append(g.order, ev)
		}
	}
}

// moveOn performs the clock's move.
func (m *Machine) moveOn() {
	m.Clock.lag.nominal[m.current()] = -1
	if target, ok := m.earliest(); ok {
		m.noteDelay(target)
	}
	m.Clock.lag.fired, m.Clock.lag.armed = m.Clock.lag.fired[:0], -1
	if !m.near() && (m.clockUseful() || m.hangs()) && m.looksAgain() {
		m.Clock.G.State = StateWaiting
		m.lookAgain()
		return
	}
	m.Polling.relooks = 0
	if main := m.Goroutines[MainID]; main.State == StateEnded && (!m.near() || main.nominal < m.Clock.elapsed-m.Lag) {
		m.Clock.Late++
	}
	m.Clock.G.State = StateWaiting
	m.wakeUp()
}

// hasFired notes that a timer has fired, or that one that was stopped has not.
func (m *Machine) hasFired() {
	m.Clock.lag.firing--
	m.Clock.lag.fired = append(m.Clock.lag.fired, m.current())
}
