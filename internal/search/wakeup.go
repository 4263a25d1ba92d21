package search

import (
	"math"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// wakeupNode is a node of a wakeup tree, an ordered tree whose branches are
// sequences of choices (Abdulla et al. 2014, definition 6.1). Its order is the
// one in which branches are to be explored. A leaf stands for everything that
// can follow it. There can be as many nodes as traces, so they are kept small.
type wakeupNode struct {
	g     trace.ID
	seq   int32 // this is the seq-th event of its goroutine
	child int32 // the leftmost branch from here, 0 in a leaf
	next  int32 // the branch to the right of this one, 0 if there is none
	uses  int32 // what the choice uses, as seen in the execution that the node was made from
	known int32 // objects below this number have the same number in all executions that come here
	alt   int32
}

func (n *wakeupNode) choice() trace.Choice { return trace.Choice{G: n.g, Alt: n.alt} }

// wakeupNodes is the store of nodes. Node 0 is none.
type wakeupNodes struct {
	blocks [][]wakeupNode
	made   int32
	free   int32 // linked by next
	uses   usesTable
}

// wakeupBlock is the number of nodes that are allocated together.
const wakeupBlock = 1 << 6

func (t *wakeupNodes) at(i int32) *wakeupNode {
	return &t.blocks[i/wakeupBlock][i%wakeupBlock]
}

func (t *wakeupNodes) leaf(c trace.Choice) int32 {
	i := t.free
	if i != 0 {
		t.free = t.at(i).next
	} else {
		t.made++
		i = t.made
		if int(i/wakeupBlock) == len(t.blocks) {
			t.blocks = append(t.blocks, make([]wakeupNode, wakeupBlock))
		}
	}
	*t.at(i) = wakeupNode{g: c.G, alt: c.Alt}
	return i
}

// takeFirst cuts off the leftmost branch and returns its choice and what
// follows it.
func (t *wakeupNodes) takeFirst(tree *int32) (c trace.Choice, subtree int32) {
	i := *tree
	n := t.at(i)
	*tree = n.next
	n.next, t.free = t.free, i
	return n.choice(), n.child
}

// dropAll removes a whole tree.
func (t *wakeupNodes) dropAll(tree *int32) {
	for *tree != 0 {
		_, sub := t.takeFirst(tree)
		t.dropAll(&sub)
	}
}

// appendLast puts branch i to the right of the others.
func (t *wakeupNodes) appendLast(tree *int32, i int32) {
	for *tree != 0 {
		tree = &t.at(*tree).next
	}
	*tree = i
}

// usesTable numbers what operations use, each different one once: there are few.
type usesTable struct {
	few  map[[2]trace.Access]int32 // of one or two accesses, the second one empty in the former case
	list []Uses
}

// number returns the number of u.
func (t *usesTable) number(u *Uses) int32 {
	if len(t.list) > 0 && t.list[len(t.list)-1].Equal(u) {
		return int32(len(t.list) - 1)
	}
	if u.all != nil {
		for i := len(t.list) - 1; i >= 0; i-- {
			if t.list[i].Equal(u) {
				return int32(i)
			}
		}
		return t.add(u)
	}
	key := u.few
	for i := int(u.n); i < len(key); i++ {
		key[i] = trace.Access{Obj: noObject}
	}
	i, ok := t.few[key]
	if !ok {
		i = t.add(u)
		if t.few == nil {
			t.few = make(map[[2]trace.Access]int32)
		}
		t.few[key] = i
	}
	return i
}

func (t *usesTable) add(u *Uses) int32 {
	t.list = append(t.list, *u)
	return int32(len(t.list) - 1)
}

// noObject is no object's number.
const noObject = math.MinInt32

// refresh gives the choices at the root of a tree the operations that are now
// pending.
func (o *optimal) refresh(tree int32, ops []*trace.Op) {
	for i := tree; i != 0; i = o.nodes.at(i).next {
		n := o.nodes.at(i)
		if op := opOf(n.g, ops); op != nil {
			var u Uses
			u.Set(op.Accesses())
			n.uses = o.nodes.uses.number(&u)
		}
	}
}

// insert deals with a race of event e: it inserts v = notdep(e, E).e' into the
// wakeup tree of frame e, definition 6.2 of the paper, unless a weak initial of
// v sleeps there. It returns the number of the event up to which the outcome
// holds for whatever comes later, or open.
//
// It does not do to stop at the first node that fits, though the search of what
// begins there is complete: it is complete but for what sleeps there, and the
// search that put it to sleep counts on v being explored from here.
//
// The sequence inserted may be shorter than the paper's: what is needed is e',
// what happens before it, and enough to keep everything from being a weak
// initial that is not one of v. As a leaf stands for all that follows it, a
// shorter sequence covers more.
func (o *optimal) insert(e int, r *reversal) int32 {
	f := o.frames.At(e)
	r.exact = r.exact && o.Events[r.second].Footprint != trace.OpenFootprint // see settles
	o.w, o.taken, o.whole, o.matched = o.w[:0], 0, false, o.matched[:0]
	o.need = o.need[:0]
	for i := range f.sleep {
		z := &f.sleep[i]
		at, weak := o.weakInitial(z.Choice, &z.Uses, e, r)
		if weak {
			if at < 0 || !o.settles(e, r) {
				return open
			}
			return o.w[at]
		}
		o.need = append(o.need, o.w[at])
	}
	until, lasting := r.second, true
	o.branch = o.branch[:0]
	o.strangers.Clear()
	for parent := int32(0); ; {
		i, at := o.compatible(f, parent, e, r)
		if i == 0 {
			branch, top := o.graft(o.shortened(e, r), e, r)
			o.nodes.appendLast(o.branches(f, parent), branch)
			until = max(until, top)
			break
		}
		if at < 0 || o.w[at] == r.second { // what else its goroutine does in E is not what it does here
			o.strangers.Add(o.nodes.at(i).g)
		}
		if at >= 0 {
			until = max(until, o.w[at])
			o.matched = append(o.matched, o.w[at])
			o.w = slices.Delete(o.w, at, at+1)
		} else {
			lasting = false
		}
		if o.nodes.at(i).child == 0 {
			break
		}
		o.branch = append(o.branch, o.nodes.at(i).choice())
		parent = i
	}
	if !lasting || !o.settles(e, r) {
		return open
	}
	return until
}

// extend looks further into v, and puts what it finds at the end of w. It returns false if there
// is nothing more.
func (o *optimal) extend(r *reversal) bool {
	for o.taken == len(o.notdep) && !o.rest.Done() {
		o.notdep = o.rest.Append(o.notdep)
	}
	switch {
	case o.taken < len(o.notdep):
		o.w = append(o.w, o.notdep[o.taken:]...)
		o.taken = len(o.notdep)
	case o.whole:
		return false
	default:
		o.w = append(o.w, r.second)
		o.whole = true
	}
	return true
}

// complete has all of v looked at.
func (o *optimal) complete(r *reversal) {
	for o.extend(r) {
	}
}

// settles reports whether what was done about a race stays right when other
// events are appended to v. It does if those which e' does not depend on in E
// are not such that e' would depend on them before e. What changes e' is e, so they
// are not if it keeps to trace.LawFootprints: they would depend on e, or on e' in E.
func (o *optimal) settles(e int, r *reversal) bool {
	ev := &o.Events[r.second]
	return int(r.second) == e || ev.Footprint != trace.OpenFootprint ||
		slices.Equal(o.usesBefore(e, r).List(), ev.Uses.List())
}

// compatible returns the leftmost of the branches below a node that begins with
// a weak initial of w, and where in w that is, or 0 if there is none.
func (o *optimal) compatible(f *optimalFrame, parent int32, e int, r *reversal) (node int32, at int) {
	for i := *o.branches(f, parent); i != 0; i = o.nodes.at(i).next {
		n := o.nodes.at(i)
		weak := false
		if parent == 0 {
			at, weak = o.weakInitial(n.choice(), &o.nodes.uses.list[n.uses], e, r)
		} else {
			at, weak = o.nodeWeakInitial(n, e, r)
		}
		if weak {
			return i, at
		}
		o.need = append(o.need, o.w[at])
	}
	return 0, 0
}

// branches returns the leftmost of the branches below a node, or of the tree.
func (o *optimal) branches(f *optimalFrame, parent int32) *int32 {
	if parent == 0 {
		return &f.wut
	}
	return &o.nodes.at(parent).child
}

// weakInitial reports whether c, which uses u, is a weak initial of w: whether
// it is the first event of its goroutine in w and can come first there, or is of
// another goroutine and independent of all of w (the paper's definition 4.1). If
// so, at is its position in w, or -1; else the position of an event that keeps
// it from being one.
func (o *optimal) weakInitial(c trace.Choice, u *Uses, e int, r *reversal) (at int, weak bool) {
	for at := 0; at < len(o.w) || o.extend(r); at++ {
		i := o.w[at]
		ev := &o.Events[i]
		if i == r.second {
			if ev.G == c.G {
				return at, r.alt == c.Alt
			}
			return lastOrNone(at, o.Dependent(u, o.usesBefore(e, r)))
		}
		if ev.G == c.G {
			return at, ev.Alt == c.Alt
		}
		if o.Dependent(u, &ev.Uses) {
			return at, false
		}
	}
	return -1, true
}

func lastOrNone(at int, dependent bool) (int, bool) {
	if dependent {
		return at, false
	}
	return -1, true
}

// usesBefore returns what the second event of a race uses when it comes after
// E'.notdep(e, E), with E' = pre(e). That may be something else than in E, since
// e has changed an object: a compare-and-swap that fails after e may succeed
// there.
func (o *optimal) usesBefore(e int, r *reversal) *Uses {
	ev := &o.Events[r.second]
	if int(r.second) == e || ev.Footprint >= trace.SteadyFootprint {
		return &ev.Uses
	}
	if r.exact {
		return &r.uses
	}
	r.exact = true
	o.complete(r)
	r.uses = o.UsesAfter(e, o.notdep, o.frames[e].stateDependent, int(r.second))
	return &r.uses
}

// shortened leaves out of w what neither the race nor the events in need call
// for: what remains is the least prefix of w, as a trace, that holds them.
func (o *optimal) shortened(e int, r *reversal) []int32 {
	if int(r.second) == e || o.Events[r.second].Footprint >= trace.SteadyFootprint {
		return o.causes(e, r)
	}
	o.complete(r)
	keep, roots := o.keep[:0], o.roots[:0] // what remains, and that of it which calls for the rest; last event first
	for _, i := range slices.Backward(o.w) {
		root := i == r.second || slices.Contains(o.need, i)
		kept := root
		for l := 0; l < len(roots) && !kept; l++ {
			kept = o.HB.Before(int(i), int(roots[l]))
		}
		if !kept {
			root = o.Dependent(&o.Events[i].Uses, o.usesBefore(e, r))
			kept = root
		}
		if root {
			roots = append(roots, i)
		}
		if kept {
			keep = append(keep, i)
		}
	}
	slices.Reverse(keep)
	o.keep, o.roots = keep, roots
	return keep
}

// causes is shortened where what the second event uses is known, so that all but the causes of
// the events in need and its own can be left out. What was matched by the branch is no more in w,
// nor are its causes.
func (o *optimal) causes(e int, r *reversal) []int32 {
	slices.Sort(o.matched)
	gone := func(i int32) bool { return int(i) == e || sortedHas(o.matched, i) }
	roots := append(append(o.roots[:0], o.need...), r.second)
	roots = slices.DeleteFunc(roots, gone)
	slices.Sort(roots)
	roots = slices.Compact(roots)
	keep := slices.DeleteFunc(o.HB.Causes(o.keep[:0], e, roots...), gone)
	slices.Reverse(keep)
	if int(r.second) == e && !sortedHas(o.matched, r.second) {
		keep = append(keep, r.second)
	}
	o.keep, o.roots = keep, roots
	return keep
}

// sortedHas reports whether i is among the events, which are in their order.
func sortedHas(events []int32, i int32) bool {
	low, high := 0, len(events)
	for low < high {
		if mid := (low + high) / 2; events[mid] < i {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low < len(events) && events[low] == i
}

// graft makes a branch of w. It also returns the highest event of w.
func (o *optimal) graft(w []int32, e int, r *reversal) (branch, top int32) {
	for j := len(w) - 1; j >= 0; j-- {
		ev := &o.Events[w[j]]
		c, u := ev.Choice, &ev.Uses
		if w[j] == r.second {
			c.Alt, u = r.alt, o.usesBefore(e, r)
		}
		i := o.nodes.leaf(c)
		n := o.nodes.at(i)
		n.seq, n.uses, n.child = o.HB.Seq(int(w[j])), o.nodes.uses.number(u), branch
		n.known = o.frames[e].known
		branch = i
		top = max(top, w[j])
	}
	return branch, top
}

// nodeWeakInitial is weakInitial for a node below the root of a tree, whose
// objects may have other numbers in the current execution E than in the one that
// it was made from.
//
// All but lazily numbered objects have the same numbers in both. As long as the branch up
// to the node is part of w, the node's event is one of E too, and with the same
// objects; but it may use them in another way since it comes at another place,
// and that the node knows better. Otherwise none of E's objects is taken to be
// the node's, and the program is asked if that could be wrong.
//
// Package unfold gives such objects identities that last, and unites two when an
// execution shows that they are one. Until then it may take dependent events for
// independent, and the execution in which both come puts it right. Here what is taken
// for a weak initial is never performed for the sake of w, so nothing would.
func (o *optimal) nodeWeakInitial(n *wakeupNode, e int, r *reversal) (at int, weak bool) {
	known, its := n.known, &o.nodes.uses.list[n.uses]
	if !its.LazilyNumbered(known) {
		return o.weakInitial(n.choice(), its, e, r)
	}
	m := &o.mixed
	m.Copy(its)
	i := o.places.event(n.g, n.seq)
	same := !o.strangers.Has(n.g) && i >= 0 && (m.OfBytes() || o.Events[i].Uses.n == m.n)
	if same && m.OfBytes() {
		m.Like(&o.Events[i].Uses)
		return o.weakInitial(n.choice(), m, e, r)
	}
	for j := range m.n {
		switch {
		case same:
			m.Rename(j, o.Events[i].Uses.Access(j).Obj)
		case isLazilyNumbered(m.Access(j).Obj, known):
			m.Rename(j, noObject)
		}
	}
	at, weak = o.weakInitial(n.choice(), m, e, r)
	if weak && !same {
		o.complete(r)
		for _, x := range o.w {
			if o.Events[x].Uses.LazilyNumbered(known) {
				return o.askWeakInitial(n.choice(), e, r)
			}
		}
	}
	return at, weak
}

// askWeakInitial is weakInitial for a choice that follows the branch and is not
// of a goroutine in w. It performs both, and so has both name their objects in
// one execution.
func (o *optimal) askWeakInitial(c trace.Choice, e int, r *reversal) (at int, weak bool) {
	o.complete(r)
	o.probe = append(append(o.probe[:0], o.Schedule[:e]...), o.branch...)
	var its, u Uses
	its.Set(nil)
	for _, op := range o.PendingAfter(o.probe) {
		if op.G == c.G {
			its.Set(slices.Clone(op.Accesses()))
		}
	}
	for at, i := range o.w {
		x := o.Events[i].Choice
		if i == r.second {
			x.Alt = r.alt
		}
		ev, err := o.Run.Step(x)
		if err != nil {
			o.Err = err
			return at, false
		}
		if u.Set(ev.Accesses()); o.Dependent(&its, &u) {
			return at, false
		}
	}
	return -1, true
}

// places finds events by goroutine and position.
type places struct {
	of []([]int32) // of[g][s-1] is the s-th event of g
	n  int32       // events
}

func (p *places) push(g trace.ID) {
	for int(g) >= len(p.of) {
		p.of = append(p.of, nil)
	}
	p.of[g] = append(p.of[g], p.n)
	p.n++
}

// pop removes the given events, which are the latest.
func (p *places) pop(events []Performed) {
	for i := range events {
		g := events[i].G
		p.of[g] = p.of[g][:len(p.of[g])-1]
	}
	p.n -= int32(len(events))
}

// event returns the seq-th event of g, or -1.
func (p *places) event(g trace.ID, seq int32) int32 {
	if int(g) >= len(p.of) || int(seq) > len(p.of[g]) {
		return -1
	}
	return p.of[g][seq-1]
}
