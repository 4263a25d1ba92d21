package sched

import "github.com/gopor/gopor/sched/trace"

// mutexState is a mutual exclusion lock. Requests are granted in the order in
// which they are made.
type mutexState struct {
	header
	owner    trace.ID // who holds the lock, -1 if nobody does
	queue    []*goroutine
	released int32 // the latest Unlock, -1 if none
}

func (s *mutexState) reset()       { s.owner, s.queue, s.released = -1, s.queue[:0], -1 }
func (s *mutexState) kind() string { return "Mutex" }

func (s *mutexState) blame(m *Machine) string { return "held by " + m.holder(s.owner) }

func (s *mutexState) describe(m *Machine, g *goroutine) bool {
	switch g.op.Kind {
	case trace.OpLock:
		g.op.Touch(s.id, trace.ModeAcquire)
		return true
	case trace.OpTryLock:
		g.op.Touch(s.id, trace.ModeTry)
		return true
	}
	// An Unlock by somebody else competes with the holder's own, and fails if
	// it comes before the Lock.
	if s.owner == g.id {
		g.op.Touch(s.id, trace.ModeRelease)
	} else {
		g.op.Touch(s.id, trace.ModeAll)
	}
	return false
}

func (s *mutexState) perform(m *Machine, g *goroutine, alt int32) {
	switch g.op.Kind {
	case trace.OpLock:
		if s.owner >= 0 {
			g.state = stateWaiting
			s.queue = append(s.queue, g)
			return
		}
		s.own(m, g)
	case trace.OpTryLock:
		g.reply.ok = s.owner < 0
		if g.reply.ok {
			s.own(m, g)
		}
	case trace.OpUnlock:
		if s.owner < 0 {
			g.reply.fault, g.reply.fatal = "sync: unlock of unlocked mutex", true
			return
		}
		s.released = m.current()
		s.owner = -1
		if len(s.queue) > 0 {
			w := s.queue[0]
			s.queue = append(s.queue[:0], s.queue[1:]...)
			s.own(m, w)
			m.release(w)
		}
	}
}

// own gives the lock to g.
func (s *mutexState) own(m *Machine, g *goroutine) {
	s.owner = g.id
	m.edge(g, s.released)
}
