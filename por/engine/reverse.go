package engine

import (
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// Reverse is optimal DPOR by reverse search, in the manner of TruSt: Kokologiannakis,
// Marmanis, Gladstein and Vafeiadis, "Truly stateless, optimal dynamic partial order
// reduction", POPL 2022. Like [Optimal] it explores exactly one execution of every
// Mazurkiewicz trace and blocks none. But it keeps no sleep sets and no wakeup trees,
// only a stack of schedules to be continued, so that its memory does not
// grow with the number of traces: it is polynomial in the length of an execution.
//
// It needs the law of footprints (see [trace.Program]): of a transition system that
// breaks it traces may be missed. [Source] and [DPOR] do not need it.
type Reverse struct {
	// Workers is how many executions are explored at a time, each by a worker with a
	// program of its own; 0 means 1. Counts of executions and the first failure are the
	// same for any number, those of steps and checks are not.
	Workers int
	// Another makes the programs of several workers, which are to do the same as the one that is
	// explored, and to share nothing that any of them writes. The caller ends them. If it is nil
	// there is one worker.
	Another func() trace.Program
}

// Name returns "reverse".
func (Reverse) Name() string { return "reverse" }

// About implements [trace.About].
func (e Reverse) About() trace.About {
	return trace.About{
		Title:     "optimal DPOR by reverse search",
		Counts:    "traces",
		FixedUses: true,
		WithWorkers: func(n int, another func() trace.Program) trace.Engine {
			e.Workers, e.Another = n, another
			return e
		},
	}
}

// Explore visits every Mazurkiewicz trace of p exactly once. With several workers visit is
// called by one of them at a time, with executions in any order; when it has returned false, it
// is still shown what one worker would have visited before.
func (e Reverse) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	if e.Workers < 2 || e.Another == nil {
		return search.Reverse(p, visit)
	}
	var programs []trace.Program
	for range e.Workers {
		programs = append(programs, e.Another())
	}
	return search.ReverseBy(p, programs, visit)
}
