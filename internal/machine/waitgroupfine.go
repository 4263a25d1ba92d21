package machine

import "github.com/gopor/gopor/sched/trace"

// With ModelWaitGroup a WaitGroup takes the steps of package sync, which all depend on each other.
// Its counter and the number of waiters are one word there. The semaphore at which these sleep is
// another.
//
// An Add that brings the counter to zero while a goroutine waits makes sure that the word has not
// changed. It sets both numbers to zero and raises the semaphore by the number of those that waited
// then, whereupon as many wake. A goroutine that has got past the semaphore makes sure that both
// are still zero. In between, others may have begun to use the group again. One that waits anew may
// get past the semaphore in the place of one that was woken, which then sleeps again.
//
// The step that a request stands for is in arg2.
const (
	groupBegins  = iota // the Add, the Done, the Wait
	groupChecks         // the counter has come to zero; g.reply.val waited then
	groupWakes          // the counter is still zero after groupChecks
	groupSleeps         // a Wait at the semaphore; g.reply.ok if it has to try again
	groupReturns        // from a Wait that has got past the semaphore
)

// The panics of package sync.
const (
	groupNegative = "sync: negative WaitGroup counter"
	groupMisused  = "sync: WaitGroup misuse: Add called concurrently with Wait"
	groupReused   = "sync: WaitGroup is reused before previous Wait has returned"
)

// step performs one of g's steps, and sets g.reply.ok if there are more.
func (s *WgState) step(m *Machine, g *Goroutine) {
	kind, delta := g.Op.Kind, int64(g.Req.Arg)
	if kind == trace.OpWGDone {
		delta = -1
	}
	g.Reply.Ok = false
	switch {
	case g.Req.arg2 == groupReturns:
		if s.Count != 0 || s.waiting != 0 {
			g.Reply.Fault = groupReused
		}
	case g.Req.arg2 == groupChecks:
		if g.Reply.Ok = s.Count == 0 && s.waiting == g.Reply.Val; !g.Reply.Ok {
			g.Reply.Fault = groupMisused
		}
	case g.Req.arg2 == groupWakes:
		s.Count, s.waiting = 0, 0
		s.wake(m, int(g.Reply.Val))
	case g.Req.arg2 == groupSleeps:
		s.sleep(m, g)
	case kind == trace.OpWGWait && s.Count == 0:
		s.done(m, g)
	case kind == trace.OpWGWait:
		g.Reply.Ok = true
		s.waiting++
	default:
		s.addStep(m, g, delta)
	}
}

// sleep takes g past the semaphore, or puts it to sleep until it may try again.
func (s *WgState) sleep(m *Machine, g *Goroutine) {
	if s.semaphore > 0 {
		s.semaphore--
		s.done(m, g)
		return
	}
	g.State = StateWaiting
	s.waiters = append(s.waiters, g)
}

// wake raises the semaphore by n, and wakes the n that have slept longest.
func (s *WgState) wake(m *Machine, n int) {
	s.semaphore += n
	n = min(n, len(s.waiters))
	for _, w := range s.waiters[:n] {
		w.Reply.Ok = true
		m.grant(w, m.current())
	}
	s.waiters = append(s.waiters[:0], s.waiters[n:]...)
}

// addStep adds delta to the counter.
func (s *WgState) addStep(m *Machine, g *Goroutine, delta int64) {
	if delta < 0 {
		s.dones = append(s.dones, m.current())
	}
	s.Count += delta
	switch {
	case s.Count < 0:
		g.Reply.Fault = groupNegative
	case s.waiting > 0 && delta > 0 && s.Count == delta:
		g.Reply.Fault = groupMisused
	default:
		g.Reply.Ok, g.Reply.Val = s.Count == 0 && s.waiting > 0, s.waiting
	}
}

// Assumes notes that g may have come before the Wait of another goroutine has returned: its Add was
// the first after the counter was zero. Where data races are failures this is one.
func (s *WgState) Assumes(g *Goroutine) {
	if s.waited && s.waiter != g && g.M.Races != RaceFail {
		g.Usual(ModelWaitGroup, "a sync.WaitGroup that is used again")
	}
}

// Steps makes the request of the given kind, step by step if that is the model.
func (s *WgState) Steps(g *Goroutine, kind trace.Kind, delta int) {
	step := uint64(groupBegins)
	g.AskNumbers(kind, s, uint64(delta), step)
	if g.M.Model&ModelWaitGroup == 0 || !g.Reply.Ok {
		return
	}
	if kind == trace.OpWGWait {
		for g.Reply.Ok {
			g.AskNumbers(kind, s, 0, groupSleeps)
		}
		g.AskNumbers(kind, s, 0, groupReturns)
		return
	}
	for g.Reply.Ok {
		step++
		g.AskNumbers(kind, s, uint64(delta), step)
	}
}
