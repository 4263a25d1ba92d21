package machine

import (
	"reflect"

	"github.com/gopor/gopor/sched/trace"
)

// Slot is an atomic location that holds a Go value: a pointer, or what a Value
// holds. It replies what was there.
type Slot struct {
	header
	v     any
	Typed bool // of a Value: not nil, and always of one type
}

func (s *Slot) reset() { s.v, s.Typed = nil, false }

func (s *Slot) blame(*Machine) string { return "" }

func (s *Slot) Kind() string {
	if s.Typed {
		return "Value"
	}
	return "Pointer"
}

// Raised is what the comparison of two values has panicked with.
type Raised struct{ V any }

// same reports whether a == b. If comparing them panics, it returns that.
func same(a, b any) (eq bool, r *Raised) {
	defer func() {
		if v := recover(); v != nil {
			r = &Raised{v}
		}
	}()
	return a == b, nil
}

// mismatch reports whether v is of another type than what a Value holds.
func (s *Slot) mismatch(v any) bool {
	return s.Typed && s.v != nil && reflect.TypeOf(s.v) != reflect.TypeOf(v)
}

func (s *Slot) describe(m *Machine, g *Goroutine) bool {
	switch g.Op.Kind {
	case trace.OpLoad:
		g.Op.Touch(s.ID, trace.ModeRead)
		return true
	case trace.OpCAS:
		mode := trace.ModeRead
		if !s.mismatch(g.Req.y) {
			if eq, r := same(s.v, g.Req.x); eq && r == nil {
				mode = trace.ModeWrite
			}
		}
		g.Op.Touch(s.ID, mode)
		return false
	}
	g.Op.Touch(s.ID, trace.ModeWrite)
	return true
}

func (s *Slot) perform(m *Machine, g *Goroutine, alt int32) {
	g.Reply.v, g.Reply.Ok = nil, true
	switch g.Op.Kind {
	case trace.OpStore, trace.OpSwap:
		if s.mismatch(g.Req.x) {
			g.Reply.Fault = "sync/atomic: " + g.Op.Kind.String() + " of inconsistently typed value into Value"
			g.Reply.Ok = false
			break
		}
		s.v, g.Reply.v = g.Req.x, s.v
	case trace.OpCAS:
		s.compareAndSwap(g)
	default:
		g.Reply.v = s.v
	}
	if m.Memory.Races != nil {
		m.Memory.Races.atomic(s.ID, g, g.Op.Kind != trace.OpStore, g.Op.Kind != trace.OpLoad && g.Reply.Ok)
	}
	if m.Keys != nil {
		m.Keys.atomic(s.ID, g, g.Op.Kind != trace.OpStore, g.Op.Kind != trace.OpLoad && g.Reply.Ok)
	}
}

func (s *Slot) compareAndSwap(g *Goroutine) {
	g.Reply.Ok = false
	if s.mismatch(g.Req.y) {
		g.Reply.Fault = "sync/atomic: compare and swap of inconsistently typed value into Value"
		return
	}
	eq, r := same(s.v, g.Req.x)
	if r != nil {
		g.Reply.v = r
		return
	}
	if eq {
		s.v, g.Reply.Ok = g.Req.y, true
	}
}

// Ask makes a request to s with arguments x and y, and returns what was there.
func (s *Slot) Ask(g *Goroutine, kind trace.Kind, x, y any) any {
	v := g.AskValues(kind, s, 0, x, y)
	if r, ok := v.(*Raised); ok {
		panic(r.V)
	}
	if g.M.Record {
		if kind == trace.OpCAS {
			g.noteCAS(g.Reply.Ok, s.v)
		} else {
			g.NoteResult(s.v)
		}
	}
	return v
}
