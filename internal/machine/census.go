package machine

import (
	"github.com/gopor/gopor/sched/trace"
)

// Census counts the goroutines.
type Census struct{ header }

func (s *Census) reset() {}

func (s *Census) Kind() string { return "goroutines" }

func (s *Census) blame(*Machine) string { return "" }

func (s *Census) describe(m *Machine, g *Goroutine) bool {
	g.Op.Touch(trace.Everything, trace.ModeAll)
	return true
}

func (s *Census) perform(m *Machine, g *Goroutine, alt int32) {
	g.Reply.Val = 0
	for _, h := range m.Gs {
		if h.State != StateUnborn && h.State != StateEnded && !h.Pseudo {
			g.Reply.Val++
		}
	}
}
