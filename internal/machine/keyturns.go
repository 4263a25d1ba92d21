package machine

import (
	"slices"

	"github.com/gopor/gopor/internal/asbytes"
)

// This file lets a goroutine that goes round a loop of rewritten code forget what it has done in
// it. Such a loop says where its turns begin ([Goroutine.TurnAt]) if the rewriter has found two
// things. A turn leaves something only in those locals of its goroutine that are plain data, and it
// writes no memory that others could read. The loop tells what these locals hold. So at the head of
// a turn the locals are what they were when the loop began, but for these. So the history is the
// one that it had then, with the values. What has become of everything else, by whatever the
// goroutine has done meanwhile, is in the states of objects.
//
// What the goroutine has learnt from others is kept, as it may read of that in plain memory
// whenever it likes. It is kept as a set of histories, to which a turn adds nothing once everything
// was learnt. For the same reason, others that learn from the goroutine while it goes round do not
// learn how often it has done so, or what it has seen. It has written nothing, so they learn of the
// history that it had when the loop began, and of what it has learnt since. If two goroutines that
// take turns with a lock learnt of each other's turns, each would add to what the other one adds
// to.
//
// The loop ends when the goroutine does what others may find in memory. That is so when it writes
// memory, starts a goroutine, makes an object, or hands on what is not plain data. Then either the
// loop was left, which nothing announces, or the goroutine does so in a function that the rewriter
// does not see, of a context. A turn that comes nevertheless is the first one.

// round is a loop that a goroutine goes round.
type round struct {
	place uintptr
	loop  int32    // its number, see TurnAt
	id    identity // the history when it began
}

// turn lets g, which is at the head of a loop of rewritten code, forget what it has done since that
// began.
func (k *Keys) turn(g *Goroutine, r round, values []any) {
	if k.Local != nil {
		return
	}
	p := g.past
	i := slices.IndexFunc(p.rounds, func(o round) bool { return o.place == r.place })
	if i >= 0 && p.rounds[i].loop != r.loop {
		// That loop was left, or is around this one.
		p.rounds, i = slices.Delete(p.rounds, i, i+1), -1
	}
	if i < 0 {
		i = len(p.rounds)
		r.id = k.now(g)
		p.rounds = append(p.rounds, r)
		if i == 0 {
			p.known = p.known[:0]
		}
	}
	r = p.rounds[i] // those that have begun since were left
	b := asbytes.Number(append(r.id.append(make([]byte, 0, 64)), 'L'), int64(r.place))
	for _, v := range values {
		var plain bool
		if b, plain = asbytes.Append(b, v); !plain {
			k.acts(g)
			return
		}
	}
	k.step(g, b)
	p.inbox, p.turned, k.turning = append(p.inbox[:0], p.known...), true, true
	k.rewritten = true
}

// acts notes that g has done something that its history has to keep.
func (k *Keys) acts(g *Goroutine) { g.past.rounds = g.past.rounds[:0] }

// conveys returns what others learn from g: its history, and if it goes round a loop a set of
// histories. So does a timer, which does the same again and again, and hands on what it has learnt.
func (k *Keys) conveys(g *Goroutine) identity {
	p := g.past
	first, known := p.local, p.inbox
	switch {
	case g.Pseudo:
	case len(p.rounds) == 0:
		return k.now(g)
	default:
		first, known = p.rounds[0].id, p.known
	}
	if len(known) == 0 {
		return first
	}
	all := append([]identity{first}, known...)
	b := append(make([]byte, 0, 64), 'K')
	for _, id := range all {
		b = id.append(b)
	}
	id := k.identify(b)
	k.sets[id] = all
	return id
}

// comesToKnow adds a history to those that g has learnt of.
func (k *Keys) comesToKnow(g *Goroutine, id identity) {
	p := g.past
	if len(p.rounds) > 0 {
		if id == p.rounds[0].id {
			return
		}
		p.known = withIdentity(p.known, id)
	}
	p.inbox = withIdentity(p.inbox, id)
}

// withIdentity returns a set, in order, with id.
func withIdentity(set []identity, id identity) []identity {
	if i, known := slices.BinarySearchFunc(set, id, compareIdentity); !known {
		return slices.Insert(set, i, id)
	}
	return set
}
