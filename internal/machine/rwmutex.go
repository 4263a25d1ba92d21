package machine

import "github.com/gopor/gopor/sched/trace"

// RwState is a reader/writer lock. Requests are granted in the order in which they are made, except
// that readers next to each other do not wait for one another. So a Lock that waits keeps new
// readers out, as in package sync. Any order of acquisitions that sync allows is reached by making
// the requests in that order.
type RwState struct {
	header
	Writer   trace.ID   // the goroutine that holds the write lock, -1 if none does
	Readers  []trace.ID // goroutines that hold a read lock, once per hold
	shares   []int32    // of every goroutine, how often it is in Readers
	queue    []rwWaiter
	released int32   // the latest Unlock, -1 if none
	unshared []int32 // every RUnlock since the write lock was last granted
	tries    int32   // how often TryLock and TryRLock were called
	muddled  bool    // a goroutine has released a read lock that was not its own
}

type rwWaiter struct {
	g     *Goroutine
	write bool
}

func (s *RwState) reset() {
	s.Writer, s.released, s.tries, s.muddled = -1, -1, 0, false
	s.Readers, s.queue, s.unshared = s.Readers[:0], s.queue[:0], s.unshared[:0]
	clear(s.shares)
}

// Share notes that goroutine g, or an outsider, has one more read lock.
func (s *RwState) Share(g trace.ID) {
	s.Readers = append(s.Readers, g)
	for int(g) >= len(s.shares) {
		s.shares = append(s.shares, 0)
	}
	s.shares[g]++
}

func (s *RwState) Kind() string { return "RWMutex" }

func (s *RwState) blame(m *Machine) string {
	if s.Writer >= 0 {
		return "held by " + m.holder(s, s.Writer)
	}
	text := "read-locked by "
	for i, id := range s.Readers {
		if i > 0 {
			text += ", "
		}
		text += m.holder(s, id)
	}
	return text
}

func (s *RwState) holds(g *Goroutine) int {
	for i, id := range s.Readers {
		if id == g.ID {
			return i
		}
	}
	return -1
}

func (s *RwState) describe(m *Machine, g *Goroutine) bool {
	mode := trace.ModeAll
	switch g.Op.Kind {
	case trace.OpLock:
		mode = trace.ModeAcquire
	case trace.OpRLock:
		mode = trace.ModeShare
	case trace.OpTryLock:
		mode = trace.ModeTry
	case trace.OpTryRLock:
		mode = trace.ModeTryShare
	case trace.OpUnlock:
		if s.Writer == g.ID {
			mode = trace.ModeRelease
		}
	case trace.OpRUnlock:
		if int(g.ID) < len(s.shares) && s.shares[g.ID] > 0 {
			mode = trace.ModeUnshare
		}
	}
	if s.muddled {
		mode = trace.ModeAll
	}
	if mode == trace.ModeAll {
		g.Op.Footprint = trace.LawfulFootprint
	}
	g.Op.Touch(s.ID, mode)
	g.Op.Alts = 1
	if g.Op.Kind == trace.OpTryLock && m.Model&ModelTryLock != 0 && s.free() {
		g.Op.Alts = 2
	}
	return false
}

func (s *RwState) free() bool { return s.Writer < 0 && len(s.Readers) == 0 }

func (s *RwState) perform(m *Machine, g *Goroutine, alt int32) {
	switch g.Op.Kind {
	case trace.OpLock, trace.OpRLock:
		write := g.Op.Kind == trace.OpLock
		s.queue = append(s.queue, rwWaiter{g, write})
		g.State = StateWaiting
		s.admit(m, g)
	case trace.OpTryLock:
		s.tries++
		g.Reply.Ok = s.free() && alt == 0
		if g.Reply.Ok {
			s.own(m, g, true)
		}
	case trace.OpTryRLock:
		s.tries++
		g.Reply.Ok = s.Writer < 0 && len(s.queue) == 0
		if g.Reply.Ok {
			s.own(m, g, false)
		}
	case trace.OpUnlock:
		if s.Writer < 0 {
			g.Reply.Fault, g.Reply.Fatal = "sync: Unlock of unlocked RWMutex", true
			return
		}
		s.Writer, s.released = -1, m.current()
		s.admit(m, g)
	case trace.OpRUnlock:
		s.unshare(m, g)
	}
}

func (s *RwState) unshare(m *Machine, g *Goroutine) {
	i := s.holds(g)
	if i < 0 {
		s.muddled = true
		i = len(s.Readers) - 1
	}
	if i < 0 {
		g.Reply.Fault, g.Reply.Fatal = "sync: RUnlock of unlocked RWMutex", true
		return
	}
	s.shares[s.Readers[i]]--
	s.Readers = append(s.Readers[:i], s.Readers[i+1:]...)
	if n := len(s.unshared); n == 0 || s.unshared[n-1] != m.current() { // see prelude.go
		s.unshared = append(s.unshared, m.current())
	}
	s.admit(m, g)
}

// admit grants requests from the front of the queue as long as it can. The driver does not move on
// the goroutine g, which performs the present event.
func (s *RwState) admit(m *Machine, g *Goroutine) {
	for len(s.queue) > 0 && s.Writer < 0 {
		w := s.queue[0]
		if w.write && len(s.Readers) > 0 {
			return
		}
		s.queue = append(s.queue[:0], s.queue[1:]...)
		s.own(m, w.g, w.write)
		if w.g == g {
			g.State = StateRunning
		} else {
			m.release(w.g)
		}
	}
}

func (s *RwState) own(m *Machine, g *Goroutine, write bool) {
	m.edge(g, s.released)
	if !write {
		s.Share(g.ID)
		return
	}
	s.Writer = g.ID
	for _, ev := range s.unshared {
		m.edge(g, ev)
	}
	s.unshared = s.unshared[:0]
}
