package trace

import "github.com/gopor/gopor/internal/room"

// This file has the chains of accesses that a Tracker keeps for every object.

// heads has where the chains of an object begin: 1 + index into acc by mode, 0 for none.
type heads struct {
	of   [MaxModes]int32
	used uint32 // bits of the modes that have had a chain
}

type link struct {
	Access
	event int32
	next  int32 // the next access of the same chain, as in heads
}

// chain is the chain of an object's accesses with one mode and mask.
type chain struct {
	Access
	head int32 // as in heads
}

// link adds access a of event i to its chain.
func (t *Tracker) link(a Access, i int32) {
	if a.Obj == Everything {
		t.acc = append(room.ForOne(t.acc), link{Access: a, event: i})
		return
	}
	h := t.head(a)
	next := *h
	if next != 0 && i >= t.short && t.rel.conflict[a.Mode]>>(a.Mode&31)&1 == 0 && t.events[i].prev >= 0 {
		next = t.leaveOut(a, i, next)
	}
	n := len(t.acc)
	t.acc = room.ForOne(t.acc)[:n+1]
	l := &t.acc[n]
	l.Access, l.event, l.next = a, i, next
	*h = int32(n + 1)
}

// shortTrace is the number of events up to which chains are kept as they are. To look for what can
// be left out of them takes longer than to compare with all that is in them.
const shortTrace = 64

// nearby is how many accesses of a chain leaveOut looks at.
const nearby = 4

// leaveOut returns the chain without the same access that the goroutine of event i had before, if
// it is near. What depends on that one depends on that of event i, too, which comes after it. So
// goroutines that look at an object again and again do not make its chain long.
//
// The links in between are copied, since Pop needs the chain as it was. It finds that at a link
// that comes before the copies.
func (t *Tracker) leaveOut(a Access, i, chain int32) int32 {
	g, at, far := t.events[i].g, chain, 0
	for ; at != 0; far++ {
		l := &t.acc[at-1]
		if l.Access == a && t.events[l.event].g == g {
			break
		}
		if far+1 == nearby {
			return chain
		}
		at = l.next
	}
	if at == 0 {
		return chain
	}
	t.acc = append(room.ForOne(t.acc), link{a, i, chain})
	first := int32(len(t.acc) + 1)
	for c := chain; c != at; c = t.acc[c-1].next {
		l := t.acc[c-1]
		l.next = int32(len(t.acc) + 2)
		t.acc = append(room.ForOne(t.acc), l)
	}
	if far == 0 {
		return t.acc[at-1].next
	}
	t.acc[len(t.acc)-1].next = t.acc[at-1].next
	return first
}

// head returns the head of the chain of an access. It is valid until the next call.
func (t *Tracker) head(a Access) *int32 {
	if t.rel.masks>>(a.Mode&31)&1 == 1 {
		return t.maskedHead(a)
	}
	for int(a.Obj) >= len(t.heads) {
		t.heads = append(t.heads, nil)
	}
	h := t.heads[a.Obj]
	if h == nil {
		h = new(heads)
		t.heads[a.Obj] = h
	}
	h.used |= 1 << (a.Mode & 31)
	return &h.of[a.Mode]
}

// maskedHead is head for an access with a mask. A new chain takes the place of an empty one, so
// an object has no more chains than were ever in use at a time.
func (t *Tracker) maskedHead(a Access) *int32 {
	for int(a.Obj) >= len(t.masked) {
		t.masked = append(t.masked, nil)
	}
	chains, empty := t.masked[a.Obj], -1
	for i := range chains {
		if c := &chains[i]; c.Access == a {
			return &c.head
		} else if c.head == 0 {
			empty = i
		}
	}
	if empty < 0 {
		empty = len(chains)
		chains = append(chains, chain{})
		t.masked[a.Obj] = chains
	}
	chains[empty].Access = a
	return &chains[empty].head
}
