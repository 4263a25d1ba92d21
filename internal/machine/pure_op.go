package machine

import (
	"github.com/gopor/gopor/internal/asbytes"
	"github.com/gopor/gopor/sched/trace"
)

// This file has the results of operations if their kind does not say whether they only look. These
// are operations of maps and pools, and those that could have changed a number.

// finding is what has come of g's latest event.
type finding struct {
	found uint64 // a number for it: states with one key have one
	only  bool   // everything is as it was
	known bool   // everything is as it was, or what is new is plain data
}

// finder is an object of which the kind of an operation does not say that.
type finder interface{ finding(g *Goroutine) finding }

// finding returns what has come of g's latest event, if its kind does not say that it only looks.
func (g *Goroutine) finding() (f finding) {
	switch o, _ := g.Req.Obj.(finder); {
	case g.Op.Kind == trace.OpSwap:
		f = finding{uint64(g.Reply.Val), g.keeps(), true}
	case g.Op.Kind == trace.OpCAS:
		_, raised := g.Reply.v.(*Raised)
		f = finding{0, !g.Reply.Ok && !raised, true}
	case o != nil:
		f = o.finding(g)
	}
	return f
}

func (k *KeyState) finding(g *Goroutine) (f finding) {
	if _, raised := g.Reply.v.(*Raised); raised {
		return finding{}
	}
	use := MapUse(g.Req.Arg)
	switch use {
	case MapLoad:
		f.only = true
	case MapLoadOrStore:
		f.only = g.Reply.Ok
	case MapDelete, MapLoadAndDelete, MapCompareAndDelete, MapCompareAndSwap:
		f.only = !g.Reply.Ok
	}
	f.known = f.only
	if k.Present && (!f.only || g.Reply.Ok) {
		var plain bool
		if f.found, plain = numberOf(k.V, k.stored); plain {
			f.known = true
		}
	}
	f.known = f.known || !k.Present // it was deleted
	return f
}

// numberOf returns a number for v: its own if it is plain data, else that of the Store which has
// put it there, of all for the same key.
func numberOf(v any, stored int32) (n uint64, plain bool) {
	if b, plain := asbytes.Append(make([]byte, 0, 32), v); plain {
		return trace.HashKey(b)[0], true
	}
	return uint64(stored), false
}

// How many keys there are to be visited is found by visiting them.
func (s *MapState) finding(g *Goroutine) finding {
	begins := MapUse(g.Req.Arg) == MapRange
	return finding{only: begins, known: begins}
}

func (w *MapWalk) finding(g *Goroutine) finding {
	f := finding{only: true, known: true}
	if at := &w.At; at.K != nil {
		n, _ := numberOf(at.V, at.stored)
		f.found = (uint64(uint32(at.K.ID))+1)*prime ^ n
	}
	return f
}

// To find nothing is not a look where the search has chosen it.
func (s *PoolState) finding(g *Goroutine) finding {
	none := g.Req.x == nil && g.Reply.v == nil && g.Op.Alts <= 1
	return finding{only: none, known: none}
}

// keeps reports whether g's latest event has stored the number that was there.
func (g *Goroutine) keeps() bool {
	switch g.Req.Obj.(type) {
	case *cell, *Block:
		return g.Reply.left == uint64(g.Reply.Val)
	}
	return false
}
