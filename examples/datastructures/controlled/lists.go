// Code generated from package datastructures by go generate; DO NOT EDIT.

package controlled

import (
	"math"

	"github.com/gopor/gopor/sched"
)

// listNode is a node of a sorted list. The first and the last one have no key of a user's.
type listNode struct {
	key     int
	next    sched.Pointer[listNode]
	mu      sched.Mutex // of the optimistic list
	removed sched.Bool  // of the optimistic list: the node was taken out, or is about to be
}

func newList() *listNode {
	head := &listNode{key: math.MinInt}
	head.next.Store(&listNode{key: math.MaxInt})
	return head
}

// find returns the last node before key, and the one after that.
func find(head *listNode, key int) (before, at *listNode) {
	before = head
	at = before.next.Load()
	for at.key < key {
		before, at = at, at.next.Load()
	}
	return before, at
}

// coarseList is a set: a sorted list under one lock.
type coarseList struct {
	mu    sched.RWMutex
	head  *listNode
	hasty func(key int) bool
}

func newCoarseList(hasty func(int) bool) *coarseList {
	return &coarseList{head: newList(), hasty: hasty}
}

// Do implements [Structure]. A hasty one looks for the place with a lock to read, and uses it
// when it has the lock to write.
func (l *coarseList) Do(c Call) Result {
	if c.Op == Contains {
		l.mu.RLock()
		defer l.mu.RUnlock()
		_, at := find(l.head, c.Key)
		return Result{OK: at.key == c.Key}
	}
	if l.hasty(c.Key) {
		l.mu.RLock()
		before, at := find(l.head, c.Key)
		l.mu.RUnlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		return change(c, before, at)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	before, at := find(l.head, c.Key)
	return change(c, before, at)
}

// change adds or removes a key, of which that is the place.
func change(c Call, before, at *listNode) Result {
	switch found := at.key == c.Key; {
	case c.Op == Add && !found:
		n := &listNode{key: c.Key}
		n.next.Store(at)
		before.next.Store(n)
		return Result{OK: true}
	case c.Op == Remove && found:
		before.next.Store(at.next.Load())
		return Result{OK: true}
	}
	return Result{}
}

// optimisticList is a set: a sorted list with a lock for every node. A search for a key takes no
// lock, and a node says whether it has been removed (the lazy list of Heller et al. 2005).
type optimisticList struct {
	head  *listNode
	hasty func(key int) bool
}

func newOptimisticList(hasty func(int) bool) *optimisticList {
	return &optimisticList{head: newList(), hasty: hasty}
}

// valid reports whether the two are still in the list, one after the other.
func valid(before, at *listNode) bool {
	return !before.removed.Load() && !at.removed.Load() && before.next.Load() == at
}

// Do implements [Structure]. A hasty one looks whether the place is still right before it has
// the locks.
func (l *optimisticList) Do(c Call) Result {
	if c.Op == Contains {
		_, at := find(l.head, c.Key)
		return Result{OK: at.key == c.Key && !at.removed.Load()}
	}
	for {
		before, at := find(l.head, c.Key)
		early := l.hasty(c.Key)
		if early && !valid(before, at) {
			continue
		}
		if r, done := l.locked(c, before, at, early); done {
			return r
		}
	}
}

// locked changes what is between two nodes, if they are still there.
func (l *optimisticList) locked(c Call, before, at *listNode, sure bool) (r Result, done bool) {
	before.mu.Lock()
	defer before.mu.Unlock()
	at.mu.Lock()
	defer at.mu.Unlock()
	if !sure && !valid(before, at) {
		return Result{}, false
	}
	if c.Op == Remove && at.key == c.Key {
		at.removed.Store(true)
	}
	return change(c, before, at), true
}
