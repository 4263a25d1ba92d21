package bpor

import (
	"github.com/gopor/gopor/sched/trace"
)

// Naive is Naive-BPOR (002, algorithm 6): source-DPOR that refuses a step when the schedule
// would be over the bound. It is fast and incomplete, even within the bound: it may keep an
// expensive schedule of a trace while the cheap one sleeps. See the package documentation for
// the smallest known program of which it misses a trace.
type Naive struct {
	Bound Bound
}

// Name returns "naive-bpor".
func (Naive) Name() string { return "naive-bpor" }

// Explore visits executions of p within the bound, each trace at most once. It is exhaustive in
// the sense of Naive-BPOR only.
func (e Naive) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	b, err := newBounded(p, visit, e.Bound)
	if err != nil {
		return trace.Stats{}, err
	}
	s := naive{b}
	stats, err := s.Finish(s.Trail.Explore(&s))
	e.Bound.claim(&stats, false, false)
	return stats, err
}

// naive is the search of Naive.
type naive struct{ bounded }

// Enter begins with the cheapest choice, if that is within the bound.
func (s *naive) Enter(k int, ops []*trace.Op) (trace.Choice, bool) {
	s.begin(k, ops)
	return s.cheapest(k, ops, -1)
}

// Record reverses the races of ev.
func (s *naive) Record(ev *trace.Event) bool {
	k, e := s.record(ev)
	for _, first := range s.HB.Races(k) {
		s.Stats.Races++
		s.reverse(int(first), k, s.sources(int(first), k))
	}
	next := s.frames.At(k + 1)
	next.sleep = s.After(s.frames.At(k).sleep, next.sleep, e)
	return true
}

// Next puts the explored choice to sleep.
func (s *naive) Next(k int) (trace.Choice, bool) {
	f := s.frames.At(k)
	f.sleep = append(f.sleep, s.Sleeper(k))
	return s.next(k)
}
