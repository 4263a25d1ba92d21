package sched

import "github.com/gopor/gopor/sched/trace"

// Var is a plain shared variable: memory without synchronisation of its own.
// How its accesses are treated is a matter of [Options.Races]: by default two
// accesses that race fail the execution.
//
// The zero Var holds the zero value of T at the start of every execution; see
// [NewVar] for another one.
type Var[T any] struct {
	c     cell
	v     T
	init  T
	past  history
	epoch uint64
}

// NewVar returns a variable that holds v at the start of every execution.
func NewVar[T any](v T) *Var[T] {
	x := &Var[T]{v: v, init: v}
	if co := coroutines.find(); co != nil && !co.c.closing {
		co.c.m.create(co.g, &x.c)
		x.epoch = co.c.m.epoch
		x.past.reset()
	}
	return x
}

// access lets g use the variable, as a scheduling point or not.
func (x *Var[T]) access(g *goroutine, kind trace.Kind) {
	x.settle(g.c.m)
	switch g.c.opt.Races {
	case RaceExplore:
		g.request(kind, &x.c)
	case RaceFail:
		g.c.checkRace(g, kind, x)
	}
}

// settle gives the variable its initial value in a new execution.
func (x *Var[T]) settle(m *Machine) {
	m.bind(&x.c)
	x.c.what = "Var"
	if x.epoch != m.epoch {
		x.epoch = m.epoch
		x.v = x.init
		x.past.reset()
	}
}

func (x *Var[T]) where() (*history, *cell) { return &x.past, &x.c }

// variable is a Var of any type.
type variable interface{ where() (*history, *cell) }

func (c *Closure) checkRace(g *goroutine, kind trace.Kind, x variable) {
	c.sawVars = true
	if c.m.mm == nil {
		c.missed = true
		return
	}
	past, cell := x.where()
	name := "a variable"
	var pc uintptr
	if c.opt.Record {
		pc = g.callerPC()
		name = c.record.name(cell)
		c.record.remark(c, g, Entry{Op: kind.String(), Obj: name}, pc)
	}
	if kind == trace.OpUpdate {
		c.m.mm.check(past, g, false, name, pc)
	}
	c.m.mm.check(past, g, kind != trace.OpRead, name, pc)
}

// Load reads the variable.
func (x *Var[T]) Load() T {
	g := enter("Var.Load")
	x.access(g, trace.OpRead)
	if g.c.opt.Record {
		g.noteVar(x.v)
	}
	return x.v
}

// Store writes the variable.
func (x *Var[T]) Store(v T) {
	g := enter("Var.Store")
	x.access(g, trace.OpWrite)
	if g.c.opt.Record {
		g.noteVar(v)
	}
	x.v = v
}

// Update reads the variable and writes f of it, in one step that nothing can
// come between. It stands for a statement that a program's model takes to be
// atomic; it is a plain access all the same, and races with others.
func (x *Var[T]) Update(f func(T) T) T {
	g := enter("Var.Update")
	x.access(g, trace.OpUpdate)
	x.v = f(x.v)
	if g.c.opt.Record {
		g.noteVar(x.v)
	}
	return x.v
}

// noteVar shows the value of a plain access, whether it is an event or not.
func (g *goroutine) noteVar(v any) {
	if g.c.opt.Races == RaceExplore {
		g.c.record.value(g, v)
		return
	}
	g.c.record.lastRemark(g, v)
}

// Transfer sets *dst to f of *src in one step that nothing can come between: an
// event that reads one variable and writes another.
func Transfer[T any](dst, src *Var[T], f func(T) T) {
	g := enter("Transfer")
	src.settle(g.c.m)
	dst.settle(g.c.m)
	switch g.c.opt.Races {
	case RaceExplore:
		g.from = &src.c
		g.request(trace.OpTransfer, &dst.c)
	case RaceFail:
		g.c.checkRace(g, trace.OpRead, src)
		g.c.checkRace(g, trace.OpWrite, dst)
	}
	dst.v = f(src.v)
	if g.c.opt.Record {
		g.noteVar(dst.v)
	}
}
