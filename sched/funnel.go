package sched

import (
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// executor executes what goroutines ask for. Every operation of a program goes through
// it: the primitives know no other way to the machine. Closure is one, which runs one
// goroutine at a time.
type executor interface {
	// submit makes g's request, and returns when it is granted.
	submit(g *goroutine)
	// park returns when g, which waits without a request, has been released.
	park(g *goroutine)
	// launch runs the new goroutine g up to its first request.
	launch(g *goroutine)
	// advance lets those go on who have been granted something by what is no event.
	advance()
	// use is told of a plain access of memory, which may be a request.
	use(g *goroutine, p unsafe.Pointer, size uintptr, kind trace.Kind)
	// watch is told of accesses of memory while machine.watching is set.
	watch(g *goroutine, p unsafe.Pointer, size uintptr, reads, writes bool)
	// assume notes what the result of the search takes for granted.
	assume(g *goroutine, k machine.AssumptionKind, what string)
	// wants reports whether more of that kind are noted.
	wants(k machine.AssumptionKind) bool
	scribe
}

// scribe writes the record of an execution, if there is to be one.
type scribe interface {
	// caller returns where in the program g is, and stack by which calls it got there.
	caller(g *goroutine) uintptr
	stack(g *goroutine) []uintptr
	// remark adds a line between events: g has done op to obj, with a value.
	remark(g *goroutine, op, obj, value string, pc uintptr)
	// value adds a value to the line of g's latest event, lastRemark to its remark if
	// that is the latest line.
	value(g *goroutine, v any)
	lastRemark(g *goroutine, v any)
}

// ask makes a request of the given kind to o, nil if it is made to no object, and waits
// until it is granted. The reply is valid until the next request of g.
func (g *goroutine) ask(kind trace.Kind, o object) *reply {
	g.op.Kind, g.req.obj = kind, o
	g.m.ex.submit(g)
	return &g.reply
}

// askNumbers is ask with arguments.
func (g *goroutine) askNumbers(kind trace.Kind, o object, arg, arg2 uint64) *reply {
	g.req.arg, g.req.arg2 = arg, arg2
	return g.ask(kind, o)
}

// askValues is ask with arguments that are no numbers. It returns the value of the
// reply.
func (g *goroutine) askValues(kind trace.Kind, o object, arg uint64, x, y any) any {
	g.req.arg, g.req.x, g.req.y = arg, x, y
	g.ask(kind, o)
	v := g.reply.v
	g.req.x, g.req.y, g.reply.v = nil, nil, nil
	return v
}

// start lets g run f in a new goroutine.
func (g *goroutine) start(f func()) *goroutine {
	m := g.m
	kid := m.fork(g)
	g.endow(kid)
	if m.Record {
		kid.born = m.ex.caller(g)
		m.ex.remark(g, "go", "", m.nameOf(kid), kid.born)
	}
	kid.body = f
	m.ex.launch(kid)
	return kid
}

// noteResult shows what an operation has returned in a recorded execution.
func (g *goroutine) noteResult(v any) {
	if g.m.Record {
		g.m.ex.value(g, v)
	}
}
