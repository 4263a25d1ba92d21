package trial

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// Conflicts has the conflicts between operations of an execution.
type Conflicts struct {
	past     *trace.Tracker
	accesses [][]trace.Access // by event
}

// LongConflicts is the maximal number of events with recorded conflicts. Reports of longer
// executions name no order.
const LongConflicts = 100_000

// NewConflicts returns Conflicts for an execution with a number of events, nil if there are too
// many.
func NewConflicts(events int) *Conflicts {
	if events > LongConflicts {
		return nil
	}
	return &Conflicts{past: trace.NewTracker(trace.Dependence)}
}

// Add adds the next event.
func (c *Conflicts) Add(ev *trace.Event) {
	if c == nil {
		return
	}
	c.past.Push(int32(ev.G), ev.Accesses(), ev.Order)
	c.accesses = append(c.accesses, slices.Clone(ev.Accesses()))
}

// Past returns the happens-before of the execution, nil if c is nil.
func (c *Conflicts) Past() *trace.Tracker {
	if c == nil {
		return nil
	}
	return c.past
}

// Reversed returns the first event, not before number from, that conflicts with event m and
// belongs to a goroutine with which event m races: the two could occur in the other order. It
// returns -1 if there is none.
func (c *Conflicts) Reversed(from, m int) int {
	for _, r := range slices.Backward(c.past.Races(m)) {
		for k := from; k <= int(r); k++ {
			if c.past.G(k) == c.past.G(int(r)) && trace.Dependence.Dependent(c.accesses[k], c.accesses[m]) {
				return k
			}
		}
	}
	return -1
}
