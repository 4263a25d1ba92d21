package search

import (
	"cmp"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// item is a part of the search that remains to be explored: all executions that begin with its
// steps.
type item struct {
	next     trace.ID // the goroutine that has the turn then, -1 if any
	doubtful bool     // the steps may turn out to be invalid, see [reverse.intact]
	grown    int      // if doubtful: where the events added to the block begin
	steps    int      // the number of steps
	common   int      // how many of the steps the execution had that has left the item
	last     int32    // the node of the last step, noStep if there is none
	end      int      // the nodes from this one on were made later
}

const noStep = -1

// root is the item that a search begins with.
var root = item{next: -1, last: noStep}

// items is a stack of items. Their steps are paths from the root of a tree to some of its
// nodes, since many items begin alike. Items come and go at the end, and so do nodes.
type items struct {
	all   []item
	nodes []stepNode
	path  []int32 // the nodes of the present execution, as far as it has any
	steps []step  // scratch of pop and giveOldest
	given int     // the number of items, from the bottom of all, that were given away
}

// stepNode is a step that follows another one.
type stepNode struct {
	step
	before int32
}

func (s *items) none() bool { return len(s.all) == s.given }

func (s *items) clear() {
	s.all, s.nodes, s.path, s.given = s.all[:0], s.nodes[:0], s.path[:0], 0
}

// sort orders the items from number n on, which one execution has left, by the number of steps
// they share with it. The item that shares most is popped first. The executions that it leads
// to share as much, so little is looked at again.
func (s *items) sort(n int) {
	left := s.all[n:]
	slices.SortStableFunc(left, func(a, b item) int { return cmp.Compare(a.common, b.common) })
	for i := 1; i < len(left); i++ {
		left[i].end = max(left[i].end, left[i-1].end)
	}
}

// itemsMark has the lengths of the slices of items.
type itemsMark struct{ all, nodes, path int }

func (s *items) mark() itemsMark { return itemsMark{len(s.all), len(s.nodes), len(s.path)} }

// backTo removes everything that was added after mark.
func (s *items) backTo(m itemsMark) {
	s.all, s.nodes, s.path = s.all[:m.all], s.nodes[:m.nodes], s.path[:m.path]
}

// push adds an item that begins with the first k events of the present execution.
func (s *items) push(it item, k int) {
	it.steps, it.common, it.last, it.end = k, k, noStep, len(s.nodes)
	if k > 0 {
		it.last = s.path[k-1]
	}
	s.all = append(s.all, it)
}

// goOn makes a node for the next event of the execution.
func (s *items) goOn(x step) {
	before := int32(noStep)
	if n := len(s.path); n > 0 {
		before = s.path[n-1]
	}
	s.path = append(s.path, int32(len(s.nodes)))
	s.nodes = append(s.nodes, stepNode{x, before})
}

// add adds a step to the latest item.
func (s *items) add(x step) {
	it := &s.all[len(s.all)-1]
	s.nodes = append(s.nodes, stepNode{x, it.last})
	it.steps, it.last, it.end = it.steps+1, int32(len(s.nodes)-1), len(s.nodes)
}

// pop returns the latest item, which is explored next. Its steps are valid until the next pop
// or giveOldest.
func (s *items) pop() (it item, steps []step) {
	n := len(s.all) - 1
	it, s.all = s.all[n], s.all[:n]
	s.nodes = s.nodes[:it.end]
	s.path = slices.Grow(s.path[:0], it.steps)[:it.steps]
	for i, at := it.steps-1, it.last; i >= 0; i, at = i-1, s.nodes[at].before {
		s.path[i] = at
	}
	return it, s.stepsOf(it)
}

// stepsOf returns the steps of an item.
func (s *items) stepsOf(it item) []step {
	s.steps = slices.Grow(s.steps[:0], it.steps)[:it.steps]
	for i, at := it.steps-1, it.last; i >= 0; i, at = i-1, s.nodes[at].before {
		s.steps[i] = s.nodes[at].step
	}
	return s.steps
}

// giveOldest returns the item that would be popped last, unless it is the only one. Its steps
// are valid until the next giveOldest or pop.
func (s *items) giveOldest() (it item, steps []step, ok bool) {
	if len(s.all)-s.given < 2 {
		return it, nil, false
	}
	it = s.all[s.given]
	s.given++
	return it, s.stepsOf(it), true
}

// goroutineNames knows goroutines by names that last. Those are their paths, in a program where
// a number means a goroutine in one search only.
type goroutineNames struct {
	program trace.Named // nil if numbers last
	paths   [][]int32
}

func namesOf(p trace.Program) goroutineNames {
	n, _ := p.(trace.Named)
	return goroutineNames{program: n}
}

// less reports whether g comes before h.
func (n *goroutineNames) less(g, h trace.ID) bool {
	if n.program == nil {
		return g < h
	}
	return slices.Compare(n.path(g), n.path(h)) < 0
}

// path returns the name of a goroutine. It is the number where numbers last.
func (n *goroutineNames) path(g trace.ID) []int32 {
	if n.program == nil {
		return []int32{int32(g)}
	}
	for int(g) >= len(n.paths) {
		n.paths = append(n.paths, n.program.Path(trace.ID(len(n.paths))))
	}
	return n.paths[g]
}

// lookup returns the goroutine of that name.
func (n *goroutineNames) lookup(path []int32) trace.ID {
	switch {
	case n.program != nil:
		return n.program.Lookup(path)
	case len(path) == 1 && path[0] >= 0:
		return trace.ID(path[0])
	}
	return -2 // no program has this goroutine
}
