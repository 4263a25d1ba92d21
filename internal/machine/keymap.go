package machine

// This file has what maps and pools are in the key of a state. A key of a map is an object, which
// is known by who has used it first: which key, and of which map, follows from the histories of
// these. In what order keys have come into the map is seen by Range only, so a map that is ranged
// over has no name.

func (s *MapState) appendKey(k *Keys, b []byte) []byte { return append(b, 'T') }

func (w *MapWalk) appendKey(k *Keys, b []byte) []byte { return append(b, 'W') }

// value returns what is stored for the key.
func (k *KeyState) value() any { return k.V }

func (k *KeyState) appendKey(keys *Keys, b []byte) []byte {
	if b = appendTruth(append(b, 'K'), k.Present); k.Present {
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
		if MapUse(g.Req.Arg) == MapRange {
			k.lacks("a sync.Map that is ranged over")
		}
	case *MapWalk:
		k.lacks("a sync.Map that is ranged over")
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
	if _, is := g.Req.Obj.(*KeyState); !is {
		return b
	}
	switch MapUse(g.Req.Arg) {
	case MapStore, MapDelete:
	case MapLoad, MapLoadAndDelete, MapLoadOrStore, MapSwap:
		if b = appendTruth(b, g.Reply.Ok); g.Reply.Ok {
			b = g.past.got.append(b)
		}
	default:
		b = appendTruth(b, g.Reply.Ok)
	}
	return b
}

func (s *PoolState) appendKey(k *Keys, b []byte) []byte {
	b = appendNumber(append(b, 'P'), int64(len(s.things)))
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
	return g.past.got.append(appendTruth(b, g.Reply.v != nil))
}
