package engine

import (
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// near is an engine for long executions. Its executions differ from the first one in the order of
// one race, or since a goroutine is held before one operation.
type near struct{}

// nearby is how many executions of each of the two kinds there are at most.
const nearby = 64

// Name returns "near".
func (near) Name() string { return "near" }

// Explore visits an execution of p, and then such executions.
func (near) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	return search.Near(p, visit, nearby, tardy)
}
