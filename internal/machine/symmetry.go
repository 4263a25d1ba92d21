package machine

import "unsafe"

// This file is about goroutines that are said to be interchangeable: Config.Symmetric promises that
// of those that one goroutine starts by one go statement. They form a line, in the order in which
// they were started, and are held back: each makes its first request when the one before has
// performed its own. Whichever goroutine comes first in an execution, exchanging goroutines makes
// it the first one of the line, and so on. So an execution of every kind is left.
//
// The performing of the request before happens before the next one by trace.Event.Order, as it has
// made that pending. The Go memory model knows nothing of that: see Machine.edge.

// StartOf is Start for a goroutine that a go statement of the program starts. It runs run, which
// calls f.
func (g *Goroutine) StartOf(f, run func()) *Goroutine {
	if (g.M.Symmetric || g.M.Alike) && g.M.Parallel == nil {
		// A go statement has a function of its own, or one that is given to it.
		return g.start(run, *(*unsafe.Pointer)(unsafe.Pointer(&f)))
	}
	return g.start(run, nil)
}

// lineUp puts g into its line: parent has started it with function f.
func (m *Machine) lineUp(g, parent *Goroutine, f unsafe.Pointer) {
	if !m.Symmetric {
		m.findLine(g, parent, f)
		return
	}
	code := *(*uintptr)(f)
	g.lines().code = code
	for i := parent.Made.Children - 2; i >= 0; i-- {
		if h := m.Goroutines[parent.Made.childIDs[i]]; h.line.code == code {
			g.line.ahead = h
			return
		}
	}
}

// holdBack lets g, which has posted its first request, be ready only when the one ahead has
// performed its own.
func (m *Machine) holdBack(g *Goroutine) {
	h := g.line.ahead
	if !m.Symmetric && !h.beginsAs(g) {
		m.Memory.Lines.Apart = true
		return
	}
	if h.seq > 0 {
		g.order = append(g.order, h.line.begun)
		return
	}
	if h.State != stateReady && h.State != stateHeld {
		return // it has ended without a request
	}
	if h.Op.Kind != g.Op.Kind {
		m.FailFatal(g, "goroutines that are promised to be interchangeable (por.Symmetric) begin otherwise: "+
			m.NameOf(h)+" with "+h.Op.Kind.String()+", "+m.NameOf(g)+" with "+g.Op.Kind.String(), "")
	}
	g.State, h.line.behind = stateHeld, g
}

// begin notes that g performs its first request, as event ev, and lets the next one of its line
// begin.
func (m *Machine) begin(g *Goroutine, ev int32) {
	g.line.begun = ev
	if h := g.line.behind; h != nil && h.State == stateHeld {
		h.State = stateReady
		h.order = append(h.order, ev)
		m.pending.alter(h)
	}
}
