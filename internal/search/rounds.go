package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// This file has states that lead to nothing but each other: somebody goes round and round, and all
// others wait. If time may pass there it does, see [trace.Patient], and else that is a livelock.
//
// They are found while the graph is built, as strongly connected components (Tarjan 1972), where
// the numbers of states are the order in which they were visited. A component that leads
// nowhere is known for one when its first state is left. What the clock leads to is explored
// then, so the first state is still on the stack, and the component may turn out to be a part of a
// greater one.
//
// Engines that leave out something explore all that is enabled in the states of a cycle, or in one
// that all that was left out can be done in. So what leads nowhere for them does so if
// nothing is left out. That time passes comes after all that came before, so what it leads to
// gives no reason to explore anything else before.

// onPath is a state on the stack, and after how many events of the schedule it has come.
type onPath struct {
	state State
	depth int
}

// patience tells whether time may pass in the state that the walk is in.
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

// meets notes that the latest state on the stack, or one that leads back to it, leads to next,
// which the walk is about to visit if it is fresh.
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

// Leave says that all of x was explored. If x is the first state of a round that leads nowhere,
// time passes there, and explore is called with what that leads to, as with what Go returns.
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

// passTime lets time pass in the states of a round, of which x is the first: in those in which all
// are at the head of a loop, or else in all of them where it may. It does nothing if time passes
// in the round, anyway or since it does so in a part of it.
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

// timePasses reports whether it does so between states of a round.
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

// firstOpen returns the place of x among the open states.
func (s *States) firstOpen(x State) int {
	i, _ := slices.BinarySearch(s.open, x)
	return i
}
