// Package vector has vector clocks for executions in which goroutines come and go.
package vector

import (
	"unsafe"

	"github.com/gopor/gopor/internal/room"
)

// Clocks holds vector clocks that share their common parts. A clock is a tree of nodes with
// sixteen places. A leaf has the entries of as many goroutines, any other node the numbers of
// its children. Nodes do not change later. So a new clock needs nodes only on the paths to the
// entries in which it differs from the clocks that it is made of: one node where there are up
// to sixteen goroutines, three with four thousand. Identical subtrees need not be joined.
//
// Nodes are removed latest first, as a search takes back events. So they lie in one slice and
// refer to earlier ones only. Node 0 is a tree of any height without an entry.
//
// Clocks of goroutines are closed downwards: if entry g of a clock is n, the clock knows
// everything that g knew at its time n. If the goroutine and time that made a node are known, a
// clock that knows as much of that goroutine need not be compared with the node entry by entry.
// That is the idea of Mathur, Pavlogiannis, Tunç and Viswanathan, "A tree clock data structure
// for causal orderings in concurrent executions" (ASPLOS 2022), for trees that are shared.
type Clocks struct {
	nodes  []node
	makers []maker // of nodes that are not leaves; may be shorter than nodes
	fresh  int32   // nodes from this one on were made since the latest Mark, and may change
	now    maker   // the maker of new nodes
}

// maker says that a node has only what goroutine g knows at a time of its own. Time 0 says that
// this is not known.
type maker struct{ g, time int32 }

const (
	nodeBits = 4
	nodeMask = 1<<nodeBits - 1
)

type node [1 << nodeBits]int32

// Clock is a tree. It has the root, and the number of bits by which the number of a goroutine
// is shifted to find its child, 0 for a leaf. The zero Clock has no entry but 0.
type Clock struct {
	root  int32
	shift int32
}

// New returns Clocks without any clock.
func New() Clocks { return Clocks{nodes: make([]node, 1, 16), fresh: 1} }

// Mark says that no present clock will change. It returns the argument of Cut that undoes what
// follows. Between two marks a clock becomes invalid once another one was made of it.
//
// A clock with entry g of at least time knows everything that the clocks made until the next
// mark know. If no such goroutine and time exist, time is 0. An entry of a goroutine in its own
// clock may be too low.
func (c *Clocks) Mark(g, time int32) int32 {
	c.fresh, c.now = int32(len(c.nodes)), maker{g, time}
	return c.fresh
}

// Cut removes the clocks made since a mark.
func (c *Clocks) Cut(mark int32) {
	c.nodes, c.makers = c.nodes[:mark], c.makers[:min(int(mark), len(c.makers))]
}

// At returns entry g of a clock.
func (c *Clocks) At(k Clock, g int32) int32 {
	if k.shift != 0 {
		return c.inner(k, g)
	}
	if g > nodeMask {
		return 0
	}
	return c.nodes[k.root][g&nodeMask]
}

// inner is At for a clock of several nodes.
func (c *Clocks) inner(k Clock, g int32) int32 {
	if g>>k.shift > nodeMask {
		return 0
	}
	n := k.root
	for s := k.shift; s > 0; s -= nodeBits {
		n = c.nodes[n][g>>s&nodeMask]
	}
	return c.nodes[n][g&nodeMask]
}

// Reader reads one clock many times. It is valid as long as no clock is made.
type Reader struct {
	clocks *Clocks
	clock  Clock
	leaf   *node // all of the clock, nil if there is more
}

// Reader returns a Reader of a clock.
func (c *Clocks) Reader(k Clock) Reader {
	r := Reader{clocks: c, clock: k}
	if k.shift == 0 {
		r.leaf = &c.nodes[k.root]
	}
	return r
}

// At returns entry g of the clock.
func (r *Reader) At(g int32) int32 {
	if r.leaf == nil {
		return r.clocks.inner(r.clock, g)
	}
	if g > nodeMask {
		return 0
	}
	return r.leaf[g&nodeMask]
}

// Set returns the clock with entry g set to n.
func (c *Clocks) Set(k Clock, g, n int32) Clock {
	if k.shift == 0 && g <= nodeMask { // as most are
		k.root = c.own(k.root)
		c.nodes[k.root][g&nodeMask] = n
		return k
	}
	for g>>k.shift > nodeMask {
		k = c.lift(k)
	}
	k.root = c.own(k.root)
	at := k.root
	for s := k.shift; s > 0; s -= nodeBits {
		c.sign(at)
		child := c.own(c.nodes[at][g>>s&nodeMask])
		c.nodes[at][g>>s&nodeMask] = child
		at = child
	}
	c.nodes[at][g&nodeMask] = n
	return k
}

// lift returns the clock as a tree with one more level.
func (c *Clocks) lift(k Clock) Clock {
	if k.root != 0 {
		k.root = c.add(&node{k.root})
		c.sign(k.root)
	}
	k.shift += nodeBits
	return k
}

// own returns a node with the content of node n that may change.
func (c *Clocks) own(n int32) int32 {
	if n < c.fresh {
		n = c.add(&c.nodes[n])
	}
	return n
}

// add returns the number of a new node with that content.
func (c *Clocks) add(n *node) int32 {
	last := len(c.nodes)
	c.nodes = room.ForOne(c.nodes)[:last+1]
	c.nodes[last] = *n
	return int32(last)
}

// sign sets the maker of node n, which is not a leaf.
func (c *Clocks) sign(n int32) {
	for len(c.makers) <= int(n) {
		c.makers = append(room.ForOne(c.makers), maker{})
	}
	c.makers[n] = c.now
}

// knows reports whether a clock is known to have all entries of node n, which is not a leaf.
func (c *Clocks) knows(k Clock, n int32) bool {
	m := c.makers[n]
	return m.time != 0 && c.At(k, m.g) >= m.time
}

// Join returns the clock with the maximum of both entries everywhere.
func (c *Clocks) Join(a, b Clock) Clock {
	for a.shift < b.shift {
		a = c.lift(a)
	}
	for b.shift < a.shift {
		b = c.lift(b)
	}
	// Asking what is known would take as long as comparing.
	if a.shift <= nodeBits {
		return Clock{c.joinNodes(a.root, b.root, a.shift), a.shift}
	}
	// The join reads what a knows, so the nodes of a must not change.
	c.fresh = int32(len(c.nodes))
	return Clock{c.joinKnown(a.root, b.root, a.shift, a, b), a.shift}
}

// joinKnown is joinNodes for parts of clocks a and b that are not leaves.
func (c *Clocks) joinKnown(p, q, shift int32, a, b Clock) int32 {
	switch {
	case p == q || q == 0:
		return p
	case p == 0:
		return q
	case c.knows(b, p):
		return q
	case c.knows(a, q):
		return p
	case shift == nodeBits:
		return c.joinNodes(p, q, shift)
	}
	j, isP, isQ := c.nodes[p], true, true
	for i, n := range c.nodes[q] {
		m := j[i]
		if m == n {
			continue
		}
		j[i] = c.joinKnown(m, n, shift-nodeBits, a, b)
		isP, isQ = isP && j[i] == m, isQ && j[i] == n
	}
	return c.made(p, q, &j, isP, isQ, shift)
}

// made returns the node with the content j, which is that of p, or that of q, or a new one. It
// may reuse p.
func (c *Clocks) made(p, q int32, j *node, isP, isQ bool, shift int32) int32 {
	switch {
	case isP:
		return p
	case isQ:
		return q
	case p >= c.fresh:
		c.nodes[p] = *j
		return p
	}
	n := c.add(j)
	if shift > 0 {
		c.sign(n)
	}
	return n
}

// joinNodes is Join for two trees of the same height.
func (c *Clocks) joinNodes(a, b, shift int32) int32 {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	}
	if shift == 0 {
		return c.joinLeaves(a, b)
	}
	j, isA, isB := c.nodes[a], true, true
	for i, n := range c.nodes[b] {
		m := j[i]
		if m == n {
			continue
		}
		j[i] = c.joinNodes(m, n, shift-nodeBits)
		isA, isB = isA && j[i] == m, isB && j[i] == n
	}
	return c.made(a, b, &j, isA, isB, shift)
}

// pairs is a leaf as pairs of entries. No entry is negative, so the bits of free are 0.
type pairs [len(node{}) / 2]uint64

const free = 1<<63 | 1<<31

func (n *node) pairs() *pairs { return (*pairs)(unsafe.Pointer(n)) }

// joinLeaves is joinNodes for two leaves.
func (c *Clocks) joinLeaves(a, b int32) int32 {
	p, q := c.nodes[a].pairs(), c.nodes[b].pairs()
	var j node
	isA, isB := uint64(free), uint64(free) // with a bit less if an entry of the other one is above
	for i, m := range p {
		n := q[i]
		above := ((m | free) - n) & free // no entry borrows from the other one
		isA, isB = isA&above, isB&((n|free)-m)
		above -= above >> 31 // the bits of the entries of m that are not below those of n
		j.pairs()[i] = m&above | n&^above
	}
	return c.made(a, b, &j, isA == free, isB == free, 0)
}

// List appends the first n entries of a clock to a list, or all if the clock has fewer.
func (c *Clocks) List(to []int32, k Clock, n int) []int32 {
	if k.root == 0 || n <= 0 {
		return to
	}
	if k.shift == 0 {
		return append(to, c.nodes[k.root][:min(n, nodeMask+1)]...)
	}
	size := 1 << k.shift
	for i, child := range c.nodes[k.root] {
		if i*size >= n {
			break
		}
		from := len(to)
		to = c.List(to, Clock{child, k.shift - nodeBits}, n-i*size)
		for len(to)-from < min(size, n-i*size) {
			to = append(to, 0)
		}
	}
	return to
}
