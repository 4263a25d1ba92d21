package por

import (
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// Eager is EPOR.
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

// EagerShort is Eager POR with short sections.
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

// EagerAdaptive is Eager POR where sections pay, and source-DPOR elsewhere.
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
