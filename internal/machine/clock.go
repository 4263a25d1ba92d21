package machine

import (
	"math"
	"time"

	"github.com/gopor/gopor/internal/monotonic"
	"github.com/gopor/gopor/sched/trace"
)

// A goroutine may wait for a time by asking for it again and again. After
// mostReadings of an unchanged time every further one takes a while, as it does on a
// real clock: see pace.
const mostReadings = 1000

// look is how long it takes to look at the clock, in nanoseconds, about as on a real clock. What
// expires in a nanosecond has done so at the next look. It is a prime number, so that a time that
// is left after some looks is hardly ever a whole number of microseconds.
const look = 31

// Now returns the time. It is an event where time can move at any moment, and for a goroutine that
// waits by asking. The time is later, by at least look, than all times that were told before in
// happens-before. In a bubble it may be the same: there time stands still while a goroutine can go
// on.
func (g *Goroutine) Now() time.Time {
	g.askTime()
	g.M.noteTold()
	g.told = max(g.M.Clock.elapsed, g.next(g.told))
	return g.tell(g.told)
}

// next returns what g is told after having been told t, if time has not moved on. That is no time
// before the clock has begun, which stands for none.
func (g *Goroutine) next(t int64) int64 {
	if g.bubble || t < 0 {
		return t
	}
	return t + look
}

// Beginning returns when the clock has begun, as g sees it.
func (g *Goroutine) Beginning() time.Time { return g.dateOf(0) }

// dateOf returns the moment t, which is in nanoseconds since the clock has begun, as a date. It is
// in the zone that package time gives its own dates in, and has a reading of the monotonic clock,
// but for those of bubbles, as natively.
func (g *Goroutine) dateOf(t int64) time.Time {
	date := g.M.Start.Add(g.shift + time.Duration(t)).In(time.Local)
	if n := g.Origin.node; n != nil {
		date = date.Add(n.skew)
	}
	if g.bubble {
		return date
	}
	return monotonic.In(date, BeforeStart+time.Duration(t))
}

// BeforeStart is what the monotonic clock reads when the clock begins: there was time before that,
// in which the packages of the program were initialised.
const BeforeStart = time.Second

// BubbleTime has the clock begin once more, at BubbleStart, for g and for the goroutines that g
// starts from now on. That is what it does in a bubble of testing/synctest. It is an event where
// time can move at any moment. Overdue is undone until the execution is over.
func (g *Goroutine) BubbleTime() {
	m := g.M
	if m.Time != TimeDiscrete {
		g.Acts()
		g.AskNumbers(trace.OpNow, nil, 0, toTell)
	}
	m.Clock.exact, g.bubble = true, true // MaxClock does not hold from here on, see limit.go
	g.shift, g.told = BubbleStart.Sub(m.Start)-time.Duration(m.Clock.elapsed), -1
	if m.Keys != nil {
		m.Keys.begins(g)
	}
}

// toldAfter returns the time that g, which has been told one, knows of when d has passed. When g is
// told the time next, d has passed since, and with Overdue more than d.
func (m *Machine) toldAfter(g *Goroutine, d int64) int64 {
	if g.bubble {
		return g.told + d
	}
	if !m.Overdue || m.Clock.exact {
		d = max(0, d-look)
	}
	return g.told + d
}

// Moment is Now for what is to happen in a while: it is the time that was told last, if time has
// not moved on. With quiet set the program does not learn the time, but only how long a while is.
func (g *Goroutine) Moment(quiet bool) time.Time {
	g.askTime()
	if t := max(g.M.Clock.elapsed, g.told); quiet {
		return g.dateOf(t)
	} else {
		return g.tell(t)
	}
}

// Written is Now for a time that is only written and, as far as is known, never looked at. It is
// not an operation, and takes nothing for granted.
func (g *Goroutine) Written() time.Time { return g.tell(max(g.M.Clock.elapsed, g.told)) }

// tell returns the time that g is told.
func (g *Goroutine) tell(t int64) time.Time {
	if g.M.Keys != nil {
		g.M.Keys.tells(g, t)
	}
	return g.dateOf(t)
}

// noteTold begins to note what time was told before which event. Before this, no goroutine has
// asked for the time.
func (m *Machine) noteTold() {
	if !m.Clock.telling {
		m.Clock.telling, m.Events.noted = true, true
		m.Clock.told = m.Clock.told[:0]
		for range m.Events.Count {
			m.Clock.told = append(m.Clock.told, -1)
		}
	}
}

func (g *Goroutine) askTime() {
	m, polls := g.M, g.loop.poll.run > 0 // or so it seems
	g.Acts()
	g.usesClock("time.Now")
	if m.Time != TimeDiscrete {
		g.AskNumbers(trace.OpNow, nil, 0, toTell)
	}
	t := g.times()
	t.asked = g.seq + 1
	switch {
	case t.readAt != m.Clock.elapsed:
		t.readAt, t.readings, t.pace = m.Clock.elapsed, 0, pace{}
	case t.readings < mostReadings || t.readings < mostReadings+mostAsked && m.atLimit():
		t.readings++
	default:
		m.Clock.AskedToLimit = m.Clock.AskedToLimit || m.atLimit()
		if g.seq != t.paced && !polls {
			t.pace = pace{} // it does something besides
		}
		g.Sleep(g.M.withinLimit(t.pace.advance()))
		t.readAt, t.paced = m.Clock.elapsed, g.seq
	}
}

// Date is the virtual time as a date, for g.
func (g *Goroutine) Date() time.Time { return g.dateOf(g.M.Clock.elapsed) }

// Date is the virtual time that t sends.
func (t *TimerState) Date(m *Machine) time.Time {
	return t.g.dateOf(max(m.Clock.elapsed, t.g.next(t.g.told)))
}

// whole rounds d up to the roundest number that d lacks something of, if g has asked for the time
// several times at one moment. By that, g was told a later time than the clock has, and d may lack
// as much. So what comes at the same time by intention does so.
func (g *Goroutine) whole(d time.Duration) time.Duration {
	asked := time.Duration(g.told - g.M.Clock.elapsed)
	if d < time.Microsecond || d%time.Microsecond == 0 {
		return d
	}
	for unit := time.Microsecond; unit < time.Hour; unit *= 10 {
		lacks := (unit - d%unit) % unit
		if lacks > asked || lacks > math.MaxInt64-d {
			break
		}
		d += lacks
	}
	return d
}

// Nap returns how long a sleep takes that is to take no time. Natively such a sleep takes a little.
// A goroutine may sleep so in a loop that ends with a timer. After Polls of these sleeps each one
// takes pollTime, so that the timer fires. Engines that tell states apart begin to count anew at
// the head of a loop that they recognise, as they do with looks: see [Goroutine.TurnAt].
func (g *Goroutine) Nap() time.Duration {
	if m := g.M; m.Clock.exact || m.Time == TimeAnyOrder {
		return 0
	}
	if g.time.naps < g.M.Polls {
		g.times().naps++
		return 0
	}
	return pollTime
}

func (g *Goroutine) Sleep(d time.Duration) {
	g.usesClock("time.Sleep")
	g.AskNumbers(trace.OpSleep, nil, uint64(g.whole(d)), 0)
	if g.M.Record {
		g.NoteResult(d)
	}
}

// Kinds of OpNow, in TimeLag: what the time is asked for.
const (
	toTell  = iota
	toStart // a timer, which fires after Arg nanoseconds
	toAwait // a moment, Arg nanoseconds from the beginning, at which a timer cancels x
)

// Start makes t, which g has filled in, a timer of g that fires after d.
func (t *TimerState) Start(g *Goroutine, d time.Duration) {
	if g.M.Time == TimeLag {
		g.AskNumbers(trace.OpNow, nil, uint64(g.M.until(d)), toStart)
	}
	t.StartAtOnce(g, d)
}

// TimeLeft returns how long it is until the moment end. If s is not cancelled by then, g
// is about to start a timer that cancels s then, by StartAtOnce. The time was now when g
// last asked.
func (g *Goroutine) TimeLeft(s *ContextState, end, now time.Time) time.Duration {
	if g.M.Time == TimeLag {
		g.Req.x = s
		g.AskNumbers(trace.OpNow, nil, uint64(end.Sub(g.Beginning())), toAwait)
		g.Req.x = nil
		now = g.dateOf(max(g.M.Clock.elapsed, g.told))
	}
	return end.Sub(now)
}

// StartAtOnce is Start for a goroutine that has just asked for the time by TimeLeft.
func (t *TimerState) StartAtOnce(g *Goroutine, d time.Duration) {
	m := g.M
	g.Acts()
	g.usesTimer(t)
	m.newTimer(g, t)
	m.startTimer(t, g, m.until(g.whole(d)))
	if g.M.Record {
		m.Exec.NoteTimer(g, d)
	}
}

// usesTimer notes what the model of time leaves out of t, which g starts.
func (g *Goroutine) usesTimer(t *TimerState) {
	g.usesClock(t.assumes())
	if t.Period > 0 && g.M.Time == TimeAnyOrder && g.M.Model&ModelUnfair == 0 {
		g.Usual(ModelUnfair, "a ticker that ticks again")
	}
}

// until returns d in nanoseconds, cut short at the end of the clock.
func (m *Machine) until(d time.Duration) int64 {
	if m.Keys != nil {
		m.Keys.lasts(int64(d))
	}
	return min(max(0, int64(d)), math.MaxInt64-m.Clock.elapsed)
}

// Control stops a timer or starts it again.
func Control(g *Goroutine, k *Key[TimerState], d time.Duration, again bool) (active bool) {
	t := Own(g.M, k)
	restart := uint64(0)
	if again {
		restart = 1
		g.usesTimer(t)
	}
	g.AskNumbers(trace.OpTimer, t, uint64(g.M.until(g.whole(d))), restart)
	if g.Reply.Val == 1 {
		g.Usual(ModelTimer, "a timer that was stopped or reset before, perhaps while it was sending")
	}
	if g.M.Record {
		text := "stop"
		if again {
			text = "reset " + d.String()
		}
		if !g.Reply.Ok {
			text += ": was not active"
		}
		g.NoteResult(text)
	}
	return g.Reply.Ok
}

// StartTime is when virtual time begins if [Config.Start] does not say otherwise. It is a moment as
// most are, when people run tests: no year, month, day, hour or second begins, and it is
// later than the dates that programs count from. Its parts are 3, 4, 5 and so on, so that one
// taken for another is seen.
var StartTime = time.Date(2026, 3, 4, 5, 6, 7, 89_101_112, time.UTC)

// BubbleStart is when time begins in a bubble of testing/synctest.
var BubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Settle waits until all other goroutines wait, in [TimeDiscrete], and lets g know all
// that those of bubbles have done. Time stands still.
func (g *Goroutine) Settle() {
	m := g.M
	m.Clock.Settled = true
	g.Sleep(0)
	for _, h := range m.Goroutines {
		if h != g && h.bubble && m.Memory.Races != nil {
			m.Memory.Races.local(g, h)
		}
		if h != g && m.Keys != nil {
			m.Keys.local(g, h)
		}
	}
}

// In discrete time the clock does not move on while a goroutine can run, since code takes no time.
// But a goroutine that goes round a loop for ever does take time. A search that recognises states
// sees that: it has come to states that lead to nothing but each other, whatever is chosen. There,
// and only there, it has the clock move on. So a goroutine that polls for what a sleeping one is to
// do is not in a livelock, and no look is left out that could have been in time.

// Patience tells whether the clock may move on although goroutines can run, if all of these have
// said that they are in a loop ([Goroutine.Turn]). It takes time in proportion to what is pending.
func (m *Machine) Patience() trace.Patience {
	if m.Time != TimeDiscrete || !m.clockUseful() {
		return trace.Impatient
	}
	p := trace.AtHeads
	for _, op := range m.Pending() {
		switch g := m.Goroutines[op.G]; {
		case g.loop.head == 0:
			return trace.Impatient
		case g.loop.head != g.seq+1:
			p = trace.InTurns
		}
	}
	return p
}

// ClockChoice is the choice by which the clock moves on.
var ClockChoice = trace.Choice{G: clockID}

// passBy orders what goroutines that can run do next after the clock's event: it has passed while
// they went round.
func (m *Machine) passBy() {
	for _, op := range m.pending.ops {
		m.follow(m.Goroutines[op.G], m.current())
	}
}
