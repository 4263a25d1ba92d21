package machine

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// PoolState is a Pool as an object.
type PoolState struct {
	header
	things []pooled
}

// pooled is a thing in a pool, and the event that put it there.
type pooled struct {
	v  any
	ev int32
}

func (s *PoolState) reset() { clear(s.things); s.things = s.things[:0] }

func (s *PoolState) Kind() string { return "Pool" }

func (s *PoolState) blame(*Machine) string { return "" }

func (s *PoolState) describe(m *Machine, g *Goroutine) bool {
	g.Op.Touch(s.ID, trace.ModeAll)
	if g.Req.x != nil || m.Model&ModelPool == 0 {
		return true
	}
	g.Op.Alts = int32(len(s.things)) + 1 // the latest first, nothing last
	return false
}

// perform puts what is handed to it into the pool, or takes a thing out if that is nil.
func (s *PoolState) perform(m *Machine, g *Goroutine, alt int32) {
	if g.Req.x != nil {
		s.things = append(s.things, pooled{g.Req.x, m.current()})
		return
	}
	g.Reply.v = nil
	i := len(s.things) - 1 - int(alt)
	if i < 0 {
		return
	}
	p := s.things[i]
	s.things = slices.Delete(s.things, i, i+1)
	g.Reply.v = p.v
	if m.Memory.Races != nil {
		m.Memory.Races.observe(g, p.ev)
	}
	if m.Keys != nil {
		m.Keys.observe(g, p.ev)
	}
}
