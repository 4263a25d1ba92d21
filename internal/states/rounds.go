package states

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// This file handles states that lead only to each other: some goroutines repeat the same
// operations, and all others wait. Time passes there if it may, see [trace.Patient]. Otherwise
// the states are a livelock.
//
// They are found while the graph is built, as strongly connected components (Tarjan 1972). The
// numbers of states are the order in which they were visited. A component that leads nowhere
// else is recognised when its first state is left. What the clock leads to is explored then. So
// the first state is still on the stack, and the component may turn out to be a part of a
// larger one.
//
// An engine that leaves out transitions explores all enabled ones in the states of a cycle, or
// in one state in which all that was left out is enabled. So a component that leads nowhere for
// such an engine does so in the full graph. The passing of time is ordered after all earlier
// events. So its successors add no reason to explore anything else before it.

// onPath is a state on the stack, with the number of events of the schedule before it.
type onPath struct {
	state State
	depth int
}

// patience says whether time may pass in the state that the walk is in.
func (s *States) patience() trace.Patience {
	if r, ok := s.Run.(trace.Patient); ok {
		p, c := r.Patience()
		if p != trace.Impatient {
			s.pass = c
		}
		return p
	}
	return trace.Impatient
}

// meets notes an edge to next from the latest state on the stack, or from one that leads back
// to it. The walk visits next if it is fresh.
func (s *States) meets(next State, fresh bool) {
	x := &s.nodes[s.path[len(s.path)-1].state]
	switch low := s.nodes[next].low; {
	case fresh:
	case low < 0:
		x.leads = true
	default:
		x.low = min(x.low, next)
	}
}

// Leave notes that x is fully explored. If x is the first state of a component that leads
// nowhere else, time passes there, and explore is called with the state after it, with
// arguments as Go returns them.
func (s *States) Leave(x State, explore func(next State, fresh bool)) {
	if s.Err != nil {
		return
	}
	top := s.path[len(s.path)-1]
	if n := &s.nodes[x]; n.low == x && !n.leads && n.first >= 0 {
		if s.passTime(x, top.depth, explore); s.Err != nil {
			return
		}
	}
	s.path = s.path[:len(s.path)-1]
	n := &s.nodes[x]
	n.onStack = false
	low, leads := n.low, n.leads
	if low == x {
		first := s.firstOpen(x)
		for _, y := range s.open[first:] {
			s.nodes[y].low = -1
		}
		s.open = s.open[:first]
		leads = true
	}
	if len(s.path) > 0 {
		p := &s.nodes[s.path[len(s.path)-1].state]
		p.leads = p.leads || leads
		if low != x {
			p.low = min(p.low, low)
		}
	}
}

// passTime lets time pass in the states of a component that begins with x. It uses the states
// in which all goroutines are at the head of a loop, or else all states where time may pass. It
// does nothing if time already passes in the component or in a part of it.
func (s *States) passTime(x State, depth int, explore func(next State, fresh bool)) {
	round := slices.Clone(s.open[s.firstOpen(x):])
	most := trace.Impatient
	for _, y := range round {
		most = max(most, s.nodes[y].patience)
	}
	if most == trace.Impatient || s.timePasses(round) {
		return
	}
	for _, y := range round {
		if s.nodes[y].patience != most {
			continue
		}
		s.Back(depth)
		for _, label := range s.wayTo(x, y) {
			s.Step(s.labels[label].Choice)
		}
		if s.Pending(); s.Err != nil {
			return
		}
		next, _, fresh := s.Go(y, len(s.Schedule), s.pass)
		if s.Err == nil {
			explore(next, fresh)
		}
		if s.Err != nil {
			return
		}
	}
}

// timePasses reports whether time passes between states of a component.
func (s *States) timePasses(round []State) bool {
	for _, y := range round {
		for i := s.nodes[y].first; i >= 0; i = s.edges[i].next {
			if s.labels[s.edges[i].label].Choice == s.pass {
				return true
			}
		}
	}
	return false
}

// firstOpen returns the index of x among the open states.
func (s *States) firstOpen(x State) int {
	i, _ := slices.BinarySearch(s.open, x)
	return i
}
