package machine

import (
	"slices"
	"unsafe"
	"weak"

	"github.com/gopor/gopor/sched/trace"
)

// This file says what an execution leaves behind. Package sched finds out what of that is reached.

// Left is a goroutine that has not ended when the execution is over.
type Left struct {
	G     *Goroutine
	Waits bool             // for a primitive, and not for time or its turn
	On    []unsafe.Pointer // states of primitives that it waits for; none if its wait cannot end
	For   *Goroutine       // the goroutine that it waits for to end, or nil
	Peer  unsafe.Pointer   // what the program holds of the other end of its connection, or nil
}

// LeftBehind returns the goroutines of the program that have not ended.
func (m *Machine) LeftBehind() (all []Left) {
	for _, g := range m.Goroutines {
		if g.Pseudo || g.State == StateUnborn || g.State == StateEnded || g.dead() {
			continue
		}
		l := Left{G: g}
		if g.State == StateWaiting && !g.loop.poll.waits && !g.loop.turns.waits {
			l.waits()
		}
		all = append(all, l)
	}
	return all
}

// Started returns the goroutine that has started g, nil if none has, and the place of g among its
// children.
func (g *Goroutine) Started() (parent *Goroutine, place int32) {
	return g.Origin.parent, g.Origin.place
}

// waits says what a goroutine waits for.
func (l *Left) waits() {
	g := l.G
	switch {
	case g.Op.Kind == trace.OpJoin:
		l.Waits, l.For = true, g.M.Goroutines[g.Req.Arg]
	case g.Op.Kind == trace.OpSelect:
		l.Waits = true
		for i := range g.Req.Cases {
			if ch := g.Req.Cases[i].Ch; ch != nil {
				l.On = append(l.On, unsafe.Pointer(ch))
			}
		}
	case g.Req.Obj != nil:
		l.Waits, l.On = true, []unsafe.Pointer{unsafe.Pointer(g.Req.Obj.Head())}
		if w, ok := g.Req.Obj.(*WayState); ok && g.Op.Kind == trace.OpNetRead {
			l.depends(w.back)
		} else if ok {
			l.depends(w)
		}
	}
}

// depends notes that the wait ends when the end that reads from w is closed.
func (l *Left) depends(w *WayState) {
	l.Peer = unsafe.Pointer(w.Reader.held.Value())
	collected := l.Peer == nil && w.Reader.held != (weak.Pointer[byte]{})
	l.Waits = !collected
}

// HeldAs notes what the program holds of the end that reads from w. The runtime closes that end
// when nothing reaches it.
func (w *WayState) HeldAs(end unsafe.Pointer) { w.Reader.held = weak.Make((*byte)(end)) }

// Stack returns the descriptor of the runtime's goroutine that runs g, 0 if there is none.
func (co *Caller) Stack() uintptr { return co.gp.Load() }

// All returns all that there are.
func (r *registry) All() (all []*Caller) {
	if t := r.table.Load(); t != nil {
		for i := range *t {
			if co := (*t)[i].Load(); co != nil && co != tombstone {
				all = append(all, co)
			}
		}
	}
	return all
}

// StandsFor calls visit with what there is of the program, and what stands for it in the running
// execution.
func (m *Machine) StandsFor(visit func(what uintptr, state unsafe.Pointer)) {
	for i := range m.Marks.places {
		visit(uintptr(m.Marks.places[i].at), m.Marks.places[i].state)
	}
	m.Store.elsewhere.Each(m.Epoch, func(p unsafe.Pointer, e *strayed) {
		if e.o != nil {
			visit(uintptr(p), unsafe.Pointer(e.o.Head()))
		}
	})
	m.Outside.shadows.Each(m.Epoch, func(p unsafe.Pointer, v *any) { visit(uintptr(p), DataOf(v)) })
}

// DataOf returns what an interface that holds a pointer points to.
func DataOf(v *any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(v))[1] }

// Armed returns the timers that may fire, and what else may run by itself.
func (m *Machine) Armed() (all []unsafe.Pointer) {
	for _, g := range m.Goroutines {
		if !g.Pseudo || g.State == StateUnborn || g.State == StateEnded {
			continue
		}
		if t, ok := g.Req.Obj.(*TimerState); ok && t.armed {
			all = append(all, unsafe.Pointer(t))
		}
	}
	if m.Outside.finalsIn == m.Epoch {
		for i := range m.Outside.finals {
			all = append(all, m.Outside.finals[i].calls...)
		}
	}
	return all
}

// final is what the runtime would call when an object is not reached any more.
type final struct {
	of    unsafe.Pointer
	calls []unsafe.Pointer // the function, and what it is given besides
	once  bool             // another one of the object takes its place
}

// Finalize notes that the runtime would call what is at calls, if the program ran without control:
// it reaches that, and what the object at p points to. A finalizer, if it is one, takes the place
// of another one, and none does if calls is empty.
func (m *Machine) Finalize(p unsafe.Pointer, finalizer bool, calls ...unsafe.Pointer) {
	if m.Outside.finalsIn != m.Epoch {
		m.Outside.finals, m.Outside.finalsIn = nil, m.Epoch
	}
	if finalizer {
		m.Outside.finals = slices.DeleteFunc(m.Outside.finals, func(f final) bool { return f.of == p && f.once })
	}
	if len(calls) > 0 {
		m.Outside.finals = append(m.Outside.finals, final{p, calls, finalizer})
	}
}

// Finalized returns the objects with something that the runtime would call.
func (m *Machine) Finalized() (all []unsafe.Pointer) {
	if m.Outside.finalsIn != m.Epoch {
		return nil
	}
	for i := range m.Outside.finals {
		if m.Outside.finals[i].once {
			all = append(all, m.Outside.finals[i].of)
		}
	}
	return all
}
