// Code generated from package datastructures by go generate; DO NOT EDIT.

package controlled

import "github.com/gopor/gopor/sched"

// tree is a set: a binary search tree without locks. A node stays in the tree, and says
// whether its key is in the set.
type tree struct {
	root  sched.Pointer[treeNode]
	hasty func(key int) bool
}

type treeNode struct {
	key         int
	in          sched.Bool
	left, right sched.Pointer[treeNode]
}

func newTree(hasty func(int) bool) *tree { return &tree{hasty: hasty} }

// Do implements [Structure]. A hasty one stores what it should compare and swap.
func (t *tree) Do(c Call) Result {
	for {
		at := &t.root
		n := at.Load()
		for n != nil && n.key != c.Key {
			if at = &n.left; c.Key > n.key {
				at = &n.right
			}
			n = at.Load()
		}
		switch {
		case n != nil:
			return t.change(c, n)
		case c.Op != Add:
			return Result{}
		}
		n = &treeNode{key: c.Key}
		n.in.Store(true)
		if t.hasty(c.Key) {
			at.Store(n)
			return Result{OK: true}
		}
		if at.CompareAndSwap(nil, n) {
			return Result{OK: true}
		}
	}
}

// change does so to a key that has a node.
func (t *tree) change(c Call, n *treeNode) Result {
	switch {
	case c.Op == Contains:
		return Result{OK: n.in.Load()}
	case t.hasty(c.Key):
		if n.in.Load() == (c.Op == Add) {
			return Result{}
		}
		n.in.Store(c.Op == Add)
		return Result{OK: true}
	}
	return Result{OK: n.in.CompareAndSwap(c.Op != Add, c.Op == Add)}
}

// queue is the queue of Michael and Scott (1996).
type queue struct {
	head, tail sched.Pointer[queueNode] // head is before the oldest key
	hasty      func(key int) bool
}

type queueNode struct {
	key  int
	next sched.Pointer[queueNode]
}

func newQueue(hasty func(int) bool) *queue {
	q := &queue{hasty: hasty}
	n := new(queueNode)
	q.head.Store(n)
	q.tail.Store(n)
	return q
}

// Do implements [Structure].
func (q *queue) Do(c Call) Result {
	switch c.Op {
	case Add:
		q.add(c.Key)
		return Result{OK: true}
	case Remove:
		return q.remove()
	}
	if n := q.head.Load().next.Load(); n != nil {
		return Result{Key: n.key, OK: true}
	}
	return Result{}
}

func (q *queue) add(key int) {
	n := &queueNode{key: key}
	for {
		tail := q.tail.Load()
		next := tail.next.Load()
		if next != nil { // an add has not come to move the tail
			q.tail.CompareAndSwap(tail, next)
			continue
		}
		if tail.next.CompareAndSwap(nil, n) {
			q.tail.CompareAndSwap(tail, n)
			return
		}
	}
}

// remove takes the oldest key out. If that is a key to be hasty with, remove does not expect
// that another call has taken it out meanwhile.
func (q *queue) remove() Result {
	for {
		head, tail := q.head.Load(), q.tail.Load()
		next := head.next.Load()
		switch {
		case next == nil:
			return Result{}
		case head == tail:
			q.tail.CompareAndSwap(tail, next)
		case q.hasty(next.key):
			q.head.Store(next)
			return Result{Key: next.key, OK: true}
		case q.head.CompareAndSwap(head, next):
			return Result{Key: next.key, OK: true}
		}
	}
}
