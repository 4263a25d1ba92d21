package minimise

import (
	"errors"
	"slices"

	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched/trace"
)

// Bounded is a depth-first search of the executions with a bounded number of preemptions. It visits
// each of their traces at least once. Two executions with the same events in the same
// happens-before order are in the same state. If the goroutine that moved last is the same, too,
// the search leaves the one that is there later with as many preemptions or more. So does the
// search of Musuvathi and Qadeer, "Partial-order reduction for context-bounded state exploration"
// (2007).
type Bounded struct {
	p      trace.Program
	bound  int
	over   func() bool    // the search has to end
	path   []fork         // the states in which the current execution may branch
	prefix trace.Schedule // the choices taken in them

	hb    *trace.Tracker // of the events of prefix
	sums  []uint64       // by number of events: the fingerprint of the first ones
	known map[state]int  // the fewest preemptions before
}

// state is a state of an execution, by the fingerprint of its events, with the goroutine that has
// moved last. That two of the states that are remembered have the same fingerprint by chance has a
// probability below one in a hundred million.
type state struct {
	sum  uint64
	last trace.ID
}

// mostKnown is the number of states that are remembered.
const mostKnown = 1 << 18

// NewBounded returns a search of the executions of p that begin with a schedule and have at
// most bound preemptions after it. It ends when over returns true.
func NewBounded(p trace.Program, begin trace.Schedule, bound int, over func() bool) *Bounded {
	return &Bounded{p: p, bound: bound, over: over, path: make([]fork, len(begin)), prefix: slices.Clone(begin),
		hb: trace.NewTracker(trace.Dependence), sums: []uint64{0}, known: make(map[state]int)}
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
	complete = true
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
			complete = false // another execution of the same trace may do
		}
		if !s.Next() {
			return false, complete
		}
	}
	return false, false
}

var errOver = errors.New("the budget is spent")

// Run replays the prefix and continues to the end, without preemption if possible, while it
// collects the untried choices. It returns no failures if it comes to a known state. It returns
// errOver if the search has to end first.
func (s *Bounded) Run() ([]trace.Failure, error) {
	r := s.p.Start()
	defer r.Close()
	tracked := s.hb.Len()
	for part := range slices.Chunk(s.prefix[:tracked], trial.Glance) {
		if err := r.Replay(part); err != nil {
			return nil, err
		}
		if len(part) == trial.Glance && s.over() {
			return nil, errOver
		}
	}
	for i, c := range s.prefix[tracked:] {
		if err := s.step(r, c); err != nil {
			return nil, err
		}
		if i%trial.Glance == trial.Glance-1 && s.over() {
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
		if s.isKnown() {
			return nil, nil
		}
		if err := s.step(r, s.enter(ops)); err != nil {
			return nil, err
		}
	}
}

// step performs the next event.
func (s *Bounded) step(r trace.Run, c trace.Choice) error {
	ev, err := r.Step(c)
	if err != nil {
		return err
	}
	i := s.hb.Len()
	s.hb.Push(int32(ev.G), ev.Accesses(), ev.Order)
	h := mix(uint64(ev.G)<<32 | uint64(c.Alt))
	for g, n := range s.hb.Clock(i) {
		if n != 0 {
			h = mix(h ^ (uint64(g)<<32 | uint64(n)))
		}
	}
	s.sums = append(s.sums, s.sums[i]+h)
	return nil
}

// mix is the finaliser of the splitmix64 generator.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// isKnown reports whether all executions from the current state on were visited, or are going to
// be, and otherwise remembers the state.
func (s *Bounded) isKnown() bool {
	n := len(s.path)
	if n == 0 {
		return false
	}
	at := state{s.sums[n], s.prefix[n-1].G}
	cost := s.path[n-1].price(at.last)
	if least, ok := s.known[at]; ok && least <= cost {
		return true
	}
	if len(s.known) < mostKnown {
		s.known[at] = cost
	}
	return false
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
			s.hb.Pop(n - 1)
			s.sums = s.sums[:n]
			return true
		}
	}
	return false
}
