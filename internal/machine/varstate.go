package machine

import "github.com/gopor/gopor/sched/trace"

// VarState is a Var as an object.
type VarState[T any] struct {
	variable
	V T
}

// variable is what a VarState of any type is but for its value.
type variable struct {
	cell
	past history
}

func (s *VarState[T]) reset() {
	var zero T
	s.V = zero
	s.typed, s.what = true, "Var"
	s.past.reset()
}

// checkVar looks for a race of an access of x with earlier ones.
func (m *Machine) checkVar(g *Goroutine, kind trace.Kind, x *variable) {
	m.Memory.Seen = true
	if m.Memory.Races == nil {
		m.Memory.Missed = true
		return
	}
	name := "a variable"
	var pc uintptr
	if m.Record {
		pc = m.Exec.Caller(g)
		name = m.labelOf(&x.cell)
		m.Exec.NoteVar(g, kind, name, pc)
	}
	if kind == trace.OpUpdate {
		m.Memory.Races.check(&x.past, g, false, name, pc)
	}
	m.Memory.Races.check(&x.past, g, kind != trace.OpRead, name, pc)
}

// NoteVar shows the value of a plain access, whether it is an event or not.
func (g *Goroutine) NoteVar(v any) {
	if g.M.Races == RaceExplore {
		g.M.Exec.Value(g, v)
		return
	}
	g.M.Exec.LastRemark(g, v)
}

// Access lets g use the variable, as a scheduling point or not.
func (x *variable) Access(g *Goroutine, kind trace.Kind) {
	if kind != trace.OpRead {
		g.Acts()
	}
	switch g.M.Races {
	case RaceExplore:
		g.Ask(kind, &x.cell)
	case RaceFail:
		g.M.checkVar(g, kind, x)
	}
}

// Transfer is Access to from and to s, which is written.
func (s *VarState[T]) Transfer(g *Goroutine, from *VarState[T]) {
	g.Acts()
	switch g.M.Races {
	case RaceExplore:
		g.Req.From = &from.cell
		g.Ask(trace.OpTransfer, &s.cell)
	case RaceFail:
		g.M.checkVar(g, trace.OpRead, &from.variable)
		g.M.checkVar(g, trace.OpWrite, &s.variable)
	}
}
