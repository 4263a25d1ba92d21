package machine

import "github.com/gopor/gopor/sched/trace"

// CondState is a condition variable: the calls of Wait that go on, longest first.
type CondState struct {
	header
	waiters []condWaiter
	first   firstUse
}

// condWaiter is one call of Wait. A goroutine may be in several calls at a time, if
// the Unlock of one waits by a condition variable of its own.
type condWaiter struct {
	g      *Goroutine
	ticket int32 // the number of the call among the goroutine's
	waits  bool  // it has unlocked
}

// notice says that a Signal or Broadcast, event number by, has reached a call of
// Wait that had not unlocked yet.
type notice struct {
	ticket, by int32
}

func (s *CondState) reset()                { s.waiters, s.first = s.waiters[:0], firstUse{} }
func (s *CondState) Kind() string          { return "Cond" }
func (s *CondState) blame(*Machine) string { return "" }

func (s *CondState) describe(m *Machine, g *Goroutine) bool {
	g.Op.Touch(s.ID, trace.ModeAll)
	return true
}

func (s *CondState) perform(m *Machine, g *Goroutine, alt int32) {
	switch g.Op.Kind {
	case trace.OpCondAdd:
		g.waiting().Tickets++
		s.waiters = append(s.waiters, condWaiter{g: g, ticket: g.Waits.Tickets})
	case trace.OpSignal:
		g.Reply.Ok = len(s.waiters) > 0 // it wakes others
		if g.Reply.Ok {
			s.notify(m, s.waiters[0])
			s.waiters = append(s.waiters[:0], s.waiters[1:]...)
		}
	case trace.OpBroadcast:
		g.Reply.Ok = len(s.waiters) > 0
		for _, w := range s.waiters {
			s.notify(m, w)
		}
		s.waiters = s.waiters[:0]
	}
}

// notify reaches w whether it waits already or is still about to unlock. What it
// does after the unlock comes after the notification; the unlock need not.
func (s *CondState) notify(m *Machine, w condWaiter) {
	g := w.g
	if w.waits {
		m.grant(g, m.current())
		return
	}
	k := g.waiting()
	k.notices = append(k.notices, notice{w.ticket, m.current()})
}

// CondWait makes g, which has been added to s with that ticket and has unlocked its lock, wait
// until it is notified. That is not an event: OpCondAdd has made the request.
func (s *CondState) CondWait(m *Machine, g *Goroutine, ticket int32) (waits bool) {
	for i, n := range g.Waits.notices {
		if n.ticket == ticket {
			m.edge(g, n.by)
			g.Waits.notices = append(g.Waits.notices[:i], g.Waits.notices[i+1:]...)
			return false
		}
	}
	for i := range s.waiters {
		if w := &s.waiters[i]; w.g == g && w.ticket == ticket {
			w.waits = true
		}
	}
	g.Op.Kind, g.Req.Obj = trace.OpCondAdd, s
	g.State = StateWaiting
	return true
}

// OnceState lets one caller in, and the others wait until it is done.
type OnceState struct {
	header
	Entered bool
	Done    bool
	by      *Goroutine
	doneAt  []int32 // what the end of the call comes after
	nominal int64   // nominal time of that end, see lagclock.go: no event tells it
	told    int64   // the latest time that the caller was told or waited for, as in Goroutine
	waiters []*Goroutine
}

func (s *OnceState) reset() {
	s.Entered, s.Done, s.by = false, false, nil
	s.doneAt, s.waiters = s.doneAt[:0], s.waiters[:0]
	s.nominal, s.told = 0, -1
}

func (s *OnceState) Kind() string { return "Once" }

func (s *OnceState) blame(m *Machine) string {
	if s.by == nil {
		return "whose function runs in the one that it was copied from"
	}
	return "whose function " + m.NameOf(s.by) + " runs"
}

func (s *OnceState) describe(m *Machine, g *Goroutine) bool {
	mode := trace.ModeLater
	if !s.Entered {
		mode = trace.ModeFirst
	}
	g.Op.Touch(s.ID, mode)
	return s.Entered
}

// perform sets g.reply.ok for the caller that has to run the function.
func (s *OnceState) perform(m *Machine, g *Goroutine, alt int32) {
	switch {
	case !s.Entered:
		s.Entered, s.by = true, g
		g.Reply.Ok = true
	case s.Done:
		g.Reply.Ok = false
		for _, ev := range s.doneAt {
			m.edge(g, ev)
		}
		m.reach(g, s.nominal)
		g.told = max(g.told, s.told)
		if m.Memory.Races != nil {
			m.Memory.Races.acquire(s.ID, g)
		}
		if m.Keys != nil {
			m.Keys.acquire(s.ID, g)
		}
	default:
		g.Reply.Ok = false
		g.State = StateWaiting
		s.waiters = append(s.waiters, g)
	}
}

// finish lets the goroutines in that wait, after all that the caller g has done.
func (s *OnceState) finish(m *Machine, g *Goroutine) {
	s.Done = true
	s.doneAt = append(append(s.doneAt[:0], g.order...), g.last)
	s.nominal, s.told = g.nominal, g.told
	if m.Memory.Races != nil {
		m.Memory.Races.release(s.ID, g)
	}
	if m.Keys != nil {
		m.Keys.publish(s.ID, g)
	}
	for _, w := range s.waiters {
		m.after(w, g)
		m.release(w)
	}
	s.waiters = s.waiters[:0]
}

// opaqueState is an object of which all uses depend on each other.
type opaqueState struct{ header }

func (s *opaqueState) reset()                                      {}
func (s *opaqueState) Kind() string                                { return "object" }
func (s *opaqueState) blame(*Machine) string                       { return "" }
func (s *opaqueState) perform(m *Machine, g *Goroutine, alt int32) {}

func (s *opaqueState) describe(m *Machine, g *Goroutine) bool {
	g.Op.Touch(s.ID, trace.ModeAll)
	return true
}

// Finish says that g has returned from the function of a Once.
func (g *Goroutine) Finish(s *OnceState) {
	if g.M.Closing {
		return
	}
	mu := g.M.hold(s)
	s.finish(g.M, g)
	letGo(mu)
	g.M.Exec.Advance()
}
