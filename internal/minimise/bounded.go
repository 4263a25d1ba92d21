package minimise

import (
	"errors"
	"slices"

	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched/trace"
)

// Bounded is a depth-first search of the executions with at most a number
// of preemptions.
type Bounded struct {
	p      trace.Program
	bound  int
	over   func() bool    // the search is to end
	path   []fork         // the states of the execution that branch off the first one
	prefix trace.Schedule // the choices taken in them
}

// NewBounded returns a search of the executions of p that begin with a schedule, and have at most bound
// preemptions after it. It ends when over says so.
func NewBounded(p trace.Program, begin trace.Schedule, bound int, over func() bool) *Bounded {
	return &Bounded{p: p, bound: bound, over: over, path: make([]fork, len(begin)), prefix: slices.Clone(begin)}
}

// Schedule returns the choices of the latest execution. It is overwritten by the next one.
func (s *Bounded) Schedule() trace.Schedule { return s.prefix }

// fork is a state of an execution.
type fork struct {
	untried []trace.Choice // within the bound
	last    trace.ID       // the goroutine that moved before
	ready   bool           // last was ready here
	cost    int            // preemptions before
}

// price returns the number of preemptions after choice c.
func (f *fork) price(g trace.ID) int {
	if f.ready && g != f.last {
		return f.cost + 1
	}
	return f.cost
}

// bounded searches for an execution with at most bound preemptions that fails
// like the best one, and takes the first. It reports whether it has found one,
// and whether it has seen all there are.
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

// Run performs the prefix and goes on to the end, without preemption where it
// can, noting what else could have been done. It returns errOver if the search
// has to end before.
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

// enter adds the state in which ops are pending to the path and returns the
// choice to begin with.
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

// Next moves the prefix on to the latest choice that was not tried yet.
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
