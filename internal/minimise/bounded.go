package minimise

import (
	"errors"
	"slices"

	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched/trace"
)

// Bounded is a depth-first search of the executions with a bounded number of preemptions.
type Bounded struct {
	p      trace.Program
	bound  int
	over   func() bool    // the search has to end
	path   []fork         // the states in which the current execution may branch
	prefix trace.Schedule // the choices taken in them
}

// NewBounded returns a search of the executions of p that begin with a schedule and have at
// most bound preemptions after it. It ends when over returns true.
func NewBounded(p trace.Program, begin trace.Schedule, bound int, over func() bool) *Bounded {
	return &Bounded{p: p, bound: bound, over: over, path: make([]fork, len(begin)), prefix: slices.Clone(begin)}
}

// Schedule returns the choices of the latest execution. The next execution overwrites it.
func (s *Bounded) Schedule() trace.Schedule { return s.prefix }

// fork is a state of an execution.
type fork struct {
	untried []trace.Choice // within the bound
	last    trace.ID       // the goroutine of the previous event
	ready   bool           // last is enabled here
	cost    int            // number of preemptions before
}

// price returns the number of preemptions after a choice of g.
func (f *fork) price(g trace.ID) int {
	if f.ready && g != f.last {
		return f.cost + 1
	}
	return f.cost
}

// bounded searches for an execution with at most bound preemptions that shows the same failure
// as the best one, and adopts the first. It reports whether it has found one, and whether the
// search was complete.
func (m *minimiser) bounded(bound int) (found, complete bool) {
	s := NewBounded(m.p, nil, bound, m.over)
	for !m.spent() {
		failures, err := s.Run()
		if err != nil {
			return false, false
		}
		if slices.ContainsFunc(failures, m.same) {
			t, ok := trial.Guide(m.p, s.Schedule(), nil, m.over)
			if ok && t.Shows(m.same) && !m.later(t) {
				m.best = t
				return true, false
			}
		}
		if !s.Next() {
			return false, true
		}
	}
	return false, false
}

var errOver = errors.New("the budget is spent")

// Run replays the prefix and continues to the end, without preemption if possible, while it
// collects the untried choices. It returns errOver if the search has to end first.
func (s *Bounded) Run() ([]trace.Failure, error) {
	r := s.p.Start()
	defer r.Close()
	for part := range slices.Chunk(s.prefix, trial.Glance) {
		if err := r.Replay(part); err != nil {
			return nil, err
		}
		if len(part) == trial.Glance && s.over() {
			return nil, errOver
		}
	}
	for {
		if len(s.prefix)%trial.Glance == trial.Glance-1 && s.over() {
			return nil, errOver
		}
		ops := r.Pending()
		if len(ops) == 0 {
			return append([]trace.Failure(nil), r.Outcome()...), nil
		}
		c := s.enter(ops)
		if _, err := r.Step(c); err != nil {
			return nil, err
		}
	}
}

// enter adds the state with the pending operations ops to the path and returns the first
// choice.
func (s *Bounded) enter(ops []*trace.Op) trace.Choice {
	f := fork{last: trial.NoGoroutine}
	if n := len(s.path); n > 0 {
		f.last = s.prefix[n-1].G
		f.cost = s.path[n-1].price(f.last)
	}
	first := ops[0]
	if op := trial.PendingOf(ops, f.last); op != nil {
		f.ready, first = true, op
	}
	for _, op := range ops {
		for alt := range op.Alts {
			if (op != first || alt > 0) && f.price(op.G) <= s.bound {
				f.untried = append(f.untried, trace.Choice{G: op.G, Alt: alt})
			}
		}
	}
	c := trace.Choice{G: first.G}
	s.path = append(s.path, f)
	s.prefix = append(s.prefix, c)
	return c
}

// Next backtracks the prefix to the latest choice that is not tried yet.
func (s *Bounded) Next() bool {
	for n := len(s.path); n > 0; n-- {
		if f := &s.path[n-1]; len(f.untried) > 0 {
			s.prefix = append(s.prefix[:n-1], f.untried[0])
			f.untried = f.untried[1:]
			s.path = s.path[:n]
			return true
		}
	}
	return false
}
