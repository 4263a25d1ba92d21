package engine

import (
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// Eager is Eager POR, EPOR: Metzler, Saissi, Bokor, Hesse and Suri, "Efficient Verification of
// Program Fragments: Eager POR", ATVA 2016, on top of source-DPOR. It visits what [Source] visits,
// one execution of every trace and some that are given up, but section by section. A section is
// what the goroutines that are ready do next, each up to an operation with a result that may decide
// what it does then, or that may have to wait. When a section has been run once, all of its traces
// are known: they are run from schedules made in advance, without looking for races among its
// events.
//
// It departs from the paper in this. What the paper asks of sections is not established by
// an analysis, but taken for granted and compared with every step that could differ; where
// one does, the search goes on without the schedules, so nothing is missed. Constraint
// systems are solved in the order of their solutions: no system without a solution is ever
// made, where the paper makes as many as there are subsets of the pairs of dependent events.
// And several lines of its figure 3 cannot be meant as they are printed; package
// internal/search says which, and why it is complete.
//
// What it saves is work between the steps of executions, and it makes no execution shorter: where
// one of n goroutines that each do little takes as long as starting the goroutines does, that is
// all there is to save. It pays where most of a program is one section that has many traces, atomic
// operations with results that are not looked at in between. Where sections are short it costs more
// than it saves; see [EagerAdaptive]. Memory does not grow with the number of traces.
//
// Stats.RaceChecks, PairChecks and Unsatisfiable count what the paper counts.
type Eager struct{}

// Name returns "epor".
func (Eager) Name() string { return "epor" }

// About implements [trace.About].
func (Eager) About() trace.About {
	return trace.About{Title: "Eager POR", Counts: "traces"}
}

// Explore visits every Mazurkiewicz trace of p once.
func (Eager) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	return search.Eager(p, visit, search.Sections{})
}

// EagerShort is [Eager] with short sections, EPOR-SH: of every goroutine, a section has at
// most one operation that another one's depends on (section 4 of the paper, the condition
// there being meant for both events of a pair). The paper needs them for constraint
// systems, most of which have no solution otherwise. [Eager] makes none of those, so this is
// for comparison.
type EagerShort struct{}

// Name returns "epor-sh".
func (EagerShort) Name() string { return "epor-sh" }

// About implements [trace.About].
func (EagerShort) About() trace.About {
	return trace.About{Title: "Eager POR with short sections", Counts: "traces"}
}

// Explore visits every Mazurkiewicz trace of p once.
func (EagerShort) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	return search.Eager(p, visit, search.Sections{Short: true})
}

// EagerAdaptive is [Eager] where sections have many traces, and [Source] elsewhere: beyond
// the first section, others are made as long as those before had enough traces to be worth
// their making, and one is tried now and then if not.
type EagerAdaptive struct{}

// Name returns "epor-adaptive".
func (EagerAdaptive) Name() string { return "epor-adaptive" }

// About implements [trace.About].
func (EagerAdaptive) About() trace.About {
	return trace.About{Title: "adaptive Eager POR", Counts: "traces"}
}

// Explore visits every Mazurkiewicz trace of p once.
func (EagerAdaptive) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	return search.Eager(p, visit, search.Sections{Adaptive: true})
}
