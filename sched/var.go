package sched

import (
	"github.com/gopor/gopor/sched/trace"
)

// Var is a plain shared variable: memory without synchronisation of its own.
// How its accesses are treated is a matter of [Options.Races]: by default two
// accesses that race fail the execution.
//
// The zero Var holds the zero value of T at the start of every execution; see
// [NewVar] for another one.
type Var[T any] struct {
	k    key[varState[T]]
	init T
}

// NewVar returns a variable that holds v at the start of every execution.
func NewVar[T any](v T) *Var[T] {
	x := &Var[T]{init: v}
	if co := callers.find(); co != nil && !co.m.closing {
		create(co.g, &x.k).v = v
	}
	return x
}

// in returns the state of x in the execution of g.
func (x *Var[T]) in(g *goroutine) *varState[T] {
	s, fresh := find(g.m, &x.k)
	if fresh {
		s.v = x.init
	}
	return s
}

// access lets g use the variable, as a scheduling point or not, and returns it.
func (x *Var[T]) access(g *goroutine, kind trace.Kind) *varState[T] {
	s := x.in(g)
	switch g.m.Races {
	case RaceExplore:
		g.ask(kind, &s.cell)
	case RaceFail:
		g.m.checkVar(g, kind, s)
	}
	return s
}

// Load reads the variable.
func (x *Var[T]) Load() T {
	g := enter("Var.Load")
	s := x.access(g, trace.OpRead)
	if g.m.Record {
		g.noteVar(s.v)
	}
	return s.v
}

// Store writes the variable.
func (x *Var[T]) Store(v T) {
	g := enter("Var.Store")
	s := x.access(g, trace.OpWrite)
	if g.m.Record {
		g.noteVar(v)
	}
	s.v = v
}

// Update reads the variable and writes f of it, in one step that nothing can
// come between. It stands for a statement that a program's model takes to be
// atomic; it is a plain access all the same, and races with others.
func (x *Var[T]) Update(f func(T) T) T {
	g := enter("Var.Update")
	s := x.access(g, trace.OpUpdate)
	s.v = f(s.v)
	if g.m.Record {
		g.noteVar(s.v)
	}
	return s.v
}

// Transfer sets *dst to f of *src in one step that nothing can come between: an
// event that reads one variable and writes another.
func Transfer[T any](dst, src *Var[T], f func(T) T) {
	g := enter("Transfer")
	from, to := src.in(g), dst.in(g)
	switch g.m.Races {
	case RaceExplore:
		g.req.from = &from.cell
		g.ask(trace.OpTransfer, &to.cell)
	case RaceFail:
		g.m.checkVar(g, trace.OpRead, from)
		g.m.checkVar(g, trace.OpWrite, to)
	}
	to.v = f(from.v)
	if g.m.Record {
		g.noteVar(to.v)
	}
}
