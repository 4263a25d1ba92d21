package engine

import (
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// Source is source-DPOR: Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic
// partial order reduction", POPL 2014, Algorithm 1. It explores one maximal
// execution of every Mazurkiewicz trace, and besides executions that it has to
// give up as redundant ("blocked").
type Source struct{}

// Name returns "source".
func (Source) Name() string { return "source" }

// About implements [trace.About].
func (Source) About() trace.About {
	return trace.About{Title: "source-DPOR", Counts: "traces"}
}

// Explore visits every Mazurkiewicz trace of p once.
func (Source) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	// A goroutine of I(notdep(e, E).n) is added: lines 6 to 9 of Algorithm 1.
	return search.Backtrack(p, visit, true)
}
