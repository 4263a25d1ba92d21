package engine

import (
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// Optimal is optimal DPOR: Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic
// partial order reduction", POPL 2014, Algorithm 2. It explores exactly one
// execution of every Mazurkiewicz trace and blocks none. Besides the current
// execution it keeps the wakeup trees of that execution's prefixes, which may
// hold many sequences.
//
// It needs the law of footprints (see [trace.Program]): of a transition system that
// breaks it traces may be missed. So may they, or be visited twice, if operations of a
// transition system of one's own come to use more because of an event of another
// goroutine. [Source] and [DPOR] need neither.
//
// Other than in the paper, a race that the program calls needless is not reversed (see
// [trace.Needless]): traces are left out that come to the same as others, and one may be visited
// twice.
type Optimal struct{}

// Name returns "optimal".
func (Optimal) Name() string { return "optimal" }

// About implements [trace.About].
func (Optimal) About() trace.About {
	return trace.About{Title: "optimal DPOR", Counts: "traces", FixedUses: true}
}

// Explore visits every Mazurkiewicz trace of p exactly once.
func (Optimal) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	return search.Optimal(p, visit)
}
