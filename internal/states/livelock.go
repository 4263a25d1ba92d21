package states

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// ShowLivelock shows the visitor an execution that cannot end, if no final state can be reached
// from some state. It takes a short path to a cycle that leads nowhere else, and repeats the
// cycle up to the program's limit of steps. Every goroutine that can move anywhere in the cycle
// moves in each round. ShowLivelock counts the states from which no final state can be reached.
// It returns false if the search is to stop.
func (s *States) ShowLivelock() bool {
	lost := s.lost()
	s.Stats.Livelocks = 0
	for x := range lost {
		if lost[x] {
			s.Stats.Livelocks++
		}
	}
	if s.Stats.Livelocks == 0 {
		return true
	}
	way, at := s.wayToNearest(s.rest(lost))
	s.Back(0)
	for _, label := range way {
		if s.Step(s.labels[label].Choice) == nil {
			return false
		}
	}
	turn := s.round(at)
	for i := 0; i < mostRounds && len(s.Pending()) > 0; i++ {
		if s.Step(s.labels[turn[i%len(turn)]].Choice) == nil {
			return false
		}
	}
	return s.Err == nil && (len(s.Pending()) > 0 || s.Report(false))
}

// rest returns a strongly connected component of lost states that leads nowhere else. It has
// the states that reach the last root, where roots are taken in order of states and each root
// takes the unseen states that reach it.
func (s *States) rest(lost []bool) map[State]bool {
	from := s.from()
	seen := make([]bool, len(s.nodes))
	last := State(-1)
	for x := range lost {
		if !lost[x] || seen[x] {
			continue
		}
		last = State(x)
		seen[x] = true
		for open := []State{last}; len(open) > 0; {
			y := open[len(open)-1]
			open = open[:len(open)-1]
			for _, z := range from[y] {
				if !seen[z] {
					seen[z] = true
					open = append(open, z)
				}
			}
		}
	}
	rest := map[State]bool{last: true}
	for open := []State{last}; len(open) > 0; open = open[1:] {
		for i := s.nodes[open[0]].first; i >= 0; i = s.edges[i].next {
			if to := s.edges[i].to; !rest[to] {
				rest[to] = true
				open = append(open, to)
			}
		}
	}
	return rest
}

// round returns the labels of a short path from x to x, where x is a state of a component that
// leads nowhere else. Every goroutine that moves anywhere in the component moves on the path.
func (s *States) round(x State) (turn []int32) {
	went := make(map[trace.ID]bool)
	at := x
	for {
		way, to := s.way(at, func(e edge) bool { return !went[s.labels[e.label].G] })
		if len(way) == 0 {
			break
		}
		for _, label := range way {
			went[s.labels[label].G] = true
		}
		turn, at = append(turn, way...), to
	}
	if at != x {
		back, _ := s.way(at, func(e edge) bool { return e.to == x })
		turn = append(turn, back...)
	}
	return turn
}

// mostRounds is the number of steps of a livelock that are performed if the program has no
// limit.
const mostRounds = 1 << 16

// lost reports, for every state, whether no final state can be reached from it.
func (s *States) lost() []bool {
	from := s.from()
	lost := make([]bool, len(s.nodes))
	var open []State
	for x := range s.nodes {
		lost[x] = s.nodes[x].first >= 0
		if !lost[x] {
			open = append(open, State(x))
		}
	}
	for len(open) > 0 {
		x := open[len(open)-1]
		open = open[:len(open)-1]
		for _, y := range from[x] {
			if lost[y] {
				lost[y] = false
				open = append(open, y)
			}
		}
	}
	return lost
}

// from returns, for every state, the states with a transition to it.
func (s *States) from() [][]State {
	from := make([][]State, len(s.nodes))
	for x := range s.nodes {
		for i := s.nodes[x].first; i >= 0; i = s.edges[i].next {
			from[s.edges[i].to] = append(from[s.edges[i].to], State(x))
		}
	}
	return from
}

// wayTo returns the labels of a shortest path between two states.
func (s *States) wayTo(from, x State) []int32 {
	if from == x {
		return nil
	}
	way, _ := s.way(from, func(e edge) bool { return e.to == x })
	return way
}

// wayToNearest returns the labels of a shortest path from the initial state to one of several,
// and that state.
func (s *States) wayToNearest(some map[State]bool) ([]int32, State) {
	if some[0] {
		return nil, 0
	}
	return s.way(0, func(e edge) bool { return some[e.to] })
}

// way returns the labels of a shortest path from a state to a transition that last accepts, and
// the state after it. The path is empty if there is none.
func (s *States) way(from State, last func(edge) bool) (way []int32, to State) {
	type step struct {
		from  State
		label int32
	}
	by := map[State]step{from: {-1, -1}}
	for open := []State{from}; len(open) > 0; open = open[1:] {
		y := open[0]
		for i := s.nodes[y].first; i >= 0; i = s.edges[i].next {
			e := s.edges[i]
			if last(e) {
				way = append(way, e.label)
				for st := by[y]; st.from >= 0; st = by[st.from] {
					way = append(way, st.label)
				}
				slices.Reverse(way)
				return way, e.to
			}
			if _, known := by[e.to]; !known {
				by[e.to] = step{y, e.label}
				open = append(open, e.to)
			}
		}
	}
	return nil, from
}
