package unfold

import (
	"fmt"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// QPOR is quasi-optimal partial order reduction: Nguyen, Rodríguez, Sousa, Coti and Petrucci,
// CAV 2018, Algorithm 1 with k-partial alternatives (definition 5) that are found with combs.
// It explores one execution of every Mazurkiewicz trace, and some that it abandons as
// redundant: the fewer, the larger K is. Finding an alternative takes time polynomial in the
// number of events, of degree K.
type QPOR struct {
	// K is the number of events explored before that an alternative has to be in conflict with.
	// So it is the number of races of which an alternative remembers the resolution. It is at
	// least 1; 2 or 3 are enough for most programs.
	K    int
	Tree Tree
}

// Optimal is QPOR with K = ∞, that is the algorithm of Rodríguez, Sousa, Sharma and Kroening
// (CONCUR 2015). It explores exactly one execution of every Mazurkiewicz trace, and abandons
// none. Finding an alternative is NP-complete (theorem 4).
type Optimal struct {
	// Comb builds whole combs, as the paper does. Otherwise alternatives are found without
	// combs, which the paper proposes as future work.
	Comb bool
	Tree Tree
}

// Tree says how the unfolding is stored. The zero value is usable.
type Tree struct {
	// Step is the distance from a node of a thread tree to the nearest ancestor, besides its
	// parent, to which it has a pointer. The next pointers are at Step^2, Step^3 and so on
	// (section 5.2). 0 stands for 4, as in the paper, and 1 for no pointers.
	Step int
	// MaxEvents is the largest number of events kept at a time. A search that needs more ends
	// with an error. 0 stands for the number that takes a gigabyte, about four million for a
	// program of ten goroutines. The heap may be twice as large.
	MaxEvents int
}

// Name returns "qpor".
func (QPOR) Name() string { return "qpor" }

// About implements [trace.About].
func (e QPOR) About() trace.About {
	return trace.About{
		Title:     fmt.Sprintf("quasi-optimal POR, k = %d", e.K),
		Counts:    "traces",
		FixedUses: true,
		WithK:     func(k int) trace.Engine { e.K = k; return e },
	}
}

// Explore visits every Mazurkiewicz trace of p exactly once.
func (e QPOR) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	if e.K < 1 {
		return trace.Stats{}, fmt.Errorf("unfold: QPOR.K is %d, but has to be at least 1; use Optimal for no limit", e.K)
	}
	x, err := newExplorer(e.Tree)
	if err != nil {
		return trace.Stats{}, err
	}
	x.alternative = x.combs.partial(e.K)
	return x.search(p, visit)
}

// Name returns "unfold-optimal", or "unfold-comb" with combs.
func (e Optimal) Name() string {
	if e.Comb {
		return "unfold-comb"
	}
	return "unfold-optimal"
}

// About implements [trace.About].
func (Optimal) About() trace.About {
	return trace.About{Title: "optimal POR by unfolding", Counts: "traces", FixedUses: true}
}

// Explore visits every Mazurkiewicz trace of p exactly once.
func (e Optimal) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	x, err := newExplorer(e.Tree)
	if err != nil {
		return trace.Stats{}, err
	}
	x.alternative = x.combs.lazy
	if e.Comb {
		x.alternative = x.combs.comb
	}
	return x.search(p, visit)
}

func newExplorer(t Tree) (*explorer, error) {
	switch {
	case t.Step < 0:
		return nil, fmt.Errorf("unfold: Tree.Step is %d, but must not be negative", t.Step)
	case t.MaxEvents < 0:
		return nil, fmt.Errorf("unfold: Tree.MaxEvents is %d, but must not be negative", t.MaxEvents)
	case t.Step == 0:
		t.Step = defaultStep
	}
	x := &explorer{structure: newStructure(t.Step), most: t.MaxEvents}
	x.full = min(leastFull, x.limit()+1)
	x.combs.structure, x.combs.over = x.structure, x.Over
	x.asking = search.Asking{All: x.questions, Known: func(k int) int32 { return x.frames.Get(k).numbers }}
	return x, nil
}

func (x *explorer) search(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	x.Trail = search.NewTrail(p, visit)
	x.room()
	return x.Finish(x.Explore(x) && !x.combs.ended)
}
