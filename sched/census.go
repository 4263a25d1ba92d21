package sched

import (
	"github.com/gopor/gopor/sched/trace"
)

// census counts the goroutines.
type census struct{ header }

func (s *census) reset() {}

func (s *census) kind() string { return "goroutines" }

func (s *census) blame(*Machine) string { return "" }

func (s *census) describe(m *Machine, g *goroutine) bool {
	g.op.Touch(trace.Everything, trace.ModeAll)
	return true
}

func (s *census) perform(m *Machine, g *goroutine, alt int32) {
	g.reply.val = 0
	for _, h := range m.gs {
		if h.state != stateUnborn && h.state != stateEnded && !h.pseudo {
			g.reply.val++
		}
	}
}
