package search

import (
	"math"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// wakeupNode is a node of a wakeup tree, an ordered tree with branches that are sequences of
// choices (Abdulla et al. 2014, definition 6.1). Its order is that in which branches are
// explored. A leaf stands for everything that can follow it. There can be as many nodes as
// traces, so they are small.
type wakeupNode struct {
	g     trace.ID
	seq   int32 // this is the seq-th event of its goroutine
	child int32 // the leftmost branch from here, 0 in a leaf
	next  int32 // the branch to the right of this one, 0 if there is none
	uses  int32 // number of the uses of the choice, as in the execution that made the node
	// Objects below this number mean the same in all executions that come here.
	known int32
	alt   int32
}

func (n *wakeupNode) choice() trace.Choice { return trace.Choice{G: n.g, Alt: n.alt} }

// wakeupNodes is the store of nodes. Number 0 means no node.
type wakeupNodes struct {
	blocks []*[wakeupBlock]wakeupNode
	made   int32
	free   int32 // linked by next
	uses   usesTable
}

// wakeupBlock is the number of nodes that are allocated together.
const wakeupBlock = 1 << 6

func (t *wakeupNodes) at(i int32) *wakeupNode {
	return &t.blocks[uint32(i)/wakeupBlock][uint32(i)%wakeupBlock]
}

func (t *wakeupNodes) leaf(c trace.Choice) int32 {
	i := t.free
	if i != 0 {
		t.free = t.at(i).next
	} else {
		t.made++
		i = t.made
		if int(i/wakeupBlock) == len(t.blocks) {
			t.blocks = append(t.blocks, new([wakeupBlock]wakeupNode))
		}
	}
	*t.at(i) = wakeupNode{g: c.G, alt: c.Alt}
	return i
}

// takeFirst cuts off the leftmost branch and returns its choice and its subtree.
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

// usesTable numbers the distinct uses of operations, of which there are few.
type usesTable struct {
	// Of one or two accesses; the second one is empty if there is only one.
	few  map[[2]trace.Access]int32
	list []Uses
	// The number found last for uses that begin with an object of these lowest bits. A look
	// here costs less than a hash of two accesses.
	recent [64]int32
}

// number returns the number of u.
func (t *usesTable) number(u *Uses) int32 {
	recent := &t.recent[uint32(u.few[0].Obj)%uint32(len(t.recent))]
	if int(*recent) < len(t.list) && t.list[*recent].Equal(u) {
		return *recent
	}
	*recent = t.find(u)
	return *recent
}

func (t *usesTable) find(u *Uses) int32 {
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

// noObject is not the number of an object.
const noObject = math.MinInt32

// refresh gives the choices at the root of a tree the uses of the operations that are pending
// now.
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

// insert handles a race of event e: it inserts v = notdep(e, E).e' into the wakeup tree of
// frame e, definition 6.2 of the paper, unless a weak initial of v sleeps there. It returns the
// number of the event up to which the outcome holds for all continuations, or open.
//
// Stopping at the first node that fits would be wrong, although the search below that node is
// complete. It is complete except for what sleeps there, and the search that put it to sleep
// relies on v being explored from here.
//
// The inserted sequence may be shorter than the paper's. It needs e', what happens before e',
// and enough to keep everything from being a weak initial that is not one of v. Since a leaf
// stands for all that follows it, a shorter sequence covers more.
func (o *optimal) insert(e int, r *reversal) int32 {
	f := o.frames.Get(e)
	if r.asked && o.Events[r.second].Footprint == trace.OpenFootprint {
		o.question(r).Known = false // see settles
	}
	o.w, o.taken, o.whole, o.matched = o.w[:0], 0, false, o.matched[:0]
	o.need = o.need[:0]
	sleep := f.sleep()
	for i := range sleep {
		z := &sleep[i]
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
		// Later events of its goroutine in E may differ from those here.
		if at < 0 || o.w[at] == r.second {
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

// extend lists more of v at the end of w. It returns false if v is complete.
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

// complete lists all of v.
func (o *optimal) complete(r *reversal) {
	for o.extend(r) {
	}
}

// settles reports whether the treatment of a race stays right when other events are appended to
// v. It does unless e' would depend, before e, on an appended event that it does not depend on
// in E. Only e can change what e' uses. So if e' keeps to trace.LawFootprints, such an event
// depends on e, or on e' in E.
func (o *optimal) settles(e int, r *reversal) bool {
	ev := &o.Events[r.second]
	return int(r.second) == e || ev.Footprint != trace.OpenFootprint ||
		slices.Equal(o.usesBefore(e, r).List(), ev.Uses.List())
}

// compatible returns the leftmost branch below a node that begins with a weak initial of w, and
// its position in w. It returns 0 if there is none.
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

// branches returns the leftmost branch below a node, or of the tree if parent is 0.
func (o *optimal) branches(f *optimalFrame, parent int32) *int32 {
	if parent == 0 {
		return &f.wut
	}
	return &o.nodes.at(parent).child
}

// weakInitial reports whether c, which uses u, is a weak initial of w (the paper's definition
// 4.1): it is the first event of its goroutine in w and can come first there, or its goroutine
// has no event in w and it is independent of all of w. If so, at is its position in w, or -1.
// If not, at is the position of an event that keeps it from being one.
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

// usesBefore returns the uses that the second event of a race has after E'.notdep(e, E), with
// E' = pre(e). They may differ from those in E, since e has changed an object: a
// compare-and-swap that fails after e may succeed there.
func (o *optimal) usesBefore(e int, r *reversal) *Uses {
	ev := &o.Events[r.second]
	if !r.far && (ev.Footprint >= trace.SteadyFootprint || o.SameBefore(e, int(r.second))) {
		return &ev.Uses
	}
	q := o.question(r)
	switch {
	case q.Known:
	case ev.Lawful():
		o.Answer(&o.asking, q)
	default:
		q.Known = true
		o.complete(r)
		q.Uses = o.UsesAfter(e, o.notdep, int(r.second))
	}
	return &q.Uses
}

// questions returns what is not known of the open races.
func (o *optimal) questions() (qs []*Question) {
	for k := range o.Events {
		for i := o.frames.Get(k).first; i != 0; i = o.races[i-1].after {
			r := &o.races[i-1]
			if r.settled == open && !r.far && o.Events[r.second].Lawful() && !o.SameBefore(k, int(r.second)) && !o.question(r).Known {
				qs = append(qs, o.question(r))
			}
		}
	}
	return qs
}

// shortened omits from w the events that neither the race nor the events in need require. The
// result is the least prefix of w, as a trace, that has those events.
func (o *optimal) shortened(e int, r *reversal) []int32 {
	if int(r.second) == e || o.Events[r.second].Footprint >= trace.LawfulFootprint {
		return o.causes(e, r)
	}
	o.complete(r)
	// The events that remain, and those of them that require the rest; last event first.
	keep, roots := o.keep[:0], o.roots[:0]
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

// causes is shortened for a second event with known uses. It omits all but the causes of the
// second event and of the events in need. The events matched by the branch are not in w any
// more, and neither are their causes.
func (o *optimal) causes(e int, r *reversal) []int32 {
	slices.Sort(o.matched)
	gone := func(i int32) bool {
		return int(i) == e || sortedHas(o.matched, i) || r.far && i != r.second && o.HB.Before(e, int(i))
	}
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

// sortedHas reports whether the sorted events have i.
func sortedHas(events []int32, i int32) bool {
	low, high := 0, len(events)
	for low < high {
		if mid := int(uint(low+high) >> 1); events[mid] < i {
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
		n.known = o.frames.Get(e).known
		branch = i
		top = max(top, w[j])
	}
	return branch, top
}

// nodeWeakInitial is weakInitial for a node below the root of a tree. The objects of the node
// may have other numbers in the current execution E than in the execution that made it.
//
// All but lazily numbered objects have the same numbers in both. While the branch up to the
// node is part of w, the node's event is an event of E too, with the same objects. But it may
// use them in another way, since it comes at another place; the uses of the node are right
// then. Otherwise no object of E is taken to be the node's, and the program is run if that
// could be wrong.
//
// Package unfold gives such objects identities that last, and unites two when an execution
// shows that they are one. Until then it may take dependent events for independent, and the
// execution that has both corrects it. Here the choice that is taken for a weak initial is
// never performed for the sake of w, so no execution would correct it.
func (o *optimal) nodeWeakInitial(n *wakeupNode, e int, r *reversal) (at int, weak bool) {
	known, its := n.known, &o.nodes.uses.list[n.uses]
	if !its.LazilyNumbered(known) {
		return o.weakInitial(n.choice(), its, e, r)
	}
	m := &o.mixed
	m.Copy(its)
	i := o.places.event(n.g, n.seq, o.Events)
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

// askWeakInitial is weakInitial for a choice that follows the branch and of a goroutine that
// has no event in w. It performs both, so that one execution names the objects of both.
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

// places finds events by goroutine and sequence number.
type places struct {
	of []([]int32) // of[g][s-1] is the s-th event of g
	n  int32       // the events that are in of
}

// pop removes the events from number k on.
func (p *places) pop(events []Performed, k int) {
	for ; int(p.n) > k; p.n-- {
		g := events[p.n-1].G
		p.of[g] = p.of[g][:len(p.of[g])-1]
	}
}

// event returns the seq-th event of g among the given ones, which are all, or -1.
func (p *places) event(g trace.ID, seq int32, events []Performed) int32 {
	for ; int(p.n) < len(events); p.n++ {
		h := events[p.n].G
		for int(h) >= len(p.of) {
			p.of = append(p.of, nil)
		}
		p.of[h] = append(p.of[h], p.n)
	}
	if int(g) >= len(p.of) || int(seq) > len(p.of[g]) {
		return -1
	}
	return p.of[g][seq-1]
}
