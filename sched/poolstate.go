package sched

import (
	"github.com/gopor/gopor/internal/machine"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// poolState is a Pool as an object.
type poolState struct {
	header
	things []pooled
}

// pooled is a thing in a pool, and the event that put it there.
type pooled struct {
	v  any
	ev int32
}

func (s *poolState) reset() { clear(s.things); s.things = s.things[:0] }

func (s *poolState) kind() string { return "Pool" }

func (s *poolState) blame(*Machine) string { return "" }

func (s *poolState) describe(m *Machine, g *goroutine) bool {
	g.op.Touch(s.id, trace.ModeAll)
	if g.req.x != nil || m.Model&machine.ModelPool == 0 {
		return true
	}
	g.op.Alts = int32(len(s.things)) + 1 // the latest first, nothing last
	return false
}

// perform puts what is handed to it into the pool, or takes a thing out if that is nil.
func (s *poolState) perform(m *Machine, g *goroutine, alt int32) {
	if g.req.x != nil {
		s.things = append(s.things, pooled{g.req.x, m.current()})
		return
	}
	g.reply.v = nil
	i := len(s.things) - 1 - int(alt)
	if i < 0 {
		return
	}
	p := s.things[i]
	s.things = slices.Delete(s.things, i, i+1)
	g.reply.v = p.v
	if m.mm != nil {
		m.mm.observe(g, p.ev)
	}
}
