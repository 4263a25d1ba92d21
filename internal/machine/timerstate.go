package machine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gopor/gopor/sched/trace"
)

// deadline is a goroutine that sleeps, or a timer that will fire.
type deadline struct {
	when    int64
	g       *Goroutine // sleeps, if t is nil
	t       *TimerState
	told    int64 // by when g has slept, as it was told the time
	nominal int64 // in TimeLag, when it would be if code took no time
	stopped bool  // no goroutine waits for it any more, but time may pass up to it; t fires in vain
}

// owner returns the goroutine that sleeps, or that fires the timer.
func (d *deadline) owner() *Goroutine {
	if d.t != nil {
		return d.t.g
	}
	return d.g
}

// TimerState is a timer or ticker. Its firing is an event of a goroutine of its
// own, a child of the one that made the timer. A timer that was stopped when it
// was about to fire still has that event, which then does nothing: no event
// ever disables another.
type TimerState struct {
	header
	g      *Goroutine
	Period int64
	wait   int64         // duration it was last started with
	told   int64         // when it fires, by the time that its starter was told
	Ch     *ChanState    // what it sends on, or nil
	Put    func() int64  // makes the value to send
	Fn     func()        // what it runs in a goroutine of its own, or nil
	Ctx    *ContextState // the context that it cancels, or nil
	half   *HalfState    // the half of a socket with the deadline that passes, or nil
	node   *NodeState    // of which being cut off ends, or nil
	way    *WayState     // the direction of a connection with a delay that ends, or nil
	arg    int64         // handed to that goroutine as its result, for model programs
	armed  bool          // started, and neither fired nor stopped
	ticks  int32         // how often a ticker has fired since then
	gap    int64         // how long a ticker waits now until it fires again
	// polite says that a ticker lets the others go before it fires again: in any-order
	// time, where it could fire for ever.
	polite bool
	skip   bool // the firing that is pending belongs to an earlier start
	caught bool // a Stop or Reset may have come while it was sending: see timersending.go
	vain   bool // in TimeLag, it was stopped since it was last started
}

func (t *TimerState) reset()                { *t = TimerState{} }
func (t *TimerState) Kind() string          { return "timer" }
func (t *TimerState) blame(*Machine) string { return "" }

// assumes says what discrete time takes for granted of t.
func (t *TimerState) assumes() string {
	switch {
	case t.Ctx != nil:
		return "the deadline of a context"
	case t.half != nil:
		return "the deadline of a connection"
	case t.hasty():
		return fmt.Sprintf("a ticker of %v, most ticks of which are dropped", time.Duration(t.Period))
	case t.Period > 0:
		return "a ticker"
	}
	return "a timer"
}

// start arms t to fire after d, as something that goroutine g does.
func (m *Machine) startTimer(t *TimerState, g *Goroutine, d int64) {
	// By lag the clock may have moved on since g has asked, and has less time left than d.
	d = min(d, math.MaxInt64-m.Clock.elapsed)
	t.wait, t.armed, t.vain, t.told, t.ticks = max(0, d), true, false, -1, 0
	if g != nil && g.told >= 0 {
		t.told = m.toldAfter(g, t.wait)
	}
	switch {
	case g == nil:
	case t.g.State == StateWaiting:
		m.after(t.g, g)
	case m.Memory.Races != nil: // a firing that is pending already could come before this, too
		m.Memory.Races.local(t.g, g)
	}
	if m.Keys != nil && g != nil {
		m.Keys.local(t.g, g)
	}
	if m.Time != TimeAnyOrder {
		t.skip = t.g.State == stateReady
		d := deadline{when: m.Clock.elapsed + t.wait, t: t}
		if g != nil {
			d.nominal = g.nominal + t.wait
		}
		m.setDeadline(d)
		return
	}
	// Otherwise it is about to fire, or will be when the others have moved.
	if t.g.State == StateWaiting {
		m.armFire(t)
	}
}

// armFire publishes the firing of t.
func (m *Machine) armFire(t *TimerState) {
	t.g.Op.Kind, t.g.Req.Obj = trace.OpFire, t
	m.Post(t.g)
	m.Clock.lag.firing++
}

// rearm publishes the next tick of a ticker that has let the others go first.
func (m *Machine) rearm(g *Goroutine) { m.armFire(g.Req.Obj.(*TimerState)) }

// newTimer makes t, which has been admitted, a timer of g.
func (m *Machine) newTimer(g *Goroutine, t *TimerState) {
	if m.Parallel != nil {
		m.Parallel.Refuse(g, "a timer")
	}
	t.polite = m.Time == TimeAnyOrder && m.Model&ModelUnfair == 0
	t.g = m.Child(g)
	t.g.Pseudo = true
	t.g.State = StateWaiting
	if m.Keys != nil {
		m.Keys.born(t.g, g)
		if t.Fn != nil {
			m.Keys.hands(g, nil)
		}
	}
	t.g.Op.Kind, t.g.Req.Obj = trace.OpFire, t
	if t.Ch != nil {
		t.Ch.looked, t.Ch.timer = true, t
	}
}

func (t *TimerState) describe(m *Machine, g *Goroutine) bool {
	if t.Ctx != nil {
		return t.describeCancel(m, g)
	}
	if t.half != nil {
		return t.describeExpiry(m, g)
	}
	if t.way != nil {
		return t.describeArrival(m, g)
	}
	if t.node != nil {
		g.Op.Touch(trace.Everything, trace.ModeAll)
		return true
	}
	g.Op.Touch(t.ID, trace.ModeAll)
	if t.Ch != nil {
		g.Op.TouchAlso(t.Ch.ID, trace.ModeAll)
		if g.Op.Kind == trace.OpFire {
			t.Ch.touchSelects(g, front(&t.Ch.recvq))
		}
	}
	g.Op.Alts = 1
	if g.Op.Kind == trace.OpTimer && m.Model&ModelTimer != 0 && t.maySend() {
		g.Op.Alts = 2
	}
	switch {
	case m.Time != TimeLag:
	case g.Op.Kind == trace.OpFire && t.Period > 0:
		m.describeArm(g, 0)
	case g.Op.Kind == trace.OpTimer && g.Req.arg2 != 0:
		m.describeArm(g, int64(g.Req.Arg))
	case g.Op.Kind == trace.OpTimer && t.vain:
		m.readClock(g)
	}
	if m.Time == TimeAnyOrder {
		g.Op.TouchAlso(clockObject, trace.ModeAll)
		// A tick that is taken at once lets the others go before the next one. So
		// does a receive; to stop or reset the ticker is to take that from them.
		if t.polite && t.ticking() && (front(&t.Ch.recvq) != nil || g.Op.Kind == trace.OpTimer && t.Ch.reticks()) {
			g.Op.TouchAlso(trace.Everything, trace.ModeAll)
		}
	}
	return false
}

// ticking reports whether t is a ticker that will fire.
func (t *TimerState) ticking() bool { return t != nil && t.Period > 0 && t.armed }

// perform fires the timer, stops it, or with g.req.arg2 set starts it again.
// g.reply.ok says whether it was still going to fire, or sending by alternative 1, and
// g.reply.val is 1 if it could have been.
func (t *TimerState) perform(m *Machine, g *Goroutine, alt int32) {
	if g.Op.Kind == trace.OpFire {
		t.fire(m)
		return
	}
	t.catch(g, alt)
	// A ticker that has no room has no deadline that counts, so this comes before it has.
	again := g.Req.arg2 != 0
	m.dropDeadline(t, g, !again && !t.vain)
	t.vain = t.vain || t.armed
	g.Reply.Ok = t.outdated() || t.armed || alt == 1
	t.armed = false
	if again {
		if t.Period > 0 {
			t.Period = int64(g.Req.Arg)
		}
		m.startTimer(t, g, int64(g.Req.Arg))
	}
}

func (t *TimerState) fire(m *Machine) {
	t.g.State = StateWaiting
	if m.Time == TimeLag {
		m.hasFired()
	}
	if t.skip || !t.armed {
		t.skip = false
		return
	}
	if m.Time == TimeAnyOrder {
		m.elapse(t.wait)
	}
	t.g.told = max(t.g.told, t.told)
	if m.Clock.telling {
		m.Clock.told[m.current()] = t.g.told // for goroutines that this event grants something
	}
	t.armed = t.Period > 0
	if t.Ch != nil && t.hasRoom() {
		t.Ch.sends++
		t.Ch.send(m, t.g, message{val: t.Put(), ev: m.current()})
	}
	if t.Ctx != nil {
		t.Ctx.expire(m, t.g)
		return
	}
	if t.half != nil {
		t.half.expire(m)
		return
	}
	if t.way != nil {
		t.way.late(m, false)
		return
	}
	if t.node != nil {
		t.node.heal(m, t)
		return
	}
	if t.Ch == nil {
		kid := m.fork(t.g)
		kid.Origin.Body, kid.Reply.Val = t.Fn, t.arg
		m.Released = append(m.Released, kid)
	}
	if t.Period <= 0 {
		return
	}
	if t.told >= 0 {
		t.told += t.Period
	}
	if m.Time != TimeAnyOrder {
		wait := m.until(time.Duration(t.pace(m)))
		m.setDeadline(deadline{when: m.Clock.elapsed + wait, t: t, nominal: t.g.nominal + wait})
		return
	}
	if t.hasRoom() {
		m.tickAgain(t)
	}
}

// A ticker that ticks faster than code runs drops some ticks: they are not taken in time. One with
// a period below leastPeriod does so after evenPolls ticks, ever more, until it ticks every
// mostGap.
const (
	leastPeriod = pollTime
	mostGap     = time.Millisecond
)

// hasty reports whether t is such a ticker.
func (t *TimerState) hasty() bool { return t.Period > 0 && t.Period < int64(leastPeriod) }

// pace returns how long it is until t, which has just fired, does so again.
func (t *TimerState) pace(m *Machine) int64 {
	if t.ticks++; !t.hasty() || t.ticks <= evenPolls || m.Model&ModelUnfair != 0 {
		t.gap = t.Period
		return t.Period
	}
	t.gap = min(t.gap+max(1, t.gap/pollGrowth), int64(mostGap))
	return t.gap - t.gap%t.Period
}

// hasRoom reports whether a value that t sends now would go anywhere.
func (t *TimerState) hasRoom() bool {
	return len(t.Ch.buf) < t.Ch.Cap || front(&t.Ch.recvq) != nil
}

// tickAgain lets a ticker in any-order time fire once more, after the others.
func (m *Machine) tickAgain(t *TimerState) {
	if t.polite {
		m.yield(t.g)
	}
	if t.g.State != stateYielding {
		m.armFire(t)
	}
}

// reticks reports whether a receive from c would let its ticker, in any-order
// time, fire once more after the others have moved: then it depends on them all.
func (c *ChanState) reticks() bool {
	t := c.timer
	return t.ticking() && t.polite && t.g.State == StateWaiting && len(c.buf) > 0
}

// touchTicker adds to the accesses of g, which receives from c, that a ticker which sends
// there may tick again for that, in TimeLag.
func (c *ChanState) touchTicker(m *Machine, g *Goroutine) {
	if m.Time == TimeLag && c.timer.Period > 0 {
		m.describeArm(g, 0)
	}
}

// drained tells the timer of channel c that a value was taken.
func (c *ChanState) drained(m *Machine) {
	t := c.timer
	if m.Time == TimeLag && t.Period > 0 {
		m.resetTicker(t)
	}
	if m.Time == TimeAnyOrder && t.Period > 0 && t.armed && t.g.State == StateWaiting {
		m.edge(t.g, m.current())
		m.tickAgain(t)
	}
}

// dropDeadline takes away the deadline of t, which g stops or starts again. With vain set, by lag,
// t comes due all the same: then a Stop before the clock moves there and one after it differ in
// nothing. A deadline that is far for sure goes: when g can run, g is at most two lags late.
func (m *Machine) dropDeadline(t *TimerState, g *Goroutine, vain bool) {
	keep := m.Clock.deadlines[:0]
	for _, d := range m.Clock.deadlines {
		switch {
		case d.t != t:
		case m.Time != TimeLag || !d.useful():
			continue
		case vain && (d.when-g.nominal)/3 <= m.Lag:
			d.stopped = true
		case !vain && m.counts(&d) && d.when-m.Clock.elapsed <= m.Lag:
			d = deadline{when: d.when, stopped: true}
		default:
			continue
		}
		keep = append(keep, d)
	}
	m.Clock.deadlines = keep
}

// useful reports whether reaching d can change anything. A ticker only drops the next value if the
// last one was not taken, and the end of the clock never comes.
func (d *deadline) useful() bool {
	return d.when < math.MaxInt64 && (d.stopped || d.t == nil || d.t.Period == 0 || d.t.hasRoom())
}

// MostLate is how often time moves on after main has ended. A goroutine that still waits then will
// not come to an end, such as one that serves a ticker.
const MostLate = 100

// clockUseful reports whether a goroutine of the program waits, and moving virtual time on can
// change anything.
func (m *Machine) clockUseful() bool {
	if m.Clock.Late == MostLate {
		return false
	}
	alive := false
	for _, g := range m.Goroutines {
		if g.State == StateWaiting && !g.Pseudo {
			alive = true
			break
		}
	}
	if !alive {
		return false
	}
	stuck := m.BubbleIsStuck()
	for i := range m.Clock.deadlines {
		if d := &m.Clock.deadlines[i]; m.counts(d) && !(stuck && d.owner().bubble) {
			return true
		}
	}
	return false
}

// BubbleStands reports whether only that keeps the time of a bubble from moving on.
func (m *Machine) BubbleStands() bool {
	return m.BubbleIsStuck() && slices.ContainsFunc(m.Clock.deadlines, func(d deadline) bool { return d.owner().bubble && m.counts(&d) })
}

// BubbleIsStuck reports whether a goroutine in a bubble of testing/synctest waits for a lock, or
// for the network. Such a wait is none that lets the time of the bubble move on.
func (m *Machine) BubbleIsStuck() bool {
	return m.Clock.exact && slices.ContainsFunc(m.Goroutines, func(g *Goroutine) bool {
		if !g.bubble || g.State != StateWaiting {
			return false
		}
		switch g.Op.Kind {
		case trace.OpLock, trace.OpRLock, trace.OpDial, trace.OpAccept, trace.OpNetRead, trace.OpNetWrite, trace.OpReceiveFrom:
			return true
		}
		return false
	})
}

// prepareClock makes the clock's next operation: it comes after everything. What
// came before the clock's latest event needs no mention.
func (m *Machine) prepareClock() {
	g := m.Clock.G
	g.Op = trace.Op{G: clockID, Kind: trace.OpAdvance, Alts: 1, Obj: -1, WaitsOnUses: true}
	g.Req.Obj, g.static = nil, true
	g.order = g.order[:0]
	if !m.Clock.moved {
		m.Clock.since = slices.DeleteFunc(append(m.Clock.since[:0], m.Goroutines...), func(h *Goroutine) bool { return h.last < 0 })
	}
	slices.SortFunc(m.Clock.since, func(a, b *Goroutine) int { return cmp.Compare(a.ID, b.ID) })
	for _, h := range m.Clock.since {
		g.order = append(g.order, h.last)
	}
}

// advanceClock moves time to the earliest deadline that is of use, and wakes the goroutines and
// timers that have it. They may run in any order.
func (m *Machine) advanceClock() {
	if (m.clockUseful() || m.hangs()) && m.looksAgain() {
		m.lookAgain()
		return
	}
	m.Polling.relooks = 0
	if m.Goroutines[MainID].State == StateEnded {
		m.Clock.Late++
	}
	if m.repeatsForEver() {
		m.repeats.stuck = true
		return
	}
	m.passBy()
	m.wakeUp()
}

// onlyPolls reports whether there are goroutines that only poll, and the clock moves on
// for them. It does not when the limit of time is reached, after a last look of each.
func (m *Machine) onlyPolls() bool {
	return len(m.Polling.pollers) > 0 && m.Clock.Late < MostLate && (!m.hangs() || m.looksAgain())
}

// wakeUp moves time on to the earliest deadline that is of use, if there is one.
func (m *Machine) wakeUp() {
	target, ok := m.earliest()
	if !ok {
		m.wakePollers(0)
		return
	}
	before := m.Clock.elapsed
	m.Clock.elapsed = max(before, target)
	ev, nominal := m.current(), int64(0)
	keep := m.Clock.deadlines[:0]
	due := append([]deadline(nil), m.Clock.deadlines...)
	for _, d := range due {
		switch {
		case d.when > target:
			keep = append(keep, d)
		case d.stopped && (d.t == nil || d.when-before > m.Lag):
		case d.t == nil:
			m.resume(d.g, ev)
			m.reach(d.g, d.nominal)
			d.g.told = max(d.g.told, d.told)
			nominal = max(nominal, d.nominal)
			d.g.waitsNoMore()
		case !d.useful():
			d.when += (target - d.when + d.t.Period) / d.t.Period * d.t.Period
			keep = append(keep, d)
		default:
			if d.stopped && d.t.sendsInSteps() {
				d.t.caught = true // the Stop may have come right after this
			}
			m.follow(d.t.g, ev)
			m.reach(d.t.g, d.nominal)
			nominal = max(nominal, d.nominal)
			m.armFire(d.t)
		}
	}
	m.Clock.deadlines = keep
	m.wakePollers(nominal)
}

// sleep makes g wait for d.
func (m *Machine) sleep(g *Goroutine, d int64) {
	d = m.until(time.Duration(d))
	told := int64(-1)
	if g.told >= 0 {
		told = m.toldAfter(g, d)
	}
	if m.Time == TimeAnyOrder {
		m.elapse(d)
		g.told = max(g.told, told)
		return
	}
	g.State = StateWaiting
	m.setDeadline(deadline{when: m.Clock.elapsed + d, g: g, nominal: g.nominal + d, told: told})
}

// elapse moves any-order time on.
func (m *Machine) elapse(d int64) { m.Clock.elapsed += m.until(time.Duration(d)) }

// clockObject is the number of the object that time is where an event can move it: the
// one that bind would give to the first object of an execution.
const clockObject = 1

// A loop of rewritten code may make a timer in every turn, which is of no use when the turn is
// over:
//
//	for !done() {
//		select {
//		case <-changed:
//		case <-time.After(d):
//		}
//	}
//
// Where states are told apart, the loop makes one such timer in all turns, and starts it again. The
// program cannot tell the difference: a timer that is started again sends nothing of what it was to
// send before. Otherwise each turn would leave something behind, and no state would be met again.

// turnTimer is such a timer, by the place of the call that makes it.
type turnTimer struct {
	place uintptr
	timer any
}

// TurnTimer returns the timer that g has made at that place of a loop in an earlier turn, nil if it
// is to make one.
func (g *Goroutine) TurnTimer(place uintptr) any {
	for i := range g.loop.timers {
		if g.loop.timers[i].place == place {
			return g.loop.timers[i].timer
		}
	}
	return nil
}

// KeepTimer keeps the timer that g has made at that place for the turns to come. It does not if
// states are not told apart, or if timers are as before Go 1.23: there they send what is outdated.
func (g *Goroutine) KeepTimer(place uintptr, timer any) {
	if g.M.Keyed && !AsyncTimers {
		l := g.loops()
		l.timers = append(l.timers, turnTimer{place, timer})
	}
}

func (l *loop) forgetTimers() {
	clear(l.timers)
	l.timers = l.timers[:0]
}
