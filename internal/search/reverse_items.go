package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// item is a part of the search that remains to be explored: what begins with its steps.
type item struct {
	next     trace.ID // whose turn it is then, -1 if any
	doubtful bool     // the steps may not be what they are meant to be, see [reverse.intact]
	grown    int      // ... then: where the part begins that was added to the block
	steps    int      // where its steps begin
}

// root is the item that everything begins with.
var root = item{next: -1}

// items is a stack of items.
type items struct {
	all   []item
	steps []step
	given int // of all, from the bottom: those that were given away
}

func (s *items) none() bool { return len(s.all) == s.given }

func (s *items) clear() { s.all, s.steps, s.given = s.all[:0], s.steps[:0], 0 }

// push adds an item, which has no steps yet.
func (s *items) push(it item) {
	it.steps = len(s.steps)
	s.all = append(s.all, it)
}

// add adds a step to the latest item.
func (s *items) add(x step) { s.steps = append(s.steps, x) }

// pop returns the latest item. Its steps are valid until the next push.
func (s *items) pop() (it item, steps []step) {
	n := len(s.all) - 1
	it, s.all = s.all[n], s.all[:n]
	steps, s.steps = s.steps[it.steps:], s.steps[:it.steps]
	if s.none() {
		s.clear()
	}
	return it, steps
}

// giveOldest returns the item that would be popped last, if there is another one. Its steps
// are valid until the next push.
func (s *items) giveOldest() (it item, steps []step, ok bool) {
	if len(s.all)-s.given < 2 {
		return it, nil, false
	}
	it = s.all[s.given]
	s.given++
	return it, s.steps[it.steps:s.all[s.given].steps], true
}

// goroutineNames knows goroutines by names that last: in a program whose numbers mean something in
// one of its searches only, that is their paths.
type goroutineNames struct {
	program named // nil if numbers last
	paths   [][]int32
}

// named is a program that knows the names of goroutines, as sched.Closure does.
type named interface {
	Path(trace.ID) []int32
	Lookup([]int32) trace.ID
}

func namesOf(p trace.Program) goroutineNames {
	n, _ := p.(named)
	return goroutineNames{program: n}
}

// less reports whether g comes before h.
func (n *goroutineNames) less(g, h trace.ID) bool {
	if n.program == nil {
		return g < h
	}
	return slices.Compare(n.path(g), n.path(h)) < 0
}

// path returns the name of a goroutine, which is its number where that lasts.
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
	return -2 // which no program has
}
