package engine

import (
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// DPOR is dynamic partial order reduction: Flanagan and Godefroid, "Dynamic
// partial-order reduction for model checking software", POPL 2005, figure 3,
// with the sleep sets of its section 5. It explores one maximal execution of
// every Mazurkiewicz trace, and besides executions that it has to give up as
// redundant ("blocked").
//
// The paper looks for races of every pending transition; here an event is
// looked at when it has been performed. All that is pending and awake will be
// performed, and what sleeps was looked at when it was performed elsewhere,
// since which only independent events have passed. The paper looks at the last
// race of an event only; here at all of them, since with sleep sets the
// execution that would show the others may be given up first.
//
// For a race of event n, a goroutine of
//
//	{q enabled | q = proc(n), or an event of q after e happens before n}
//
// is added: lines 5 to 9 of figure 3. Any will do for the paper, but not together with sleep sets:
// a goroutine with an event that has to wait for others of the set may sleep, and what it was added
// for be given up with it. So it is one that can come first, of which there always is one; if that
// sleeps, the race was explored in the other order before.
type DPOR struct{}

// Name returns "dpor".
func (DPOR) Name() string { return "dpor" }

// About implements [trace.About].
func (DPOR) About() trace.About {
	return trace.About{Title: "DPOR", Counts: "traces"}
}

// Explore visits every Mazurkiewicz trace of p once.
func (DPOR) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	return search.Backtrack(p, visit, false)
}
