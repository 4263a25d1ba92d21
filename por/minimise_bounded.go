package por

import (
	"errors"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// boundedSearch is a depth-first search of the executions with at most a number
// of preemptions.
type boundedSearch struct {
	p      trace.Program
	bound  int
	over   func() bool    // the search is to end
	path   []fork         // the states of the execution that branch off the first one
	prefix trace.Schedule // the choices taken in them
}

// fork is a state of an execution.
type fork struct {
	untried []trace.Choice // within the bound
	last    trace.ID       // who moved before
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
	s := boundedSearch{p: m.p, bound: bound, over: m.over}
	for !m.spent() {
		failures, err := s.run()
		if err != nil {
			return false, false
		}
		if slices.ContainsFunc(failures, m.same) {
			t, ok := guided(m.p, s.prefix, nil, m.over)
			if ok && t.shows(m.same) && !m.later(t) {
				m.best = t
				return true, false
			}
		}
		if !s.next() {
			return false, true
		}
	}
	return false, false
}

var errOver = errors.New("the budget is spent")

// run performs the prefix and goes on to the end, without preemption where it
// can, noting what else could have been done. It returns errOver if the search
// has to end before.
func (s *boundedSearch) run() ([]trace.Failure, error) {
	r := s.p.Start()
	defer r.Close()
	for part := range slices.Chunk(s.prefix, glance) {
		if err := r.Replay(part); err != nil {
			return nil, err
		}
		if len(part) == glance && s.over() {
			return nil, errOver
		}
	}
	for {
		if len(s.prefix)%glance == glance-1 && s.over() {
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
func (s *boundedSearch) enter(ops []*trace.Op) trace.Choice {
	f := fork{last: noGoroutine}
	if n := len(s.path); n > 0 {
		f.last = s.prefix[n-1].G
		f.cost = s.path[n-1].price(f.last)
	}
	first := ops[0]
	if op := pendingOf(ops, f.last); op != nil {
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

// next moves the prefix on to the latest choice that was not tried yet.
func (s *boundedSearch) next() bool {
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
