package engine

import (
	"math/rand/v2"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// Random walks: whenever there is a choice, each goroutine that is ready is
// chosen with the same probability, and each of its alternatives.
type Random struct {
	Seed       uint64 // the same seed gives the same executions
	Executions int64  // how many; 0 means until visit returns false
}

// Name returns "random".
func (Random) Name() string { return "random" }

// About implements [trace.About].
func (e Random) About() trace.About {
	return trace.About{
		Random:   true,
		Endless:  e.Executions == 0,
		WithSeed: func(seed uint64) trace.Engine { e.Seed = seed; return e },
	}
}

// Explore visits executions of p drawn at random. They may repeat each other.
func (e Random) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	s := newSampler(p, visit, e.Seed, e.Executions)
	for s.next() {
		for ops := s.Pending(); len(ops) > 0; ops = s.Pending() {
			op := ops[s.draw(len(ops))]
			if s.take(op) == nil {
				break
			}
		}
	}
	return s.Finish(false)
}

// sampler is a walk with executions that are drawn at random, each from a source of
// its own, so that an execution depends on the seed and its number only.
type sampler struct {
	search.Walk
	seed  uint64
	limit int64
	count int64 // executions begun
	pcg   rand.PCG
	rand  *rand.Rand
	on    bool
}

func newSampler(p trace.Program, visit func(*trace.Execution) bool, seed uint64, limit int64) *sampler {
	s := &sampler{Walk: search.NewWalk(p, visit), seed: seed, limit: limit, on: true}
	s.rand = rand.New(&s.pcg)
	return s
}

// next reports the execution that has come to its end, if there is one, and
// starts another. It returns false when there are to be no more.
func (s *sampler) next() bool {
	if s.count > 0 && !s.Report(false) || s.limit > 0 && s.count == s.limit {
		return false
	}
	if s.count > 0 {
		s.Back(0)
		s.Restart()
	}
	s.pcg.Seed(s.seed, uint64(s.count))
	s.count++
	return true
}

// draw returns a number below n.
func (s *sampler) draw(n int) int {
	if n == 1 {
		return 0
	}
	return s.rand.IntN(n)
}

// take performs op with an alternative drawn at random.
func (s *sampler) take(op *trace.Op) *trace.Event {
	return s.Step(trace.Choice{G: op.G, Alt: int32(s.draw(int(op.Alts)))})
}
