package sched

import (
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// Var is a plain shared variable: memory without synchronisation of its own.
// How its accesses are treated is a matter of [Options.Races]: by default two
// accesses that race fail the execution.
//
// The zero Var holds the zero value of T at the start of every execution; see
// [NewVar] for another one.
type Var[T any] struct {
	k    machine.Key[machine.VarState[T]]
	init T
}

// NewVar returns a variable that holds v at the start of every execution.
func NewVar[T any](v T) *Var[T] {
	x := &Var[T]{init: v}
	if co := machine.Callers.Find(); co != nil && !co.M.Closing {
		machine.Create(co.G, &x.k).V = v
	}
	return x
}

// in returns the state of x in the execution of g.
func (x *Var[T]) in(g *machine.Goroutine) *machine.VarState[T] {
	if s := x.k.In(g.M); s != nil {
		return s
	}
	return x.meet(g)
}

func (x *Var[T]) meet(g *machine.Goroutine) *machine.VarState[T] {
	s, fresh := machine.Meet(g.M, &x.k)
	if fresh {
		s.V = x.init
		machine.Publish(g.M, &x.k, s)
	}
	return s
}

// Load reads the variable.
func (x *Var[T]) Load() T {
	g := machine.Enter("Var.Load")
	s := x.k.In(g.M) // what in does, for one call less
	if s == nil {
		s = x.meet(g)
	}
	s.Access(g, trace.OpRead)
	if g.M.Record {
		g.NoteVar(s.V)
	}
	v := s.V
	if g.M.Parallel != nil {
		g.M.Parallel.Done(g)
	}
	return v
}

// Store writes the variable.
func (x *Var[T]) Store(v T) {
	g := machine.Enter("Var.Store")
	s := x.k.In(g.M) // what in does, for one call less
	if s == nil {
		s = x.meet(g)
	}
	s.Access(g, trace.OpWrite)
	if g.M.Record {
		g.NoteVar(v)
	}
	s.V = v
	if g.M.Parallel != nil {
		g.M.Parallel.Done(g)
	}
}

// Update reads the variable and writes f of it, in one step that nothing can
// come between. It stands for a statement that a program's model takes to be
// atomic; it is a plain access all the same, and races with others.
func (x *Var[T]) Update(f func(T) T) T {
	g := machine.Enter("Var.Update")
	s := x.in(g)
	s.Access(g, trace.OpUpdate)
	v := f(s.V)
	s.V = v
	if g.M.Record {
		g.NoteVar(v)
	}
	if g.M.Parallel != nil {
		g.M.Parallel.Done(g)
	}
	return v
}

// Transfer sets *dst to f of *src in one step that nothing can come between: an
// event that reads one variable and writes another.
func Transfer[T any](dst, src *Var[T], f func(T) T) {
	g := machine.Enter("Transfer")
	from, to := src.in(g), dst.in(g)
	to.Transfer(g, from)
	to.V = f(from.V)
	if g.M.Record {
		g.NoteVar(to.V)
	}
	if g.M.Parallel != nil {
		g.M.Parallel.Done(g)
	}
}
