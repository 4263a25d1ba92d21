package bpor

import (
	"github.com/gopor/gopor/sched/trace"
)

// Nidhugg is Nidhugg-BPOR (002, algorithm 8): for a race of e with an event of p,
// one of the goroutines is explored before e that can come first in
// notdep(e, E).p and happen before p's event, and conservatively another one where
// the block of e begins. What was explored sleeps afterwards, unless it was
// explored conservatively.
//
// As printed it misses traces that have executions within the bound: those for which
// two independent events have to be exchanged, since one makes somebody wait then;
// and those that are asked for by a race whose second event the bound forbids. See
// the package documentation.
//
// In the slides the second test of a race asks for backtrack(E'), where it is about
// the state E” in which the block begins; here it asks for that (see reverse).
//
// The slides say that a conservative choice does not sleep afterwards, and leave
// open what sleeps while it is explored. Here nothing does that was explored in the
// same state, without which the choice would often be in vain: after the block that
// it begins, the goroutine is wanted that had begun there before.
type Nidhugg struct {
	Bound Bound
	// Complete visits every trace that has an execution within the bound, at a
	// price: nothing sleeps, and races are looked for as Classic does.
	Complete bool
}

// Name returns "nidhugg-bpor", or "nidhugg-bpor-complete".
func (e Nidhugg) Name() string {
	if e.Complete {
		return "nidhugg-bpor-complete"
	}
	return "nidhugg-bpor"
}

// Explore visits executions of p within the bound.
func (e Nidhugg) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	stats, err := rules{bound: e.Bound, eager: e.Complete, causal: true, conservative: true}.explore(p, visit, nil)
	e.Bound.claim(&stats, e.Complete, false)
	return stats, err
}
