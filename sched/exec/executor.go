package exec

import (
	"runtime"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// execution is a Closure as its goroutines see it: a [machine.Executor].
type execution Closure

func (e *execution) c() *Closure { return (*Closure)(e) }

func (e *execution) Park(g *machine.Goroutine) { e.c().park(g) }

// Launch runs g up to its first request, on the stack of the goroutine that has started it.
func (e *execution) Launch(g *machine.Goroutine) {
	if l := e.c().library; l != nil {
		if started := l.call(partyPassed) != 0; started != g.Library.Started {
			g.InLibrary().Started = started
		}
	}
	e.c().start(g)
}
func (e *execution) Advance() { e.c().advance() }

func (e *execution) Use(g *machine.Goroutine, p unsafe.Pointer, size uintptr, kind trace.Kind) {
	e.c().use(g, p, size, kind)
}

func (e *execution) Watch(g *machine.Goroutine, p unsafe.Pointer, size uintptr, reads, writes bool) {
	e.c().watch(g, p, size, reads, writes)
}

func (e *execution) Assume(g *machine.Goroutine, k machine.AssumptionKind, what string) {
	e.c().serving(g, func() { e.c().assume(g, sched.AssumptionKind(k), what) })
}

func (e *execution) Crossed() {
	if e.opt.Uncrossed {
		e.c().Interrupt(true)
	}
}

func (e *execution) Wants(k machine.AssumptionKind) bool  { return e.c().wants(sched.AssumptionKind(k)) }
func (e *execution) Caller(g *machine.Goroutine) uintptr  { return e.c().caller(g) }
func (e *execution) Stack(g *machine.Goroutine) []uintptr { return e.c().stack(g) }
func (e *execution) Glanced(g *machine.Goroutine)         { e.c().glanced(g) }

func (e *execution) Value(g *machine.Goroutine, v any) {
	e.c().serving(g, func() { e.c().value(g, v) })
}

func (e *execution) LastRemark(g *machine.Goroutine, v any) {
	e.c().serving(g, func() { e.c().lastRemark(g, v) })
}

func (e *execution) Took(g *machine.Goroutine) {
	e.c().serving(g, func() { e.c().record.took(g) })
}

func (e *execution) Show(g *machine.Goroutine, v any) (text string) {
	e.c().serving(g, func() { text = e.c().m.Show(v) })
	return text
}

func (e *execution) Shared()           { e.c().collide() }
func (e *execution) Naming(whole bool) { e.c().number(whole) }

func (e *execution) Output(g *machine.Goroutine, stderr bool, text []byte) {
	e.opt.Output(e.m.Events.Count-1, g.ID, stderr, text)
}

func (e *execution) Label(o machine.Object) string {
	if !e.opt.Record {
		return ""
	}
	return e.record.name(o)
}

func (e *execution) NameAt(p unsafe.Pointer) string {
	if !e.opt.Record {
		return ""
	}
	return e.record.nameAt(p)
}

// serving calls f, which may call functions of the standard library that announce
// accesses of memory, on g's stack: these are none of the program's.
func (c *Closure) serving(g *machine.Goroutine, f func()) {
	if co := c.coroutine(g); co != nil {
		co.Serve(f)
	} else {
		f()
	}
}

func (e *execution) NoteGo(g, kid *machine.Goroutine) {
	e.c().remark(g, Entry{Remark: RemarkGo, Value: e.c().m.NameOf(kid)}, kid.Origin.PC)
}

func (e *execution) NoteTimer(g *machine.Goroutine, d time.Duration) {
	e.c().remark(g, Entry{Remark: RemarkTimer, Value: d.String()}, e.Caller(g))
}

func (e *execution) NoteVar(g *machine.Goroutine, kind trace.Kind, label string, pc uintptr) {
	e.c().remark(g, Entry{Kind: kind, Obj: label}, pc)
}

// precedes performs the request of g, which is main and alone, if it need not be a step. It reports
// whether it has. A watchdog sees that, and can end the execution.
func (c *Closure) precedes(g *machine.Goroutine) bool {
	seen := c.watchdog.progress.Load()
	if seen&1 == 1 && c.watchdog.halted.Load() || c.err != nil {
		return false
	}
	co := c.coroutines.on[g.ID]
	co.Serving = true
	done := g.Precedes()
	co.Serving = false
	if !done {
		return false
	}
	if seen&1 == 1 {
		c.watchdog.progress.Store(seen + 1)
	}
	if c.m.Memory.Shadow.Crowded() {
		c.m.Survey()
	}
	c.leaveOut(g)
	return true
}

// Submit makes the request in g.Op and g.Req.Obj, on g's own stack. It returns when
// the request has been granted.
func (e *execution) Submit(g *machine.Goroutine) {
	c := e.c()
	if g.Alone() && c.precedes(g) {
		return
	}
	co := c.coroutines.on[g.ID]
	co.Serving = true
	c.m.Post(g)
	if c.library != nil {
		c.library.note(g)
	}
	if !co.begun && !c.begins(co, g, true) {
		c.park(g) // the execution is unwound
	}
	if c.m.Record || c.record.on {
		pc, stack := uintptr(0), int32(0)
		if c.m.Record || g.Op.Kind == trace.OpFault {
			pc, stack = c.calls(g)
			if g.Op.Kind.OfSocket() { // package net makes it: where the program calls package net
				pc = c.userPC(g)
			}
		}
		g.Op.PC = pc
		c.record.ask(g, stack)
	}
	if c.mover == g {
		c.choose()
	}
	for c.course.next != g {
		h := c.course.next
		if c.mover != nil && h != nil && !h.Pseudo && !c.seat(h).hosting {
			co.hosting = true
			c.coroutines.on[h.ID].resume()
			co.hosting = false
			if c.course.moved {
				c.choose()
			}
			continue
		}
		// What pause does, for one call less to return from: after a switch the
		// processor has to guess where to.
		co.yield(struct{}{})
		if c.m.Closing {
			runtime.Goexit()
		}
	}
	c.mover = g
	c.perform(g, c.course.alt)
	if len(c.m.Released) > 0 {
		co.onStack = true
		c.advance()
		co.onStack = false
	}
	if g.State != machine.StateRunning {
		c.park(g)
	}
	co.Serving = false
	if g.Reply.Fault != "" {
		c.blameFault(g)
	}
}
