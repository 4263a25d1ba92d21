package engine

import (
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched/trace"
)

// late is an engine for long executions. In each of its executions one goroutine is late: it waits
// as long as others can go on. Some failures need a goroutine that comes after hundreds of
// operations of others, as where a status is set after a server has sent the one before. Other
// engines let a goroutine wait for [search.Patience] steps, since a loop may wait for it.
type late struct{ seed uint64 }

const (
	tardy    = 4096 // the steps that a goroutine is late at most
	latecome = 64   // the goroutines that are late, in the order of their numbers
)

// Name returns "late".
func (late) Name() string { return "late" }

// Explore visits an execution of p for each goroutine but main, which is number 0.
func (e late) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	s := lateWalk{sampler: newSampler(p, visit, e.seed, latecome)}
	for s.next() {
		s.g, s.kept = trace.ID(s.count), 0
		for ops := s.Pending(); len(ops) > 0; ops = s.Pending() {
			s.last = max(s.last, int64(ops[len(ops)-1].G))
			if s.take(s.choose(ops)) == nil {
				break
			}
		}
		s.limit = min(latecome, max(s.last, 1))
	}
	return s.Finish(false)
}

// lateWalk is a late under way.
type lateWalk struct {
	*sampler
	g    trace.ID // the goroutine that is late
	kept int      // the steps since it could go on
	last int64    // the highest number of a goroutine
}

// choose returns the next operation.
func (s *lateWalk) choose(ops []*trace.Op) *trace.Op {
	op := trial.PendingOf(ops, s.g)
	if op == nil {
		s.kept = 0
		return trial.PendingOf(ops, s.first(ops, nil))
	}
	if s.kept++; len(ops) == 1 || s.kept > tardy {
		s.kept = 0
		return op
	}
	sleep := make(search.SleepSet, op.Alts)
	for alt := range sleep {
		sleep[alt].Choice = trace.Choice{G: op.G, Alt: int32(alt)}
	}
	return trial.PendingOf(ops, s.first(ops, sleep))
}

// first returns the goroutine that goes on where none is late, or the late one sleeps.
func (s *lateWalk) first(ops []*trace.Op, sleep search.SleepSet) trace.ID {
	c, _ := sleep.Pick(ops, s.First(ops, sleep), 0)
	return c.G
}
