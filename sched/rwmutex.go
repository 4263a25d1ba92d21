package sched

import (
	"github.com/gopor/gopor/sched/trace"

	"github.com/gopor/gopor/internal/machine"
)

// rwState is a reader/writer lock. Requests are granted in the order in which
// they are made, except that readers next to each other do not wait for one
// another; so a Lock that waits keeps new readers out, as in package sync. Any
// order of acquisitions that sync allows is reached by making the requests in
// that order.
type rwState struct {
	header
	writer   trace.ID   // who holds the write lock, -1 if nobody does
	readers  []trace.ID // who holds a read lock, once per hold
	queue    []rwWaiter
	released int32   // the latest Unlock, -1 if none
	unshared []int32 // every RUnlock since the write lock was last granted
	muddled  bool    // a goroutine has released a read lock that was not its own
}

type rwWaiter struct {
	g     *goroutine
	write bool
}

func (s *rwState) reset() {
	s.writer, s.released, s.muddled = -1, -1, false
	s.readers, s.queue, s.unshared = s.readers[:0], s.queue[:0], s.unshared[:0]
}

func (s *rwState) kind() string { return "RWMutex" }

func (s *rwState) blame(m *Machine) string {
	if s.writer >= 0 {
		return "held by " + m.holder(s.writer)
	}
	text := "read-locked by "
	for i, id := range s.readers {
		if i > 0 {
			text += ", "
		}
		text += m.holder(id)
	}
	return text
}

func (s *rwState) holds(g *goroutine) int {
	for i, id := range s.readers {
		if id == g.id {
			return i
		}
	}
	return -1
}

func (s *rwState) describe(m *Machine, g *goroutine) bool {
	mode := trace.ModeAll
	switch g.op.Kind {
	case trace.OpLock:
		mode = trace.ModeAcquire
	case trace.OpRLock:
		mode = trace.ModeShare
	case trace.OpTryLock:
		mode = trace.ModeTry
	case trace.OpTryRLock:
		mode = trace.ModeTryShare
	case trace.OpUnlock:
		if s.writer == g.id {
			mode = trace.ModeRelease
		}
	case trace.OpRUnlock:
		if s.holds(g) >= 0 {
			mode = trace.ModeUnshare
		}
	}
	if s.muddled {
		mode = trace.ModeAll
	}
	g.op.Touch(s.id, mode)
	g.op.Alts = 1
	if g.op.Kind == trace.OpTryLock && m.Model&machine.ModelTryLock != 0 && s.free() {
		g.op.Alts = 2
	}
	return false
}

func (s *rwState) free() bool { return s.writer < 0 && len(s.readers) == 0 }

func (s *rwState) perform(m *Machine, g *goroutine, alt int32) {
	switch g.op.Kind {
	case trace.OpLock, trace.OpRLock:
		write := g.op.Kind == trace.OpLock
		s.queue = append(s.queue, rwWaiter{g, write})
		g.state = stateWaiting
		s.admit(m, g)
	case trace.OpTryLock:
		g.reply.ok = s.free() && alt == 0
		if g.reply.ok {
			s.own(m, g, true)
		}
	case trace.OpTryRLock:
		g.reply.ok = s.writer < 0 && len(s.queue) == 0
		if g.reply.ok {
			s.own(m, g, false)
		}
	case trace.OpUnlock:
		if s.writer < 0 {
			g.reply.fault, g.reply.fatal = "sync: Unlock of unlocked RWMutex", true
			return
		}
		s.writer, s.released = -1, m.current()
		s.admit(m, g)
	case trace.OpRUnlock:
		s.unshare(m, g)
	}
}

func (s *rwState) unshare(m *Machine, g *goroutine) {
	i := s.holds(g)
	if i < 0 {
		s.muddled = true
		i = len(s.readers) - 1
	}
	if i < 0 {
		g.reply.fault, g.reply.fatal = "sync: RUnlock of unlocked RWMutex", true
		return
	}
	s.readers = append(s.readers[:i], s.readers[i+1:]...)
	s.unshared = append(s.unshared, m.current())
	s.admit(m, g)
}

// admit grants requests from the front of the queue as long as it can. The
// goroutine g, whose event this is, is not moved on by the driver.
func (s *rwState) admit(m *Machine, g *goroutine) {
	for len(s.queue) > 0 && s.writer < 0 {
		w := s.queue[0]
		if w.write && len(s.readers) > 0 {
			return
		}
		s.queue = append(s.queue[:0], s.queue[1:]...)
		s.own(m, w.g, w.write)
		if w.g == g {
			g.state = stateRunning
		} else {
			m.release(w.g)
		}
	}
}

func (s *rwState) own(m *Machine, g *goroutine, write bool) {
	m.edge(g, s.released)
	if !write {
		s.readers = append(s.readers, g.id)
		return
	}
	s.writer = g.id
	for _, ev := range s.unshared {
		m.edge(g, ev)
	}
	s.unshared = s.unshared[:0]
}
