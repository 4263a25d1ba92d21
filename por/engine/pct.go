package engine

import (
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched/trace"
)

// PCT is probabilistic concurrency testing: Burckhardt, Kothari, Musuvathi and
// Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding
// bugs", ASPLOS 2010. Goroutines get random priorities, the highest one runs,
// and at Depth-1 random moments the running one falls below all others. With n
// goroutines and k steps, a bug that needs Depth ordering constraints is found
// with probability 1/(n·k^(Depth-1)) at least, in every execution.
type PCT struct {
	Seed       uint64 // the same seed gives the same executions
	Executions int64  // how many; 0 means until visit returns false
	Depth      int    // ordering constraints to aim at; 0 means 3
	Steps      int    // k, the expected length of an execution; 0 means the longest seen so far
}

// Name returns "pct".
func (PCT) Name() string { return "pct" }

// About implements [trace.About].
func (e PCT) About() trace.About {
	return trace.About{
		Random:   true,
		Endless:  e.Executions == 0,
		WithSeed: func(seed uint64) trace.Engine { e.Seed = seed; return e },
	}
}

// Explore visits executions of p drawn at random. They may repeat each other.
func (e PCT) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	if e.Depth <= 0 {
		e.Depth = 3
	}
	s := pct{sampler: newSampler(p, visit, e.Seed, e.Executions), PCT: e}
	for s.next() {
		s.begin()
		for ops := s.Pending(); len(ops) > 0; ops = s.Pending() {
			op := s.relieve(ops, s.highest(ops))
			s.fall(op.G)
			if s.take(op) == nil {
				break
			}
		}
	}
	return s.Finish(false)
}

type pct struct {
	*sampler
	PCT
	priority []uint64 // per goroutine; 0 until it is first seen
	changes  []int    // changes[i] is the step at which a priority falls to i+1
}

// begin draws the change points of an execution.
func (s *pct) begin() {
	clear(s.priority)
	k := s.Steps
	if k == 0 {
		k = max(s.Stats.MaxDepth, 1)
	}
	s.changes = s.changes[:0]
	for range s.Depth - 1 {
		s.changes = append(s.changes, s.draw(k))
	}
}

// highest returns the operation of the goroutine of highest priority.
func (s *pct) highest(ops []*trace.Op) *trace.Op {
	best := ops[0]
	for _, op := range ops {
		for int(op.G) >= len(s.priority) {
			s.priority = append(s.priority, 0)
		}
		if s.priority[op.G] == 0 {
			s.priority[op.G] = uint64(s.Depth) + s.rand.Uint64()>>1
		}
		if s.priority[op.G] > s.priority[best.G] {
			best = op
		}
	}
	return best
}

// relieve returns the operation to perform, which is best, the one of highest priority. But a
// goroutine that has been kept waiting for too long is relieved: it exchanges priorities with that
// one and goes on. This departs from the paper: its programs end under every schedule, and those
// that poll do not.
func (s *pct) relieve(ops []*trace.Op, best *trace.Op) *trace.Op {
	op := trial.PendingOf(ops, s.First(ops, nil))
	if op == nil || op.G == s.Mover() {
		return best
	}
	s.priority[op.G], s.priority[best.G] = s.priority[best.G], s.priority[op.G]
	return op
}

// fall lowers the priority of goroutine g, which is about to run, if this is a
// change point.
func (s *pct) fall(g trace.ID) {
	for i, at := range s.changes {
		if at == len(s.Schedule) {
			s.priority[g] = uint64(i) + 1
		}
	}
}
