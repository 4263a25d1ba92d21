package machine

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// OwnPool is the assumption that nothing comes of it which goroutine has put a thing into a Pool.
const OwnPool = "a sync.Pool that several goroutines use"

// PoolState is a Pool as an object. With Config.OwnPools goroutines share none: the things that a
// goroutine has put are in an object of its own. So its operations depend on none of others. Go
// allows that, since a Pool may ignore what is in it.
type PoolState struct {
	header
	things []pooled
	Whole  *PoolState   // the Pool that it is a goroutine's part of, nil if goroutines share it
	parts  []*PoolState // what is reached from it
	users  [2]trace.ID  // 1 + which goroutine gets, and which one puts, -1 for several
}

// pooled is a thing in a pool, and the event that put it there.
type pooled struct {
	v  any
	ev int32
}

func (s *PoolState) reset() {
	clear(s.things)
	clear(s.parts)
	s.things, s.parts, s.Whole, s.users = s.things[:0], s.parts[:0], nil, [2]trace.ID{}
}

// Of returns the object that g's operations of the Pool are made to.
func (s *PoolState) Of(g *Goroutine) *PoolState {
	if !g.M.OwnPools || g.M.Model&ModelPool != 0 {
		return s
	}
	for _, own := range g.Waits.pools {
		if own.Whole == s {
			return own
		}
	}
	own := Take[PoolState](g.M)
	own.Whole, s.parts = s, append(s.parts, own)
	g.M.admitBy(g, own)
	w := g.waiting()
	w.pools = append(w.pools, own)
	return own
}

// Note notes what might have come of the operation that g has performed: it has put something, or
// got v, which is nil for nothing.
func (s *PoolState) Note(g *Goroutine, put bool, v any) {
	if s.Whole != nil {
		mine, others := &s.Whole.users[0], s.Whole.users[1]
		if put {
			mine, others = &s.Whole.users[1], s.Whole.users[0]
		}
		if *mine == 0 {
			*mine = g.ID + 1
		} else if *mine != g.ID+1 {
			*mine = -1
		}
		if others != 0 && others != g.ID+1 {
			g.Meet(metPools, AssumeModel, OwnPool)
			return
		}
	}
	if !put && v != nil && g.M.Model&ModelPool == 0 {
		g.Usual(ModelPool, "Get of a sync.Pool")
	}
}

// Miss notes that g got nothing, though another goroutine has put something.
func (s *PoolState) Miss(g *Goroutine) {
	if s.Whole != nil && slices.ContainsFunc(s.Whole.parts, func(p *PoolState) bool { return len(p.things) > 0 }) {
		g.M.met |= MetNone
	}
}

func (s *PoolState) Kind() string { return "Pool" }

func (s *PoolState) blame(*Machine) string { return "" }

func (s *PoolState) describe(m *Machine, g *Goroutine) bool {
	g.Op.Touch(s.ID, trace.ModeAll)
	if g.Req.x != nil || m.Model&ModelPool == 0 {
		return true
	}
	g.Op.Alts = int32(len(s.things)) + 1 // the latest first, nothing last
	return false
}

// perform puts what is handed to it into the pool, or takes a thing out if that is nil.
func (s *PoolState) perform(m *Machine, g *Goroutine, alt int32) {
	if g.Req.x != nil {
		s.things = append(s.things, pooled{g.Req.x, m.current()})
		return
	}
	g.Reply.v = nil
	i := len(s.things) - 1 - int(alt)
	if i < 0 {
		return
	}
	p := s.things[i]
	s.things = slices.Delete(s.things, i, i+1)
	g.Reply.v = p.v
	if m.Memory.Races != nil {
		m.Memory.Races.observe(g, p.ev)
	}
	if m.Keys != nil {
		m.Keys.observe(g, p.ev)
	}
}
