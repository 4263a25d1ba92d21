package machine

import (
	"slices"

	"github.com/gopor/gopor/internal/asbytes"
)

// This file has what maps and pools are in the key of a state. A key of a map is an object, which
// is known by its first uses. Which key it is, and of which map, follows from the histories of the
// goroutines that use it. Only Range sees the order in which keys have come into a map. So that
// order is part of no key of a state until a goroutine ranges over a map. Then states get other
// names, and a search begins again.

// appendKey appends the order of the keys, with the goroutines that have put them there, and the
// calls of Range that go on. A state in which nothing is pending has no need of either. So its key
// is the same before and after it was learnt that there is a Range.
func (s *MapState) appendKey(k *Keys, b []byte) []byte {
	if b = append(b, 'T'); !k.ranges || k.cut || len(k.m.Pending()) == 0 {
		return b
	}
	for _, key := range s.sorted(k.m) {
		if key.Present || len(s.walks) > 0 {
			b = k.name(asbytes.Number(append(b, 'o'), int64(key.By.ID)), key)
		}
	}
	walks := slices.Clone(s.walks)
	slices.SortStableFunc(walks, func(v, w *MapWalk) int { return int(v.by - w.by) })
	for _, w := range walks {
		b = w.append(k, b)
	}
	return b
}

// append appends how far a call of Range is. Which goroutines are in a call, and in how many,
// follows from the histories.
func (w *MapWalk) append(k *Keys, b []byte) []byte {
	b = asbytes.Truth(append(b, 'w'), w.late)
	for _, keys := range [2][]*KeyState{w.Keys, w.visited} {
		b = asbytes.Number(b, int64(len(keys)))
		for _, key := range keys {
			b = k.name(b, key)
		}
	}
	if w.left == nil {
		return append(b, 0)
	}
	b = append(b, 1)
	for _, key := range w.Of.sorted(k.m) {
		if w.left[key].K != nil {
			b = k.kept(k.name(append(b, 'l'), key), w.left[key].V)
		}
	}
	return b
}

// kept appends a value that was there when its map was cleared.
func (k *Keys) kept(b []byte, v any) []byte {
	b, plain := asbytes.Append(b, v)
	if !plain {
		k.lacks("a sync.Map of pointers that is cleared while a goroutine ranges over it")
	}
	return b
}

func (w *MapWalk) appendKey(k *Keys, b []byte) []byte { return w.Of.appendKey(k, b) }

// value returns what is stored for the key.
func (k *KeyState) value() any { return k.V }

func (k *KeyState) appendKey(keys *Keys, b []byte) []byte {
	if b = asbytes.Truth(append(b, 'K'), k.Present); k.Present {
		b = keys.value(k.V, keys.object(k).by).append(b)
	}
	return b
}

// usesMap notes that g is about to use a map, besides the object of its request.
func (k *Keys) usesMap(g *Goroutine, used func(o Object, n uint32)) {
	switch o := g.Req.Obj.(type) {
	case *KeyState:
		used(o.Of, 1)
	case *MapState:
		if MapUse(g.Req.Arg) == MapRange && !k.ranges {
			k.ranges, k.renamed = true, true
		}
	}
}

// stores reports whether g's request, which was performed, has stored a value.
func (k *KeyState) stores(g *Goroutine) bool {
	switch MapUse(g.Req.Arg) {
	case MapStore, MapSwap:
		return true
	case MapLoadOrStore:
		return !g.Reply.Ok
	case MapCompareAndSwap:
		return g.Reply.Ok
	}
	return false
}

// mapReply appends what a request to a map has returned, of which a value is what g has got.
func (k *Keys) mapReply(b []byte, g *Goroutine) []byte {
	if w, is := g.Req.Obj.(*MapWalk); is {
		return w.reply(k, b)
	}
	if _, is := g.Req.Obj.(*KeyState); !is {
		return b
	}
	switch MapUse(g.Req.Arg) {
	case MapStore, MapDelete:
	case MapLoad, MapLoadAndDelete, MapLoadOrStore, MapSwap:
		if b = asbytes.Truth(b, g.Reply.Ok); g.Reply.Ok {
			b = g.past.got.append(b)
		}
	default:
		b = asbytes.Truth(b, g.Reply.Ok)
	}
	return b
}

// reply appends what was found last.
func (w *MapWalk) reply(k *Keys, b []byte) []byte {
	key := w.At.K
	if key == nil {
		return append(b, 0)
	}
	if b = k.name(append(b, 1), key); w.left != nil {
		return k.kept(b, w.At.V)
	}
	return k.value(w.At.V, k.object(key).by).append(b)
}

func (s *PoolState) appendKey(k *Keys, b []byte) []byte {
	b = asbytes.Number(append(b, 'P'), int64(len(s.things)))
	for i := range s.things {
		b = k.event(k.pooled(&s.things[i]).append(b), s.things[i].ev)
	}
	return b
}

// pooled returns the identity of a thing in a pool.
func (k *Keys) pooled(p *pooled) identity { return k.value(p.v, k.events[p.ev]) }

// takes notes what g's request to a pool will get, as alternative alt.
func (k *Keys) takes(g *Goroutine, s *PoolState, alt int32) {
	g.past.got = identity{}
	switch i := len(s.things) - 1 - int(alt); {
	case g.Req.x != nil:
		k.hands(g, g.Req.x)
	case i >= 0:
		g.past.got = k.pooled(&s.things[i])
	}
}

// poolReply appends what a request to a pool has returned.
func (k *Keys) poolReply(b []byte, g *Goroutine) []byte {
	if _, is := g.Req.Obj.(*PoolState); !is || g.Req.x != nil {
		return b
	}
	return g.past.got.append(asbytes.Truth(b, g.Reply.v != nil))
}
