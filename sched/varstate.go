package sched

import (
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// varState is a Var as an object.
type varState[T any] struct {
	cell
	v    T
	past history
}

func (s *varState[T]) reset() {
	var zero T
	s.v = zero
	s.bits, s.what = 0, "Var"
	s.past.reset()
}

func (s *varState[T]) where() (*history, *cell) { return &s.past, &s.cell }

// variable is the state of a Var of any type.
type variable interface{ where() (*history, *cell) }

// checkVar looks for a race of an access of x with earlier ones.
func (m *Machine) checkVar(g *goroutine, kind trace.Kind, x variable) {
	m.sawVars = true
	if m.mm == nil {
		m.missed = true
		return
	}
	past, cell := x.where()
	name := "a variable"
	var pc uintptr
	if m.Record {
		pc = m.ex.caller(g)
		name = m.labelOf(cell)
		m.ex.remark(g, kind.String(), name, "", pc)
	}
	if kind == trace.OpUpdate {
		m.mm.check(past, g, false, name, pc)
	}
	m.mm.check(past, g, kind != trace.OpRead, name, pc)
}

// noteVar shows the value of a plain access, whether it is an event or not.
func (g *goroutine) noteVar(v any) {
	if g.m.Races == machine.RaceExplore {
		g.m.ex.value(g, v)
		return
	}
	g.m.ex.lastRemark(g, v)
}
