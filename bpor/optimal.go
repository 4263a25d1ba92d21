package bpor

import (
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// Optimal is optimal DPOR (Abdulla et al. 2014, Algorithm 2) that prunes an execution when its
// trace is over the bound, as [Lazy] does. It is not in 002. With [Enough] slack it visits
// every trace that has an execution within the bound, no trace twice. The only redundant
// executions are those that it prunes.
type Optimal struct {
	Bound Bound
	Slack Slack // see [Lazy]
}

// Name returns "optimal-bpor".
func (Optimal) Name() string { return "optimal-bpor" }

// Explore visits traces of p within the bound plus the slack, each at most once.
func (e Optimal) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	if err := e.Bound.valid(); err != nil {
		return trace.Stats{}, err
	}
	stats, err := search.OptimalWithin(p, visit, func(t *search.Trail) func(*trace.Event) bool {
		l := newLinear(e.Bound, e.Slack, t)
		moved := []int{0} // goroutines that have moved, by number of events
		return func(ev *trace.Event) bool {
			n := t.HB.Len() - 1
			l.push(n, ev)
			moved = append(moved[:n+1], moved[n])
			if t.HB.Seq(n) == 1 {
				moved[n+1]++
			}
			known := moved[n+1]
			if e.Slack == Enough {
				for _, op := range t.Run.Pending() {
					if t.HB.Last(int32(op.G)) < 0 {
						known++
					}
				}
			}
			return l.within(known)
		}
	})
	e.Bound.claim(&stats, e.Slack == Enough, stats.Pruned == 0)
	return stats, err
}
