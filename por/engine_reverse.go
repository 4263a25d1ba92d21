package por

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
type Reverse struct{}

// Name returns "reverse".
func (Reverse) Name() string { return "reverse" }

// About implements [trace.About].
func (Reverse) About() trace.About {
	return trace.About{Title: "optimal DPOR by reverse search", Counts: "traces", FixedUses: true}
}

// Explore visits every Mazurkiewicz trace of p exactly once.
func (Reverse) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	return search.Reverse(p, visit)
}
