package sched

import (
	"github.com/gopor/gopor/sched/trace"
)

// condState is a condition variable: those who wait, longest first.
type condState struct {
	header
	waiters []condWaiter
}

// condWaiter is one call of Wait. A goroutine may be in several calls at a time, if
// the Unlock of one waits by a condition variable of its own.
type condWaiter struct {
	g      *goroutine
	ticket int32 // the number of the call among the goroutine's
}

// notice says that a Signal or Broadcast, event number by, has reached a call of
// Wait that had not unlocked yet.
type notice struct {
	ticket, by int32
}

func (s *condState) reset()                { s.waiters = s.waiters[:0] }
func (s *condState) kind() string          { return "Cond" }
func (s *condState) blame(*Machine) string { return "" }

func (s *condState) describe(m *Machine, g *goroutine) bool {
	g.op.Touch(s.id, trace.ModeAll)
	return true
}

func (s *condState) perform(m *Machine, g *goroutine, alt int32) {
	switch g.op.Kind {
	case trace.OpCondAdd:
		g.tickets++
		s.waiters = append(s.waiters, condWaiter{g, g.tickets})
	case trace.OpSignal:
		if len(s.waiters) > 0 {
			s.notify(m, s.waiters[0])
			s.waiters = append(s.waiters[:0], s.waiters[1:]...)
		}
	case trace.OpBroadcast:
		for _, w := range s.waiters {
			s.notify(m, w)
		}
		s.waiters = s.waiters[:0]
	}
}

// notify reaches w whether it waits already or is still about to unlock. What it
// does after the unlock comes after the notification; the unlock need not.
func (s *condState) notify(m *Machine, w condWaiter) {
	g := w.g
	if g.state == stateWaiting && g.op.Kind == trace.OpCondAdd && g.ticket == w.ticket {
		m.grant(g, m.current())
		return
	}
	g.notices = append(g.notices, notice{w.ticket, m.current()})
}

// condWait makes g, which has been added to s with that ticket and has unlocked its
// lock, wait until it is notified. It is no event: the request was made by OpCondAdd.
func (s *condState) condWait(m *Machine, g *goroutine, ticket int32) (waits bool) {
	for i, n := range g.notices {
		if n.ticket == ticket {
			m.edge(g, n.by)
			g.notices = append(g.notices[:i], g.notices[i+1:]...)
			return false
		}
	}
	g.op.Kind, g.req.obj, g.ticket = trace.OpCondAdd, s, ticket
	g.state = stateWaiting
	return true
}

// onceState lets one caller in, and the others wait until it is done.
type onceState struct {
	header
	entered bool
	done    bool
	by      *goroutine
	doneAt  []int32 // what the end of the call comes after
	waiters []*goroutine
}

func (s *onceState) reset() {
	s.entered, s.done, s.by = false, false, nil
	s.doneAt, s.waiters = s.doneAt[:0], s.waiters[:0]
}

func (s *onceState) kind() string { return "Once" }

func (s *onceState) blame(m *Machine) string { return "whose function " + m.nameOf(s.by) + " runs" }

func (s *onceState) describe(m *Machine, g *goroutine) bool {
	mode := trace.ModeLater
	if !s.entered {
		mode = trace.ModeFirst
	}
	g.op.Touch(s.id, mode)
	return s.entered
}

// perform sets g.reply.ok for the caller that has to run the function.
func (s *onceState) perform(m *Machine, g *goroutine, alt int32) {
	switch {
	case !s.entered:
		s.entered, s.by = true, g
		g.reply.ok = true
	case s.done:
		g.reply.ok = false
		for _, ev := range s.doneAt {
			m.edge(g, ev)
		}
		if m.mm != nil {
			m.mm.acquire(s.id, g)
		}
	default:
		g.reply.ok = false
		g.state = stateWaiting
		s.waiters = append(s.waiters, g)
	}
}

// finish lets in those who waited, after all that the caller g has done.
func (s *onceState) finish(m *Machine, g *goroutine) {
	s.done = true
	s.doneAt = append(append(s.doneAt[:0], g.order...), g.last)
	if m.mm != nil {
		m.mm.publish(s.id, g)
	}
	for _, w := range s.waiters {
		m.after(w, g)
		m.release(w)
	}
	s.waiters = s.waiters[:0]
}

// opaqueState is an object whose uses all depend on each other.
type opaqueState struct{ header }

func (s *opaqueState) reset()                                      {}
func (s *opaqueState) kind() string                                { return "object" }
func (s *opaqueState) blame(*Machine) string                       { return "" }
func (s *opaqueState) perform(m *Machine, g *goroutine, alt int32) {}

func (s *opaqueState) describe(m *Machine, g *goroutine) bool {
	g.op.Touch(s.id, trace.ModeAll)
	return true
}

// finish says that g has returned from the function of a Once.
func (g *goroutine) finish(s *onceState) {
	if g.m.closing {
		return
	}
	s.finish(g.m, g)
	g.m.ex.advance()
}
