package machine

import "github.com/gopor/gopor/sched/trace"

// MutexState is a mutual exclusion lock. Requests are granted in the order in
// which they are made.
type MutexState struct {
	header
	Owner    trace.ID // the goroutine that holds the lock, -1 if none does
	queue    []*Goroutine
	released int32 // the latest Unlock, -1 if none
	tries    int32 // how often TryLock was called
}

func (s *MutexState) reset()       { s.Owner, s.queue, s.released, s.tries = -1, s.queue[:0], -1, 0 }
func (s *MutexState) Kind() string { return "Mutex" }

func (s *MutexState) blame(m *Machine) string { return "held by " + m.holder(s, s.Owner) }

func (s *MutexState) describe(m *Machine, g *Goroutine) bool {
	switch g.Op.Kind {
	case trace.OpLock:
		g.Op.Touch(s.ID, trace.ModeAcquire)
		return true
	case trace.OpTryLock:
		g.Op.Touch(s.ID, trace.ModeTry)
		return true
	}
	// An Unlock by another goroutine competes with the holder's own, and fails if it comes before
	// the Lock.
	if s.Owner == g.ID {
		g.Op.Touch(s.ID, trace.ModeRelease)
	} else {
		g.Op.Touch(s.ID, trace.ModeAll)
		g.Op.Footprint = trace.LawfulFootprint
	}
	return false
}

func (s *MutexState) perform(m *Machine, g *Goroutine, alt int32) {
	switch g.Op.Kind {
	case trace.OpLock:
		if s.Owner >= 0 {
			g.State = StateWaiting
			s.queue = append(s.queue, g)
			return
		}
		s.own(m, g)
	case trace.OpTryLock:
		s.tries++
		g.Reply.Ok = s.Owner < 0
		if g.Reply.Ok {
			s.own(m, g)
		}
	case trace.OpUnlock:
		if s.Owner < 0 {
			g.Reply.Fault, g.Reply.Fatal = "sync: unlock of unlocked mutex", true
			return
		}
		s.released = m.current()
		s.Owner = -1
		if len(s.queue) > 0 {
			w := s.queue[0]
			s.queue = append(s.queue[:0], s.queue[1:]...)
			s.own(m, w)
			m.release(w)
		}
	}
}

// own gives the lock to g.
func (s *MutexState) own(m *Machine, g *Goroutine) {
	s.Owner = g.ID
	m.edge(g, s.released)
}
