package machine

import (
	"bytes"
	"slices"
	"unsafe"

	"github.com/gopor/gopor/internal/asbytes"
	"github.com/gopor/gopor/sched/trace"
)

// AppendKey is as of [trace.Keyed], of the state in which all goroutines have stopped. With cut set
// the execution ends here, whatever is pending.
func (k *Keys) AppendKey(b []byte, cut bool) ([]byte, error) {
	m := k.m
	k.cut = cut
	b = asbytes.Number(k.time(b), int64(m.Clock.Late))
	b = asbytes.Number(asbytes.Number(b, int64(m.Polling.rounds)), int64(m.Polling.relooks))
	for _, f := range m.Failures {
		b = append(asbytes.Number(append(b, byte(f.Kind)), int64(f.G)), f.Msg...)
	}
	for _, g := range m.Goroutines {
		if g.State != StateUnborn && g != m.Clock.G {
			b = k.goroutine(b, g)
		}
	}
	k.lines = k.lines[:0]
	for i, o := range m.Store.Objects {
		k.line(func(b []byte) []byte {
			if k.Local != nil {
				b = asbytes.Number(b, int64(i))
			} else {
				b = k.users(b, o)
			}
			if k.OmitObject == i+1 {
				return b
			}
			return o.appendKey(k, b)
		})
	}
	for i := range m.Clock.deadlines {
		d := &m.Clock.deadlines[i]
		k.line(func(b []byte) []byte { return k.deadline(append(b, 'd'), d) })
	}
	for _, g := range m.Polling.pollers {
		k.line(func(b []byte) []byte { return asbytes.Number(append(b, 'p'), int64(g.ID)) })
	}
	// In whatever order the objects were met, they are the same.
	slices.SortFunc(k.lines, bytes.Compare)
	for _, line := range k.lines {
		b = append(asbytes.Number(b, int64(len(line))), line...)
	}
	switch {
	case k.unnamed != "":
		return b, trace.Unkeyed("%s", k.unnamed)
	case k.renamed:
		return b, trace.ErrRenamed
	}
	return b, nil
}

// line adds a line to those that have no order.
func (k *Keys) line(f func(b []byte) []byte) {
	n := len(k.lines)
	if n < cap(k.lines) {
		k.lines = k.lines[:n+1]
	} else {
		k.lines = append(k.lines, nil)
	}
	k.lines[n] = f(k.lines[n][:0])
}

// lacks says that something has no name.
func (k *Keys) lacks(what string) { k.unnamed = what }

func (k *Keys) goroutine(b []byte, g *Goroutine) []byte {
	kind := g.Op.Kind
	if g.State == StateEnded {
		kind = trace.OpNone // it may have had none, and an execution before another one
	}
	b = append(asbytes.Number(append(b, 'g'), int64(g.ID)), byte(g.State), byte(kind))
	if k.OmitGoroutine == g.ID && g.ID != 0 {
		return b
	}
	if k.Local != nil {
		if !g.Pseudo {
			b = k.Local(b, g)
		}
	} else {
		b = g.past.local.append(b)
		b = asbytes.Number(b, int64(len(g.past.inbox)))
		for _, id := range g.past.inbox {
			b = id.append(b)
		}
	}
	b = k.moment(b, g.told)
	b = asbytes.Number(asbytes.Number(b, int64(g.Waits.Tickets)), int64(len(g.Waits.notices)))
	for _, n := range g.Waits.notices {
		b = k.event(asbytes.Number(b, int64(n.ticket)), n.by)
	}
	for i := len(g.Waits.credits) - 1; i >= 0; i-- { // in the order in which they are given
		if c := &g.Waits.credits[i]; c.n > 0 {
			b = asbytes.Number(k.name(append(b, 'c'), c.wg), c.n)
		}
	}
	if g.Origin.inherit != nil {
		b = k.name(append(b, 'i'), g.Origin.inherit)
	}
	if g.State == stateYielding {
		for _, id := range g.Waits.others {
			b = asbytes.Number(append(b, 'y'), int64(id))
		}
	}
	if g.past.looped || g.past.turned {
		b = g.past.calls.append(b)
		for _, pc := range g.Waits.sites {
			b = asbytes.Number(append(b, 's'), int64(pc))
		}
		if g.past.looped || g.time.asked != 0 {
			b = k.readings(b, g)
		}
	}
	if g.State == StateWaiting && g.Op.Kind == trace.OpCancel {
		b = asbytes.Truth(b, g.Reply.Ok) // it is known already what the call comes to
	}
	p := &g.loop.poll
	if b = append(b, g.noted()); p.run > 0 || p.waits {
		b = asbytes.Number(asbytes.Truth(b, p.waits), int64(p.run))
	}
	if g.time.naps > 0 {
		b = asbytes.Number(append(b, 'n'), int64(g.time.naps))
	}
	return append(b, ';')
}

// users appends by which names o is known.
func (k *Keys) users(b []byte, o Object) []byte {
	e := k.object(o)
	slices.SortFunc(e.uses, func(a, b keyUse) int { return int(a.g - b.g) })
	b = asbytes.Number(b, int64(len(e.uses)))
	for _, u := range e.uses {
		b = u.name.append(asbytes.Number(b, int64(u.g)))
	}
	if !k.Tracked {
		b = e.carried.append(b)
	}
	return b
}

// name appends which object o is.
func (k *Keys) name(b []byte, o Object) []byte {
	if k.Local != nil {
		return asbytes.Number(b, int64(o.Head().ID))
	}
	e := k.object(o)
	if len(e.uses) == 0 {
		return append(b, 0)
	}
	least := e.uses[0]
	for _, u := range e.uses {
		if u.g < least.g {
			least = u
		}
	}
	return least.name.append(b)
}

// event appends what goroutines that come after an event learn from it: the time that its goroutine
// was told, and what the event conveys of a history.
func (k *Keys) event(b []byte, ev int32) []byte {
	if ev >= 0 && k.m.Clock.telling {
		b = k.moment(b, k.m.Clock.told[ev])
	}
	if k.Tracked || k.Local != nil || ev < 0 || int(ev) >= len(k.conveyed) {
		return append(b, '-')
	}
	return k.conveyed[ev].append(b)
}

// anyOrder appends events if their order does not matter. Nor does it matter how many of them
// convey the same: a goroutine that looks under a read lock again and again gives the lock back as
// often.
func (k *Keys) anyOrder(b []byte, evs []int32) []byte {
	if k.m.Clock.telling {
		latest := int64(-1)
		for _, ev := range evs {
			latest = max(latest, k.m.Clock.told[ev])
		}
		b = k.moment(b, latest)
	}
	if k.Tracked || k.Local != nil {
		return b
	}
	ids := make([]identity, 0, len(evs))
	for _, ev := range evs {
		if int(ev) < len(k.conveyed) {
			ids = append(ids, k.conveyed[ev])
		}
	}
	slices.SortFunc(ids, compareIdentity)
	ids = slices.Compact(ids)
	b = asbytes.Number(b, int64(len(ids)))
	for _, id := range ids {
		b = id.append(b)
	}
	return b
}

func appendGs(b []byte, gs []*Goroutine) []byte {
	b = asbytes.Number(b, int64(len(gs)))
	for _, g := range gs {
		b = asbytes.Number(b, int64(g.ID))
	}
	return b
}

func appendID(b []byte, g *Goroutine) []byte {
	if g == nil {
		return append(b, '-')
	}
	return asbytes.Number(append(b, 'g'), int64(g.ID))
}

func (k *Keys) deadline(b []byte, d *deadline) []byte {
	if !k.OmitTime {
		b = k.moment(b, d.when)
	}
	b = appendID(asbytes.Truth(b, d.stopped), d.g)
	if d.t != nil {
		b = appendID(b, d.t.g)
	}
	return k.moment(b, d.told)
}

func (c *cell) appendKey(k *Keys, b []byte) []byte {
	return asbytes.Number(append(b, 'n'), int64(c.bits))
}

func (s *VarState[T]) value() any { return s.V }

func (s *VarState[T]) appendKey(k *Keys, b []byte) []byte {
	switch {
	case k.m.Races == RaceExplore:
		return k.value(s.V, k.object(s).by).append(append(b, 'v'))
	case k.Tracked:
		k.lacks("a variable whose accesses are not explored, where goroutines promise to share none")
	}
	return append(b, 'v')
}

func (s *Slot) value() any { return s.v }

func (s *Slot) appendKey(k *Keys, b []byte) []byte {
	return k.value(s.v, k.object(s).by).append(append(b, 's'))
}

func (s *MutexState) appendKey(k *Keys, b []byte) []byte {
	b = appendGs(asbytes.Number(append(b, 'm'), int64(s.Owner)), s.queue)
	if s.Owner >= 0 { // the next owner sees a later release
		return b
	}
	return k.event(b, s.released)
}

func (s *RwState) appendKey(k *Keys, b []byte) []byte {
	b = asbytes.Number(asbytes.Truth(append(b, 'r'), s.muddled), int64(s.Writer))
	// The order in which readers were let in matters only if a goroutine gives up the lock of
	// another.
	readers := s.Readers
	if !s.muddled {
		readers = slices.Clone(readers)
		slices.Sort(readers)
	}
	b = asbytes.Number(b, int64(len(readers)))
	for _, id := range readers {
		b = asbytes.Number(b, int64(id))
	}
	b = asbytes.Number(b, int64(len(s.queue)))
	for _, w := range s.queue {
		b = asbytes.Truth(asbytes.Number(b, int64(w.g.ID)), w.write)
	}
	if s.Writer >= 0 { // the next owner sees a later release
		return b
	}
	return k.anyOrder(k.event(b, s.released), s.unshared)
}

func (c *ChanState) appendKey(k *Keys, b []byte) []byte {
	if c.Signal {
		// Its context says whether it is closed. How many goroutines have looked at it makes no
		// difference.
		return k.waiters(k.event(append(b, 'S'), c.closer), c, c.recvq)
	}
	b = asbytes.Truth(asbytes.Truth(append(b, 'c'), c.Closed), c.looked)
	b = asbytes.Number(asbytes.Number(asbytes.Number(b, int64(c.Cap)), int64(min(int(c.passed), c.Cap))), int64(len(c.buf)))
	if !c.looked { // else everything depends on everything, whichever send or receive it is
		b = asbytes.Number(asbytes.Number(b, int64(c.sends)), int64(c.recvs))
	}
	for _, msg := range c.buf {
		if at, is := c.tick(msg); is {
			b = asbytes.Number(b, at-k.m.Clock.elapsed)
		} else {
			b = k.message(c, msg).append(b)
		}
		b = k.event(b, msg.ev)
	}
	b = k.waiters(b, c, c.sendq)
	b = k.waiters(b, c, c.recvq)
	b = k.event(b, c.closer)
	for _, ev := range c.taken[min(len(c.taken), max(0, int(c.passed)-c.Cap)):] {
		b = k.event(b, ev)
	}
	return b
}

func (k *Keys) waiters(b []byte, c *ChanState, q []waiter) []byte {
	b = append(b, 'q')
	for i := range q {
		if w := &q[i]; !w.stale() {
			b = asbytes.Number(asbytes.Number(append(b, 'w'), int64(w.g.ID)), int64(w.which))
			if c.values == nil {
				b = asbytes.Number(b, w.val)
			}
		}
	}
	return b
}

func (s *WgState) appendKey(k *Keys, b []byte) []byte {
	b = asbytes.Truth(asbytes.Truth(asbytes.Truth(append(b, 'w'), s.waited), s.loose), s.muddled)
	b = asbytes.Number(asbytes.Number(asbytes.Number(b, s.Count), s.waiting), int64(s.semaphore))
	b = appendID(appendGs(b, s.waiters), s.waiter)
	return k.anyOrder(b, s.dones)
}

func (s *CondState) appendKey(k *Keys, b []byte) []byte {
	b = append(b, 'C')
	for _, w := range s.waiters {
		b = asbytes.Truth(asbytes.Number(asbytes.Number(append(b, 'w'), int64(w.g.ID)), int64(w.ticket)), w.waits)
	}
	return b
}

func (s *OnceState) appendKey(k *Keys, b []byte) []byte {
	b = k.moment(asbytes.Truth(asbytes.Truth(append(b, 'o'), s.Entered), s.Done), s.told)
	return k.anyOrder(appendGs(appendID(b, s.by), s.waiters), s.doneAt)
}

func (s *opaqueState) appendKey(k *Keys, b []byte) []byte { return append(b, 'x') }

func (s *Census) appendKey(k *Keys, b []byte) []byte { return append(b, 'G') }

func (t *TimerState) appendKey(k *Keys, b []byte) []byte {
	// Whether a firing is to be skipped is told by the deadline: no other one has one, as time
	// stands still until it has come.
	b = asbytes.Truth(asbytes.Truth(asbytes.Truth(append(b, 't'), t.armed), t.polite), t.caught)
	b = k.moment(asbytes.Number(asbytes.Number(b, t.Period), t.wait), t.told)
	if t.hasty() { // else it has no other gap than its period
		b = asbytes.Number(asbytes.Number(b, int64(min(t.ticks, evenPolls+1))), t.gap)
	}
	if t.Ctx != nil {
		b = k.name(append(b, 'x'), t.Ctx)
	}
	return appendID(b, t.g)
}

// noted says that g is about to use memory. The value of a number is known. Other contents go by
// the event that has written them, if all operations use the same bytes.
func (b *Block) noted(k *Keys, g *Goroutine) {
	o := g.Req.Mem
	b.start = o.P
	if b.forms |= 1 << o.form; len(o.pieces) != 1 || o.size != b.size || o.form == FormCode {
		k.lacks("memory of which several operations use different parts")
	}
}

func (b *Block) appendKey(k *Keys, key []byte) []byte {
	key = append(key, 'M', b.forms, byte(b.size))
	if b.forms == 1<<formNumber {
		return append(key, unsafe.Slice((*byte)(b.start), b.size)...)
	}
	return k.writtenBy(k.object(b).by).append(key)
}

func (n *NodeState) appendKey(k *Keys, b []byte) []byte {
	k.lacks("a node")
	return b
}
