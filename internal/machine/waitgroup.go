package machine

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// WgState is the counter of a WaitGroup.
//
// A Done may come after the Add that it undoes, since its own goroutine made the Add, or its parent
// did before it spawned the goroutine. Such a Done can come in any order with other such
// operations. Credits, handed from parent to child, keep track of that. A Done without credit, as
// that of a worker for what was submitted to it, could make the counter negative if it came before
// an Add. From the first of those on all operations depend on each other.
//
// With Config.LooseDones, only those with credit depend on all others from then on, and those
// without on every Add and on those with credit. Two without commute unless the counter becomes
// negative. Then one of them panics in any order, but which one differs. That is noted where it
// happens, since the program may recover.
type WgState struct {
	header
	Count     int64
	waiters   []*Goroutine
	dones     []int32    // every Done
	waited    bool       // there has been a Wait
	waiter    *Goroutine // the goroutine of that Wait, nil if several have waited
	waiting   int64      // with ModelWaitGroup: the waiters that are counted in the word of Count
	semaphore int        // with ModelWaitGroup: how many may go past the semaphore
	loose     bool       // there has been a Done without credit
	muddled   bool       // all operations depend on each other
}

// credit says that a goroutine has made n Adds to wg that no Done has used yet.
type credit struct {
	wg *WgState
	n  int64
}

func (s *WgState) reset() {
	s.Count, s.waiters, s.dones = 0, s.waiters[:0], s.dones[:0]
	s.waited, s.loose, s.muddled, s.waiter = false, false, false, nil
	s.waiting, s.semaphore = 0, 0
}

func (s *WgState) Kind() string          { return "WaitGroup" }
func (s *WgState) blame(*Machine) string { return "whose counter is not zero" }

// creditOf returns the place of wg among g's credits, or -1.
func (g *Goroutine) creditOf(wg *WgState) int {
	for i := range g.Waits.credits {
		if g.Waits.credits[i].wg == wg && g.Waits.credits[i].n > 0 {
			return i
		}
	}
	return -1
}

// earn records that g has added n to wg; what was earned last is given first.
func (g *Goroutine) earn(wg *WgState, n int64) {
	if i := g.creditOf(wg); i >= 0 {
		n += g.Waits.credits[i].n
		g.Waits.credits = append(g.Waits.credits[:i], g.Waits.credits[i+1:]...)
	}
	w := g.waiting()
	w.credits = append(w.credits, credit{wg, n})
}

// endow hands a credit of g to its new child.
func (g *Goroutine) endow(kid *Goroutine) {
	for i := len(g.Waits.credits) - 1; i >= 0; i-- {
		if c := g.Waits.credits[i]; c.n > 0 {
			g.use(i)
			kid.Origin.inherit = c.wg
			return
		}
	}
}

// covered reports whether g has a credit for a Done of wg.
func (g *Goroutine) covered(wg *WgState) bool {
	return g.Origin.inherit == wg || g.creditOf(wg) >= 0
}

// spend uses up a credit of g for wg.
func (g *Goroutine) spend(wg *WgState) {
	if g.Origin.inherit == wg {
		g.Origin.inherit = nil
	} else if i := g.creditOf(wg); i >= 0 {
		g.use(i)
	}
}

// use takes one from credit i of g, and drops the credit if that was the last.
func (g *Goroutine) use(i int) {
	if g.Waits.credits[i].n--; g.Waits.credits[i].n == 0 {
		g.Waits.credits = slices.Delete(g.Waits.credits, i, i+1)
	}
}

func (s *WgState) describe(m *Machine, g *Goroutine) bool {
	mode := trace.ModeAll
	switch {
	case s.muddled, m.Model&ModelWaitGroup != 0:
	case g.Op.Kind == trace.OpWGWait:
		mode = trace.ModeWait
	case g.Op.Kind == trace.OpWGDone && g.covered(s) && !s.loose:
		mode = trace.ModeDone
	case g.Op.Kind == trace.OpWGDone && m.LooseDones && !g.covered(s):
		mode = trace.ModeLooseDone
	case g.Op.Kind == trace.OpWGAdd && int64(g.Req.Arg) > 0 && s.waited:
		mode = trace.ModeAddLate
	case g.Op.Kind == trace.OpWGAdd && int64(g.Req.Arg) > 0:
		mode = trace.ModeAdd
	}
	g.Op.Touch(s.ID, mode)
	// Only the first Wait changes what an Add uses, and the first loose Done what others do.
	g.Op.Quiet = mode != trace.ModeAll && (mode != trace.ModeWait || s.waited) && (mode != trace.ModeLooseDone || s.loose)
	return false
}

func (s *WgState) perform(m *Machine, g *Goroutine, alt int32) {
	if m.Model&ModelWaitGroup != 0 {
		s.step(m, g)
		return
	}
	switch g.Op.Kind {
	case trace.OpWGAdd:
		s.add(m, g, int64(g.Req.Arg))
	case trace.OpWGDone:
		if g.covered(s) {
			g.spend(s)
		} else {
			s.loose, s.muddled = true, s.muddled || !m.LooseDones
		}
		s.add(m, g, -1)
	case trace.OpWGWait:
		if !s.waited {
			s.waited, s.waiter = true, g
		} else if s.waiter != g {
			s.waiter = nil
		}
		g.State = StateWaiting
		s.waiters = append(s.waiters, g)
		if s.Count == 0 {
			s.waiters = s.waiters[:len(s.waiters)-1]
			g.State = StateRunning
			s.done(m, g)
		}
	}
}

func (s *WgState) add(m *Machine, g *Goroutine, delta int64) {
	if delta > 0 {
		g.earn(s, delta)
	} else if delta < 0 {
		s.dones = append(s.dones, m.current())
		s.muddled = s.muddled || g.Op.Kind == trace.OpWGAdd
	}
	s.Count += delta
	if s.Count < 0 {
		g.Reply.Fault = groupNegative
		if s.loose && !s.muddled {
			g.Usual(ModelWaitGroup, "a sync.WaitGroup with a negative counter")
		}
		return
	}
	if s.Count > 0 {
		return
	}
	// An Add of zero releases those that wait too, and so does an Add that makes a negative counter
	// zero, as in package sync. Neither is one of dones: it does not synchronise with the Wait, but
	// the Wait returns after it.
	for _, w := range s.waiters {
		s.done(m, w)
		if delta >= 0 {
			m.follow(w, m.current())
		}
		m.release(w)
	}
	s.waiters = s.waiters[:0]
}

// done orders what follows g's Wait after every Done. So does the race detector of Go, also where
// the counter has been zero since the Done.
func (s *WgState) done(m *Machine, g *Goroutine) {
	unseen := s.unseen(g)
	for _, ev := range unseen {
		m.edge(g, ev)
	}
	if len(unseen) > 0 {
		w := g.waiting()
		w.seen = append(slices.DeleteFunc(w.seen, func(c seen) bool { return c.wg == s }), seen{s, len(s.dones)})
	}
}

// seen says that a goroutine comes after the first dones of wg, by a Wait that has returned.
type seen struct {
	wg    *WgState
	dones int
}

// unseen returns the Dones after which no Wait of g has come yet.
func (s *WgState) unseen(g *Goroutine) []int32 {
	for i := range g.Waits.seen {
		if c := &g.Waits.seen[i]; c.wg == s {
			return s.dones[c.dones:]
		}
	}
	return s.dones
}
