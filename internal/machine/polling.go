package machine

import (
	"slices"
	"time"

	"github.com/gopor/gopor/sched/trace"
)

// This file has goroutines that wait by polling. A goroutine that does the same again and again,
// and finds nothing new, is taken for one that waits: its latest look is over when the clock moves
// on. So the clock moves on when all goroutines that could run only poll. Where no goroutine waits
// for a time, the clock moves on in no time, for the sake of polls that wait for each other.
// Whether a goroutine polls is a matter of what it has done itself.
//
// Before the clock moves on to a time that a goroutine waits for, the goroutines that poll look
// once more, in no time. Others may have done something since: see looksAgain.
//
// This leaves out what a loop would do that counts its turns, so it is noted.

// DefaultPolls is how many events in a row that repeat each other, with the same
// results, make a goroutine one that polls, after as many of any kind.
const DefaultPolls = 500

// longestLoop is how many events a turn of a loop that polls may have.
const longestLoop = 8

// A goroutine that asks for the time as it polls, or does nothing else, is told a later one every
// time. The time moves on by pollTime at first, and after evenPolls of these by a pollGrowth-th
// more each time.
const (
	pollTime   = 10 * time.Microsecond
	evenPolls  = 100
	pollGrowth = 8
)

// looks has the kinds of operations of which loops that poll may be made, and locks those among
// them that are not looks by themselves.
const (
	looks uint64 = locks | 1<<trace.OpLoad | 1<<trace.OpRead | 1<<trace.OpTryLock | 1<<trace.OpTryRLock |
		1<<trace.OpLen | 1<<trace.OpSelect | 1<<trace.OpRecv | 1<<trace.OpYield | 1<<trace.OpNow | 1<<trace.OpCtxErr |
		1<<trace.OpMap | 1<<trace.OpPool | 1<<trace.OpCAS | 1<<trace.OpSwap
	locks = requests | 1<<trace.OpUnlock | 1<<trace.OpRUnlock

	// A goroutine waits after no request: that may be granted at once or later, and what
	// comes of it is to be the same.
	requests = 1<<trace.OpLock | 1<<trace.OpRLock
)

// poll is what a goroutine has done lately.
type poll struct {
	signs  [longestLoop]uint64 // of its latest events
	period int32               // of the loop that it seems to be in, 0 for none
	run    int32               // how many events in a row have repeated the turn before
	looked int32               // its latest event that was a look, by number
	waits  bool                // for the clock, because it polls
	pace   pace
}

// pace is how fast time moves on for a goroutine that asks for it again and again.
type pace struct {
	times int32 // that it has moved on
	step  int64 // by which it has done so the last time
}

// Turn says that a turn of a loop begins: what g has done before does not count, by which it
// may seem to poll, if Turns is set.
func (g *Goroutine) Turn() {
	l := g.loops()
	l.head = g.seq + 1
	if g.M.Turns {
		l.poll, l.turn = poll{}, g.seq
		g.forgetNaps()
	}
}

// countsEvery is how many turns there are between two calls of Counts, and mostForgiven times Polls
// how many looks do not count for its sake.
const (
	countsEvery  = 64
	mostForgiven = 64
)

// tally is what a goroutine has had done when a loop has last said that it counts its turns.
type tally struct {
	turn     int
	seq      int32
	readings int
	forgiven int32 // how many looks have not counted, of the execution
}

// Counts says that g is in a loop that counts its turns, and that there have been 64 since the last
// time if it is the same loop. The looks of these turns count for nothing: the loop ends of itself.
// But a loop that polls may have such a one within, so that is not done for ever.
func (g *Goroutine) Counts(turn int) {
	p, was := &g.loops().poll, g.loop.tally
	g.loop.tally = tally{turn, g.seq, g.time.readings, was.forgiven}
	goesOn := turn-was.turn == countsEvery || was.turn-turn == countsEvery
	if !goesOn || g.M.Keyed || was.forgiven/mostForgiven >= g.M.Polls {
		return
	}
	if asked := g.time.readings - was.readings; asked > 0 {
		g.loop.tally.forgiven += int32(asked)
		g.times().readings, g.loop.tally.readings = was.readings, was.readings
	}
	if p.run > 0 && g.seq-p.looked < p.period && g.seq-was.seq >= countsEvery {
		g.loop.tally.forgiven += g.seq - was.seq
		g.loop.poll = poll{}
	}
}

// mayPoll reports whether g's next event may show that it polls.
func (g *Goroutine) mayPoll() bool {
	return g.loop.poll.run >= g.M.Polls-1 && looks>>g.Op.Kind&1 == 1
}

// describePoll adds to g's operation that its goroutine may wait for the clock.
func (m *Machine) describePoll(g *Goroutine) {
	g.Op.WaitsOnUses = false
	if m.Time == TimeLag {
		m.describeArm(g, 0)
		g.static, g.Op.Footprint = false, trace.LawfulFootprint
	}
}

// watchPoll notes g's latest event, and lets it wait if it polls.
func (m *Machine) watchPoll(g *Goroutine) {
	p := &g.loops().poll
	if g.loop.turn > 0 && g.seq-g.loop.turn <= m.Polls {
		return
	}
	sign, look := g.sign()
	if sign == 0 {
		p.period, p.run, p.pace, p.signs = 0, 0, pace{}, [longestLoop]uint64{}
		return
	}
	if look {
		p.looked = g.seq
	}
	if p.period == 0 || p.before(g.seq) != sign {
		p.run, p.pace = 0, pace{}
		p.period = longestLoop + 1
		if slices.Contains(p.signs[:], sign) { // mostly it does not
			for p.period = 1; p.before(g.seq) != sign; {
				p.period++
			}
		}
	}
	p.signs[g.seq%longestLoop] = sign
	if p.period > longestLoop {
		p.period = 0
		return
	}
	p.run++
	if requests>>g.Op.Kind&1 == 0 && g.Polls() && g.State == StateRunning && m.Time != TimeAnyOrder {
		m.waitAsPoll(g)
	}
}

// Polls reports whether g does the same again and again, and finds nothing new.
func (g *Goroutine) Polls() bool {
	p := &g.loop.poll
	if g.seq-p.looked >= p.period {
		return p.run >= g.M.LockPolls
	}
	return p.run >= g.M.Polls
}

// before returns the sign of the event a period before number seq.
func (p *poll) before(seq int32) uint64 { return p.signs[uint32(seq-p.period)%longestLoop] }

// noted tells which of g's latest events may be repeated by what comes next. A history does not say
// that a select has waited, but then the select is not a look.
func (g *Goroutine) noted() (events byte) {
	if g.seq <= g.M.Polls { // none was looked at
		return 0
	}
	for i := range longestLoop {
		if g.loop.poll.signs[uint32(g.seq-int32(i))%longestLoop] != 0 {
			events |= 1 << i
		}
	}
	return events
}

// sign returns a number for g's latest event and what has come of it, 0 if it is not part of a loop
// that polls. It is a look unless it only locks or unlocks.
func (g *Goroutine) sign() (sign uint64, look bool) {
	kind := g.Op.Kind
	if looks>>kind&1 == 0 || g.Reply.Fault != "" || kind == trace.OpNow && g.Req.arg2 != toTell {
		return 0, false
	}
	sign = uint64(kind) + 1
	add := func(x uint64) { sign = (sign ^ x) * prime }
	switch kind {
	case trace.OpNow:
		g.times().asked = g.seq + 1
	case trace.OpYield:
	case trace.OpTryLock, trace.OpTryRLock:
		if g.Reply.Ok {
			return 0, false
		}
		add(uint64(g.Reply.Val))
	case trace.OpSelect:
		if !g.findsNothing() {
			return 0, false
		}
		add(uint64(g.Reply.Chosen))
		for i := range g.Req.Cases {
			if ch := g.Req.Cases[i].Ch; ch != nil {
				add(uint64(ch.ID))
			}
		}
	case trace.OpRecv:
		// What is only closed gives the same before the close as after it, and both are one trace.
		if c, ok := g.Req.Obj.(*ChanState); !(ok && c.Signal) && !g.findsClosed() {
			return 0, false
		}
	case trace.OpLoad, trace.OpRead, trace.OpLen:
		add(uint64(g.Reply.Val))
	case trace.OpMap, trace.OpPool, trace.OpCAS, trace.OpSwap:
		f := g.finding()
		if !f.only {
			return 0, false
		}
		add(f.found)
	case trace.OpCtxErr:
		// The cause may be granted later, but not when it has been asked for before.
		add(uint64(g.Reply.Val))
		add(g.Req.Arg)
	}
	add(g.used())
	return sign | 1<<63, locks>>kind&1 == 0
}

// findsNothing reports whether g's latest event is a select that has found nothing. Such a select
// has taken its default, or received from a closed channel, which it may do for ever.
func (g *Goroutine) findsNothing() bool {
	i := int(g.Reply.Chosen)
	if i == len(g.Req.Cases) {
		return g.Req.Arg == 1
	}
	return g.State == StateRunning && i < len(g.Req.Cases) && !g.Req.Cases[i].Send && !g.Reply.Ok
}

// findsClosed reports whether g's latest event, which is a receive, has found a closed channel at
// once. It may do so for ever.
func (g *Goroutine) findsClosed() bool {
	return !g.Reply.Ok && (g.State != StateWaiting || g.loop.poll.waits)
}

// used returns a number for what g's latest event has used. Memory goes by its address:
// how it is divided into objects is another matter in every execution of a trace.
func (g *Goroutine) used() uint64 {
	if _, ok := g.Req.Obj.(*Block); ok {
		return uint64(uintptr(g.Req.Mem.P))<<8 ^ uint64(g.Req.Mem.size)
	}
	return uint64(uint32(g.Op.Obj))
}

// Did returns a number for g's latest event, op, and what has come of it, and whether that was a
// look at what others may change. The number is known unless the event made something, or handed on
// values. Values are known in a loop of rewritten code: they follow from what a turn begins with
// and has come upon.
func (g *Goroutine) Did(op *trace.Op) (sign uint64, look, known bool) {
	kind := op.Kind
	if kind == trace.OpRecv && g.ticked {
		// That time passes is nothing new.
		return (uint64(kind)<<32 ^ uint64(uint32(op.Obj))) + 1, false, true
	}
	if kind == trace.OpMap || kind == trace.OpPool {
		sign = (uint64(kind)<<32^uint64(uint32(op.Obj)))*prime ^ g.loop.found.found
		return sign + 1, g.loop.found.only, g.loop.found.known
	}
	passes := kind == trace.OpSend || kind == trace.OpRecv && !g.findsClosed()
	if passes && !g.loop.round || !passes && (looks|changes)>>kind&1 == 0 || g.Reply.Fault != "" {
		return 0, false, false
	}
	sign = uint64(kind)
	if kind == trace.OpNow {
		return sign, true, true // nor is a later time new
	}
	reply := uint64(g.Reply.Val)
	if passes {
		reply = 0 // where the value is kept
	}
	for _, x := range [...]uint64{uint64(uint32(op.Obj)), reply, g.Reply.left, uint64(g.Reply.Chosen)} {
		sign = (sign ^ x) * prime
	}
	if g.Reply.Ok {
		sign++
	}
	if g.loop.round {
		sign = (sign ^ g.loop.began) * prime
	}
	asks := kind == trace.OpSleep && g.seq-g.time.paced <= 1 // for the time
	swaps := kind == trace.OpSwap && !g.loop.found.only
	return sign, asks || !swaps && !passes && (looks&^locks)>>kind&1 == 1, true
}

// prime is that of FNV-1a.
const prime = 1099511628211

// changes has kinds of operations beside looks that leave behind a number, or nothing.
const changes = 1<<trace.OpTimer | 1<<trace.OpStore | 1<<trace.OpWrite | 1<<trace.OpAdd | 1<<trace.OpSwap | 1<<trace.OpUpdate | 1<<trace.OpCAS | 1<<trace.OpAnd |
	1<<trace.OpOr | 1<<trace.OpSleep | 1<<trace.OpAdvance | 1<<trace.OpFire

// waitAsPoll lets g, which performs the present event, wait until the clock moves on.
func (m *Machine) waitAsPoll(g *Goroutine) {
	p := &g.loop.poll
	// If it has never asked, asked is 0, and no turn is as long as what came before it polls.
	asks := g.seq-g.time.asked < p.period
	if asks && m.atLimit() {
		if p.pace.times < m.overtime() {
			p.pace.times++
			return
		}
		m.Clock.AskedToLimit = true
	}
	g.State, p.waits = StateWaiting, true
	g.Usual(ModelUnfair, "a loop that polls")
	if !asks {
		m.Polling.pollers = append(m.Polling.pollers, g)
		return
	}
	d := m.until(m.withinLimit(p.pace.advance()))
	m.setDeadline(deadline{when: m.Clock.elapsed + d, g: g, nominal: g.nominal + d, told: -1})
}

// advance returns by how much time moves on for a goroutine that asks for it again and
// again.
func (p *pace) advance() int64 {
	if p.times++; p.times <= evenPolls {
		p.step = int64(pollTime)
	} else {
		p.step = min(p.step+p.step/pollGrowth, int64(24*time.Hour))
	}
	return p.step
}

// wakePollers lets the goroutines that poll go on, after the clock has moved to a time that
// nominally is no earlier than nominal.
func (m *Machine) wakePollers(nominal int64) {
	for _, g := range m.Polling.pollers {
		m.resume(g, m.current())
		m.reach(g, nominal)
		g.waitsNoMore()
	}
	m.Polling.pollers = m.Polling.pollers[:0]
	m.wakeAwaiting()
}

// looksAgain reports whether the goroutines that poll are to look before the clock moves on. No
// other goroutine can go on, but another has done something since they have all made a turn. A
// round is one look of each, so there are as many rounds as their longest turn has events. A
// goroutine that has something to do then, and polls afterwards, has all of them look once more. If
// that comes to pass more often than there are goroutines, they are in a loop with one another, and
// that takes time.
func (m *Machine) looksAgain() bool {
	if m.Time == TimeDiscrete && len(m.pending.ops) > 0 {
		return false // time passes in spite of them
	}
	longest := int32(0)
	for _, g := range m.Polling.pollers {
		longest = max(longest, g.loop.poll.period)
	}
	for i := range m.Clock.deadlines {
		if d := &m.Clock.deadlines[i]; d.polls() {
			longest = max(longest, d.g.loop.poll.period)
		}
	}
	if m.Polling.rounds >= longest {
		return false
	}
	alive := int32(0)
	for _, g := range m.Goroutines {
		if g.State != StateUnborn && !g.Pseudo {
			alive++
		}
	}
	return m.Polling.relooks <= alive
}

// polls reports whether d is that of a goroutine that polls, and asks for the time as it does.
func (d *deadline) polls() bool { return d.t == nil && !d.stopped && d.g.loop.poll.waits }

// lookAgain lets the goroutines that poll look once more, at the present time.
func (m *Machine) lookAgain() {
	if m.Polling.rounds == 0 {
		m.Polling.relooks++
	}
	m.Polling.rounds++
	keep := m.Clock.deadlines[:0]
	for _, d := range m.Clock.deadlines {
		if !d.polls() {
			keep = append(keep, d)
			continue
		}
		d.g.waitsNoMore()
		m.resume(d.g, m.current())
	}
	m.Clock.deadlines = keep
	m.wakePollers(0)
}

// isNews reports whether g's latest event may be new to the goroutines that poll: g does not poll
// itself, and has done more than look since a turn began.
func (m *Machine) isNews(g *Goroutine) bool {
	return g != m.Clock.G && !g.Polls() && len(g.loop.turns.heads) == 0
}
