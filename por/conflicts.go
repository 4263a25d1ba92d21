package por

import (
	"slices"

	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/sched/trace"
)

// conflicts has which operations of an execution conflict.
type conflicts struct {
	past     *trace.Tracker
	accesses [][]trace.Access // by event
}

// longConflicts is of how many events conflicts are kept at most: reports of longer executions name no order.
const longConflicts = 100_000

// newConflicts returns what keeps the conflicts of an execution of so many events, nil if nothing asks for them.
func newConflicts(events int) *conflicts {
	if !record.Told() || events > longConflicts {
		return nil
	}
	return &conflicts{past: trace.NewTracker(trace.Dependence)}
}

// add adds the next event.
func (c *conflicts) add(ev *trace.Event) {
	if c == nil {
		return
	}
	c.past.Push(int32(ev.G), ev.Accesses(), ev.Order)
	c.accesses = append(c.accesses, slices.Clone(ev.Accesses()))
}

// reversed returns the first event from number from on that conflicts with event m, and is of a goroutine with
// whose events m races: the two could have come in the other order. It returns -1 if there is none.
func (c *conflicts) reversed(from, m int) int {
	for _, r := range slices.Backward(c.past.Races(m)) {
		for k := from; k <= int(r); k++ {
			if c.past.G(k) == c.past.G(int(r)) && trace.Dependence.Dependent(c.accesses[k], c.accesses[m]) {
				return k
			}
		}
	}
	return -1
}
