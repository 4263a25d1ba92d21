package engine

import (
	"github.com/gopor/gopor/sched/trace"
)

// POS is partial order sampling: Yuan, Yang and Gu, "Partial order aware
// concurrency sampling", CAV 2018, Algorithm 2. Every operation gets a random
// priority when it becomes pending, the highest one is performed, and those that
// race with it draw anew.
type POS struct {
	Seed       uint64 // the same seed gives the same executions
	Executions int64  // how many; 0 means until visit returns false
}

// Name returns "pos".
func (POS) Name() string { return "pos" }

// About implements [trace.About].
func (e POS) About() trace.About {
	return trace.About{
		Random:   true,
		Endless:  e.Executions == 0,
		WithSeed: func(seed uint64) trace.Engine { e.Seed = seed; return e },
	}
}

// Explore visits executions of p drawn at random. They may repeat each other.
func (e POS) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	s := pos{sampler: newSampler(p, visit, e.Seed, e.Executions)}
	for s.next() {
		clear(s.priority)
		for ops := s.Pending(); len(ops) > 0; ops = s.Pending() {
			op := s.highest(ops)
			s.redraw(op, ops)
			if s.take(op) == nil {
				break
			}
		}
	}
	return s.Finish(false)
}

type pos struct {
	*sampler
	priority []uint64 // per goroutine, of its pending operation; 0 if that has none yet
}

// highest returns the operation of highest priority.
func (s *pos) highest(ops []*trace.Op) *trace.Op {
	best := ops[0]
	for _, op := range ops {
		for int(op.G) >= len(s.priority) {
			s.priority = append(s.priority, 0)
		}
		if s.priority[op.G] == 0 {
			s.priority[op.G] = s.rand.Uint64()>>1 + 1
		}
		if s.priority[op.G] > s.priority[best.G] {
			best = op
		}
	}
	return best
}

// redraw takes their priorities away from op, which is about to be performed,
// and from what depends on it.
func (s *pos) redraw(op *trace.Op, ops []*trace.Op) {
	for _, other := range ops {
		s.Stats.Checks++
		if trace.Dependent(op, other) {
			s.priority[other.G] = 0
		}
	}
}
