package bpor

import (
	"github.com/gopor/gopor/sched/trace"
)

// Source is Source-BPOR (002, algorithm 9). It uses source sets for the races themselves: any
// goroutine is enough that can come first in notdep(e, E).p. Where blocks begin it has the
// branches of [Nidhugg], with the same departures. As printed it misses what Nidhugg misses.
type Source struct {
	Bound Bound
	// Complete visits every trace that has an execution within the bound, at a price: no choice
	// sleeps, and races are found as in Classic.
	Complete bool
}

// Name returns "source-bpor", or "source-bpor-complete".
func (e Source) Name() string {
	if e.Complete {
		return "source-bpor-complete"
	}
	return "source-bpor"
}

// Explore visits executions of p within the bound.
func (e Source) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	stats, err := conservatively(p, visit, e.Bound, e.Complete, (*bounded).sources)
	e.Bound.claim(&stats, e.Complete, false)
	return stats, err
}
