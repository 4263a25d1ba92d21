package por

import (
	"slices"

	"github.com/gopor/gopor/sched"
)

// wakeupNode is a node of a wakeup tree, an ordered tree whose branches are
// sequences of choices (Abdulla et al. 2014, definition 6.1). Its order is the
// one in which branches are to be explored. A leaf stands for everything that
// can follow it.
type wakeupNode struct {
	sched.Choice
	seq   int32 // this is the seq-th event of its goroutine
	child int32 // the leftmost branch from here, 0 in a leaf
	next  int32 // the branch to the right of this one, 0 if there is none
	uses  uses  // as seen in the execution that the node was made from
}

// wakeupNodes is the store of nodes. Node 0 is none.
type wakeupNodes struct {
	all  []wakeupNode
	free int32 // linked by next
}

func (t *wakeupNodes) leaf(c sched.Choice) int32 {
	if t.free == 0 {
		if len(t.all) == 0 {
			t.all = append(t.all, wakeupNode{})
		}
		t.all = append(t.all, wakeupNode{Choice: c})
		return int32(len(t.all) - 1)
	}
	i := t.free
	n := &t.all[i]
	t.free = n.next
	n.Choice, n.child, n.next = c, 0, 0
	return i
}

// takeFirst cuts off the leftmost branch and returns its choice and what
// follows it.
func (t *wakeupNodes) takeFirst(tree *int32) (c sched.Choice, subtree int32) {
	i := *tree
	n := &t.all[i]
	*tree = n.next
	n.next, t.free = t.free, i
	return n.Choice, n.child
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
		tree = &t.all[*tree].next
	}
	*tree = i
}

// refresh gives the choices at the root of a tree the operations that are now
// pending.
func (o *optimal) refresh(tree int32, ops []*sched.Op) {
	for i := tree; i != 0; i = o.nodes.all[i].next {
		n := &o.nodes.all[i]
		for _, op := range ops {
			if op.G == n.G {
				n.uses.set(op.Accesses())
			}
		}
	}
}

// insert deals with a race of event e: it inserts v = notdep(e, E).e' into the
// wakeup tree of frame e, definition 6.2 of the paper, unless a weak initial of
// v sleeps there. It returns the number of the event up to which the outcome
// holds for whatever comes later, or open.
//
// The sequence inserted may be shorter than the paper's: what is needed is e',
// what happens before it, and enough to keep everything from being a weak
// initial that is not one of v. As a leaf stands for all that follows it, a
// shorter sequence covers more.
func (o *optimal) insert(e int, r *reversal) int32 {
	f := o.frames.at(e)
	w := append(o.w[:0], o.notdep...)
	w = append(w, r.second)
	o.w = w
	o.need = o.need[:0]
	for i := range f.sleep {
		z := &f.sleep[i]
		at, weak := o.weakInitial(z.Choice, &z.uses, w, r)
		if weak {
			if at < 0 {
				return open
			}
			return w[at]
		}
		o.need = append(o.need, w[at])
	}
	until, lasting := r.second, true
	for parent, depth := int32(0), 0; ; depth++ {
		i := *o.branches(f, parent)
		for ; i != 0; i = o.nodes.all[i].next {
			n := &o.nodes.all[i]
			at, weak := o.weakInitial(n.Choice, o.nodeUses(n, depth), w, r)
			if !weak {
				o.need = append(o.need, w[at])
				continue
			}
			if at >= 0 {
				until = max(until, w[at])
				w = slices.Delete(w, at, at+1)
			} else {
				lasting = false
			}
			break
		}
		if i == 0 {
			branch, top := o.graft(o.shortened(w, r), r)
			o.nodes.appendLast(o.branches(f, parent), branch)
			until = max(until, top)
			break
		}
		if o.nodes.all[i].child == 0 {
			break
		}
		parent = i
	}
	if !lasting {
		return open
	}
	return until
}

// branches returns the leftmost of the branches below a node, or of the tree.
func (o *optimal) branches(f *optimalFrame, parent int32) *int32 {
	if parent == 0 {
		return &f.wut
	}
	return &o.nodes.all[parent].child
}

// weakInitial reports whether c, which uses u, is a weak initial of w: whether
// it is the first event of its goroutine in w and can come first there, or is of
// another goroutine and independent of all of w (the paper's definition 4.1). If
// so, at is its position in w, or -1; else the position of an event that keeps
// it from being one.
func (o *optimal) weakInitial(c sched.Choice, u *uses, w []int32, r *reversal) (at int, weak bool) {
	for at, i := range w {
		ev := &o.events[i]
		last := i == r.second
		if ev.G == c.G {
			alt := ev.Alt
			if last {
				alt = r.alt
			}
			return at, alt == c.Alt
		}
		if o.dependent(u, &ev.uses) {
			return at, false
		}
	}
	return -1, true
}

// shortened leaves out of w what neither the race nor the events in need call
// for.
func (o *optimal) shortened(w []int32, r *reversal) []int32 {
	keep := slices.Grow(o.keep[:0], len(w))[:len(w)]
	o.keep = keep
	for j := len(w) - 1; j >= 0; j-- {
		i := w[j]
		keep[j] = i == r.second || slices.Contains(o.need, i)
		for l := j + 1; l < len(w) && !keep[j]; l++ {
			keep[j] = keep[l] && o.hb.Before(int(i), int(w[l]))
		}
	}
	n := 0
	for j, i := range w {
		if keep[j] {
			w[n] = i
			n++
		}
	}
	return w[:n]
}

// graft makes a branch of w. It also returns the highest event of w.
func (o *optimal) graft(w []int32, r *reversal) (branch, top int32) {
	for j := len(w) - 1; j >= 0; j-- {
		ev := &o.events[w[j]]
		c := ev.Choice
		if w[j] == r.second {
			c.Alt = r.alt
		}
		i := o.nodes.leaf(c)
		n := &o.nodes.all[i]
		n.seq, n.uses, n.child = o.hb.Seq(int(w[j])), ev.uses, branch
		branch = i
		top = max(top, w[j])
	}
	return branch, top
}

// nodeUses returns what the choice of a node at the given depth of a tree of the
// current execution would use. Below the root, objects may have gone by other
// numbers in the execution that the node was made from; the same event, which is
// to be found in the current one too, has the right ones. But it may use them in
// another way, since it comes at another place; that the node knows better.
func (o *optimal) nodeUses(n *wakeupNode, depth int) *uses {
	if depth == 0 {
		return &n.uses
	}
	m := &o.mixed
	i := o.places.event(n.G, n.seq)
	if i < 0 {
		m.set([]sched.Access{{Obj: sched.Everything}})
		return m
	}
	here := &o.events[i].uses
	if here.n != n.uses.n {
		m.set(append(slices.Clone(here.list()), n.uses.list()...))
		return m
	}
	if here.n <= 2 {
		*m = n.uses
		m.few[0].Obj, m.few[1].Obj = here.few[0].Obj, here.few[1].Obj
		return m
	}
	m.set(slices.Clone(n.uses.list()))
	for j, a := range here.list() {
		m.all[j].Obj = a.Obj
	}
	return m
}

// places finds events by goroutine and position.
type places struct {
	of []([]int32) // of[g][s-1] is the s-th event of g
	n  int32       // events
}

func (p *places) push(g sched.ID) {
	for int(g) >= len(p.of) {
		p.of = append(p.of, nil)
	}
	p.of[g] = append(p.of[g], p.n)
	p.n++
}

// pop removes the given events, which are the latest.
func (p *places) pop(events []performed) {
	for i := range events {
		g := events[i].G
		p.of[g] = p.of[g][:len(p.of[g])-1]
	}
	p.n -= int32(len(events))
}

// event returns the seq-th event of g, or -1.
func (p *places) event(g sched.ID, seq int32) int32 {
	if int(g) >= len(p.of) || int(seq) > len(p.of[g]) {
		return -1
	}
	return p.of[g][seq-1]
}
