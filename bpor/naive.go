package bpor

import (
	"github.com/gopor/gopor/sched/trace"
)

// Naive is Naive-BPOR (002, algorithm 6): source-DPOR that refuses a step when the
// schedule would be over the bound. It is fast and incomplete, even within the
// bound: the schedule of a trace that it keeps may be a dear one, and the cheap one
// sleeps. See the package documentation for the smallest program known where a
// trace is missed.
type Naive struct {
	Bound Bound
}

// Name returns "naive-bpor".
func (Naive) Name() string { return "naive-bpor" }

// Explore visits executions of p within the bound, no trace twice. It is
// exhaustive in the sense of Naive-BPOR only.
func (e Naive) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	stats, err := rules{bound: e.Bound}.explore(p, visit, nil)
	e.Bound.claim(&stats, false, false)
	return stats, err
}
