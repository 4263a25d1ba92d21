package machine

import "github.com/gopor/gopor/sched/trace"

// Census counts the goroutines.
type Census struct{ header }

// CensusOf returns the object that counts the goroutines of the running execution. There is one, so
// to ask again and again leaves nothing behind.
func CensusOf(m *Machine) *Census {
	if p := poolOf[Census](&m.Store); p.epoch == m.Epoch && p.used > 0 {
		return p.all[0]
	}
	s := Take[Census](m)
	m.Admit(s)
	return s
}

func (s *Census) reset() {}

func (s *Census) Kind() string { return "goroutines" }

func (s *Census) blame(*Machine) string { return "" }

func (s *Census) describe(m *Machine, g *Goroutine) bool {
	g.Op.Touch(trace.Everything, trace.ModeAll)
	return true
}

func (s *Census) perform(m *Machine, g *Goroutine, alt int32) {
	g.Reply.Val = 0
	for _, h := range m.Goroutines {
		if h.State != StateUnborn && h.State != StateEnded && !h.Pseudo {
			g.Reply.Val++
		}
	}
}

// Crowded reports whether the program has started a goroutine in this execution, besides those of
// subtests, which come one after the other.
func (m *Machine) Crowded() bool {
	for _, g := range m.Goroutines {
		isSubtest := g.Origin.parent != nil && g.Origin.part != g.Origin.parent.Origin.part
		if g.ID != MainID && !g.Pseudo && g.State != StateUnborn && !isSubtest {
			return true
		}
	}
	return false
}
