package machine

import (
	"slices"
	"unsafe"

	"github.com/gopor/gopor/internal/likeness"
	"github.com/gopor/gopor/sched/trace"
)

// This file finds goroutines that are interchangeable. Config.Alike asks for it, and symmetry.go
// has what a line is. docs/design/symmetry.md proves that nothing is lost.
//
// A goroutine is in one line with an earlier one of its parent that was started with the same
// code on the same captured values, if the parent has meanwhile learnt nothing. As long as neither
// has performed an operation, the two can change places in a state, and the state stays what it is.
// So one of them may be taken to be the first.
//
// Four things could tell two such goroutines apart nevertheless. Where one of them is met,
// [Lines].Apart says so. The search is to begin anew then, without lines:
//
//   - Random numbers, which come from a source of each goroutine, and the text of a stack.
//   - A Handle that joins one of the two, or the end of a bubble of package testing/synctest.
//   - What the parent has done between their starts, of which the later one knows more. If that
//     is an access that another one conflicts with, then a data race could be missed.
//   - Two first operations of different kinds. The code before them is the same.

// Exchange is about goroutines that are interchangeable.
type Exchange struct {
	Symmetric bool // those of one go statement are, see symmetry.go
	Alike     bool // those that are so are to be found
}

// Lines is what is known of the lines of all executions.
type Lines struct {
	Apart  bool // some execution tells goroutines of a line apart
	Places []AlikePlace
	taken  bool // there is a line in the running execution
}

// AlikePlace is a go statement that has started goroutines that are alike.
type AlikePlace struct {
	PC   uintptr // of the call that has started them
	Most int     // of one line
}

// window is a part of a goroutine's time: it has started the first goroutine of a line at its
// beginning and the latest one at its end.
type window struct{ from, to int32 }

// mostCandidates is with how many earlier goroutines a new one is compared. mostDeep is how deep
// closures may be in closures.
const (
	mostCandidates = 16
	mostDeep       = 4
)

// finds reports whether lines are to be found among the children of g.
func (m *Machine) finds(g *Goroutine) bool {
	return m.Alike && !m.Memory.Lines.Apart && m.Memory.Races != nil && m.Keys == nil && m.Faults.Kinds == 0 && m.Faults.Plan == nil &&
		!g.bubble && g.Origin.node == nil
}

// findLine puts g, which parent has started with function f, into the line that it belongs to.
func (m *Machine) findLine(g, parent *Goroutine, f unsafe.Pointer) {
	if !m.finds(parent) {
		return
	}
	l := g.lines()
	l.code, l.f, l.at = *(*uintptr)(f), f, parent.view.time
	l.from = l.at
	for i, n := parent.Made.Children-2, 0; i >= parent.line.since && n < mostCandidates; i-- {
		h := m.Goroutines[parent.Made.childIDs[i]]
		if h.line.code != l.code {
			continue
		}
		n++
		like := likeness.Of(h.line.f, f, mostDeep)
		if like == likeness.None {
			continue
		}
		// What the parent has learnt, it has by locks that are no operations.
		if like == likeness.Perhaps || h.line.named || parent.view.since > h.line.at {
			m.Memory.Lines.Apart = true
			return
		}
		l.ahead, l.from, h.line.followed, m.Memory.Lines.taken = h, h.line.from, true, true
		l.place = h.line.place + 1
		parent.lines().widen(l.from, l.at)
		m.Memory.Lines.note(parent, l.place+1)
		return
	}
}

// widen lets the window that begins at from end at to.
func (l *line) widen(from, to int32) {
	for i := range l.windows {
		if w := &l.windows[i]; w.from == from {
			w.to = to
			return
		}
	}
	l.windows = append(l.windows, window{from, to})
}

// note keeps where g has started a goroutine that is the n-th of its line.
func (l *Lines) note(g *Goroutine, n int) {
	pc := g.M.Exec.Caller(g)
	i := slices.IndexFunc(l.Places, func(p AlikePlace) bool { return p.PC == pc })
	if i < 0 {
		i = len(l.Places)
		l.Places = append(l.Places, AlikePlace{PC: pc})
	}
	l.Places[i].Most = max(l.Places[i].Most, n)
}

// Named says that g has learnt something that follows from its name, so that it, and those that it
// comes from, are in no line with others.
func (g *Goroutine) Named() {
	for m := g.M; m.Alike && g != nil; g = g.Origin.parent {
		g.lines().named = true
		if g.line.ahead != nil || g.line.followed {
			m.Memory.Lines.Apart = true
		}
	}
}

// TellApart says that goroutines of the execution are told apart.
func (m *Machine) TellApart() {
	if m.Memory.Lines.taken {
		m.Memory.Lines.Apart = true
	}
}

// beginsAs reports whether h, which is ahead of g, has begun or is about to begin with an operation
// of the same kind.
func (h *Goroutine) beginsAs(g *Goroutine) bool {
	return (h.seq > 0 || h.State == stateReady || h.State == stateHeld) && h.line.first == g.line.first
}

// teachesNothing reports whether the operation that g performs leaves it as it was. Then goroutines
// that it starts before and after may be in one line.
func (m *Machine) teachesNothing(g *Goroutine) bool {
	switch g.Op.Kind {
	case trace.OpWGAdd:
		return int64(g.Req.Arg) > 0 && m.Model&ModelWaitGroup == 0
	case trace.OpAdd, trace.OpAnd, trace.OpOr:
		_, memory := g.Req.Obj.(*Block)
		return memory && g.Req.Mem.unused
	}
	return false
}

// exposes reports whether g knows of what h did at that time of its own only, perhaps, since it
// comes of a goroutine of a line that was started after that, and not with the first of the line.
func (mm *memoryModel) exposes(g *Goroutine, h trace.ID, time int32) bool {
	if h == g.ID {
		return false
	}
	for _, w := range mm.m.Goroutines[h].line.windows {
		if w.from <= time && time < w.to && mm.clocks.At(g.view.clock, int32(h)) <= w.to {
			return true
		}
	}
	return false
}

// orders is knows for two accesses that conflict.
func (mm *memoryModel) orders(g *Goroutine, h trace.ID, time int32) bool {
	if !mm.knows(g, h, time) {
		return false
	}
	if mm.m.Memory.Lines.taken && mm.exposes(g, h, time) {
		mm.m.Memory.Lines.Apart = true
	}
	return true
}

// covers reports whether an access by g takes the place of one by h at that time, so that what
// conflicts with both need be compared with the later one only.
func (mm *memoryModel) covers(g *Goroutine, h trace.ID, time int32) bool {
	return mm.knows(g, h, time) && !(mm.m.Memory.Lines.taken && mm.exposes(g, h, time))
}
