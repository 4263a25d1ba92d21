package bpor

import (
	"github.com/gopor/gopor/sched/trace"
)

// Classic is Classic-BPOR (002, algorithm 7): Coons, Musuvathi and McKinley,
// "Bounded partial-order reduction", OOPSLA 2013. For every pending operation of a
// goroutine p, and the latest event of every other goroutine that it is in a race
// with, p is explored before that event, and conservatively where the block of that
// event begins, from where it costs no preemption to come to p. Nothing sleeps, so
// traces are visited many times.
//
// It visits every trace that has an execution within the bound. Three things are
// needed for that which the slides do not print. An operation is also in a race
// with an event that may make it wait, or not (see meet). With a bound on delays not
// only p is explored, but every goroutine that is ready (see add). And the second
// line that adds, as printed, does so where the event is and not where its block
// begins (see reverse). One thing that they print is left out: events that happen
// before what p has done are in no race with it (see latest).
type Classic struct {
	Bound Bound
}

// Name returns "classic-bpor".
func (Classic) Name() string { return "classic-bpor" }

// Explore visits an execution, at least, of every trace of p that has one within
// the bound.
func (e Classic) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	stats, err := rules{bound: e.Bound, eager: true, itself: true, conservative: true}.explore(p, visit, nil)
	e.Bound.claim(&stats, true, false)
	return stats, err
}
