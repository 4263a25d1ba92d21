package sched

import (
	"github.com/gopor/gopor/sched/trace"
	"slices"
)

// A Pool is a set of things to be used again, like sync.Pool. Get returns what
// was Put last, which is less than Go allows: with [ModelPool] it returns any of the
// things, or none. A pool is empty at the start of every execution. All uses depend
// on each other.
type Pool struct {
	// New makes a thing when the pool is empty. It may be nil.
	New func() any
	k   key[poolState]
}

// poolState is a Pool as an object.
type poolState struct {
	header
	things []pooled
}

// pooled is a thing in a pool, and the event that put it there.
type pooled struct {
	v  any
	ev int32
}

func (s *poolState) reset()                { clear(s.things); s.things = s.things[:0] }
func (s *poolState) kind() string          { return "Pool" }
func (s *poolState) blame(*Machine) string { return "" }

func (s *poolState) describe(m *Machine, g *goroutine) bool {
	g.op.Touch(s.id, trace.ModeAll)
	if g.req.x != nil || m.Model&ModelPool == 0 {
		return true
	}
	g.op.Alts = int32(len(s.things)) + 1 // the latest first, nothing last
	return false
}

// perform puts what is handed to it into the pool, or takes a thing out if that is nil.
func (s *poolState) perform(m *Machine, g *goroutine, alt int32) {
	if g.req.x != nil {
		s.things = append(s.things, pooled{g.req.x, m.current()})
		return
	}
	g.reply.v = nil
	i := len(s.things) - 1 - int(alt)
	if i < 0 {
		return
	}
	p := s.things[i]
	s.things = slices.Delete(s.things, i, i+1)
	g.reply.v = p.v
	if m.mm != nil {
		m.mm.observe(g, p.ev)
	}
}

// Get takes a thing out of the pool, or returns the result of New. It returns
// nil if the pool is empty and has no New.
func (p *Pool) Get() any {
	g := enter("Pool.Get")
	s, _ := find(g.m, &p.k)
	v := g.askValues(trace.OpPool, s, 0, nil, nil)
	if v == nil && p.New != nil {
		v = p.New()
		if g.m.Record {
			g.noteResult("get: new")
		}
		return v
	}
	if v != nil && g.m.Model&ModelPool == 0 {
		g.usual(ModelPool, "Get of a sync.Pool")
	}
	if g.m.Record {
		g.noteResult(v)
	}
	return v
}

// Put adds x to the pool. It ignores nil.
func (p *Pool) Put(x any) {
	g := leave("Pool.Put")
	if g == nil || x == nil {
		return
	}
	s, _ := find(g.m, &p.k)
	g.askValues(trace.OpPool, s, 0, x, nil)
	if g.m.Record {
		g.noteResult(x)
	}
}
