package sched

import (
	"github.com/gopor/gopor/sched/trace"

	"github.com/gopor/gopor/internal/machine"
)

// With ModelWaitGroup a WaitGroup takes the steps of package sync, which all depend on
// each other. Its counter and the number of those who wait are one word there; the
// queue in which they wait is another.
//
// An Add that brings the counter to zero while somebody waits makes sure that it has
// not changed, sets both to zero and wakes those who waited then. Who is woken makes
// sure that both are still zero. In between, others may have begun to use the group
// again.
//
// The step that a request stands for is in arg2.
const (
	groupBegins  = iota // the Add, the Done, the Wait
	groupChecks         // the counter has come to zero; g.reply.val waited then
	groupWakes          // ... and nobody has changed it
	groupReturns        // from a Wait that has waited
)

// The panics of package sync.
const (
	groupNegative = "sync: negative WaitGroup counter"
	groupMisused  = "sync: WaitGroup misuse: Add called concurrently with Wait"
	groupReused   = "sync: WaitGroup is reused before previous Wait has returned"
)

// step performs one of g's steps, and sets g.reply.ok if there are more.
func (s *wgState) step(m *Machine, g *goroutine) {
	kind, delta := g.op.Kind, int64(g.req.arg)
	if kind == trace.OpWGDone {
		delta = -1
	}
	g.reply.ok = false
	switch {
	case g.req.arg2 == groupReturns:
		if s.count != 0 || s.waiting != 0 {
			g.reply.fault = groupReused
		}
	case g.req.arg2 == groupChecks:
		if g.reply.ok = s.count == 0 && s.waiting == g.reply.val; !g.reply.ok {
			g.reply.fault = groupMisused
		}
	case g.req.arg2 == groupWakes:
		s.count, s.waiting = 0, 0
		for range g.reply.val {
			s.wake(m)
		}
	case kind == trace.OpWGWait && s.count == 0:
		s.done(m, g)
	case kind == trace.OpWGWait:
		g.reply.ok = true
		s.waiting++
		if s.unused > 0 {
			s.unused--
			s.done(m, g)
			return
		}
		g.state = stateWaiting
		s.waiters = append(s.waiters, g)
	default:
		s.addStep(m, g, delta)
	}
}

// wake wakes who waits longest; if two wake the same, whoever waits next is woken.
func (s *wgState) wake(m *Machine) {
	if len(s.waiters) == 0 {
		s.unused++
		return
	}
	w := s.waiters[0]
	s.waiters = append(s.waiters[:0], s.waiters[1:]...)
	s.done(m, w)
	m.grant(w, m.current())
}

// addStep adds delta to the counter.
func (s *wgState) addStep(m *Machine, g *goroutine, delta int64) {
	switch {
	case delta < 0:
		s.dones = append(s.dones, m.current())
	case s.count == 0 && s.waiting == 0:
		s.dones = s.dones[:0]
	}
	s.count += delta
	switch {
	case s.count < 0:
		g.reply.fault = groupNegative
	case s.waiting > 0 && delta > 0 && s.count == delta:
		g.reply.fault = groupMisused
	default:
		g.reply.ok, g.reply.val = s.count == 0 && s.waiting > 0, s.waiting
	}
}

// assumes notes that g, whose Add was the first after the counter was zero, may have
// come before somebody's Wait has returned. Where data races are failures this is
// one.
func (s *wgState) assumes(g *goroutine) {
	if s.waited && s.waiter != g && g.m.Races != machine.RaceFail {
		g.usual(machine.ModelWaitGroup, "a sync.WaitGroup that is used again")
	}
}

// steps makes the request of the given kind, step by step if that is the model.
func (s *wgState) steps(g *goroutine, kind trace.Kind, delta int) {
	step := uint64(groupBegins)
	g.askNumbers(kind, s, uint64(delta), step)
	if g.m.Model&machine.ModelWaitGroup == 0 || !g.reply.ok {
		return
	}
	if kind == trace.OpWGWait {
		g.askNumbers(kind, s, 0, groupReturns)
		return
	}
	for g.reply.ok {
		step++
		g.askNumbers(kind, s, uint64(delta), step)
	}
}
