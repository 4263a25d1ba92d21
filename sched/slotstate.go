package sched

import (
	"reflect"

	"github.com/gopor/gopor/sched/trace"
)

// slot is an atomic location that holds a Go value: a pointer, or what a Value
// holds. It replies what was there.
type slot struct {
	header
	v     any
	typed bool // of a Value: not nil, and always of one type
}

func (s *slot) reset() { s.v, s.typed = nil, false }

func (s *slot) blame(*Machine) string { return "" }

func (s *slot) kind() string {
	if s.typed {
		return "Value"
	}
	return "Pointer"
}

// raised is what the comparison of two values has panicked with.
type raised struct{ v any }

// same reports whether a == b. If comparing them panics, it returns that.
func same(a, b any) (eq bool, r *raised) {
	defer func() {
		if v := recover(); v != nil {
			r = &raised{v}
		}
	}()
	return a == b, nil
}

// mismatch reports whether v is of another type than what a Value holds.
func (s *slot) mismatch(v any) bool {
	return s.typed && s.v != nil && reflect.TypeOf(s.v) != reflect.TypeOf(v)
}

func (s *slot) describe(m *Machine, g *goroutine) bool {
	switch g.op.Kind {
	case trace.OpLoad:
		g.op.Touch(s.id, trace.ModeRead)
		return true
	case trace.OpCAS:
		mode := trace.ModeRead
		if !s.mismatch(g.req.y) {
			if eq, r := same(s.v, g.req.x); eq && r == nil {
				mode = trace.ModeWrite
			}
		}
		g.op.Touch(s.id, mode)
		return false
	}
	g.op.Touch(s.id, trace.ModeWrite)
	return true
}

func (s *slot) perform(m *Machine, g *goroutine, alt int32) {
	g.reply.v, g.reply.ok = nil, true
	switch g.op.Kind {
	case trace.OpStore, trace.OpSwap:
		if s.mismatch(g.req.x) {
			g.reply.fault = "sync/atomic: " + g.op.Kind.String() + " of inconsistently typed value into Value"
			g.reply.ok = false
			break
		}
		s.v, g.reply.v = g.req.x, s.v
	case trace.OpCAS:
		s.compareAndSwap(g)
	default:
		g.reply.v = s.v
	}
	if m.mm != nil {
		m.mm.atomic(s.id, g, g.op.Kind != trace.OpStore, g.op.Kind != trace.OpLoad && g.reply.ok)
	}
}

func (s *slot) compareAndSwap(g *goroutine) {
	g.reply.ok = false
	if s.mismatch(g.req.y) {
		g.reply.fault = "sync/atomic: compare and swap of inconsistently typed value into Value"
		return
	}
	eq, r := same(s.v, g.req.x)
	if r != nil {
		g.reply.v = r
		return
	}
	if eq {
		s.v, g.reply.ok = g.req.y, true
	}
}

// ask makes a request to s with arguments x and y, and returns what was there.
func (s *slot) ask(g *goroutine, kind trace.Kind, x, y any) any {
	v := g.askValues(kind, s, 0, x, y)
	if r, ok := v.(*raised); ok {
		panic(r.v)
	}
	if g.m.Record {
		if kind == trace.OpCAS {
			g.noteCAS(g.reply.ok, s.v)
		} else {
			g.noteResult(s.v)
		}
	}
	return v
}
