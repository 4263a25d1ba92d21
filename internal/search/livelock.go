package search

import (
	"slices"
)

// ShowLivelock shows the visitor an execution that can come to no end any more, if there is
// a state from which no final state can be reached: a cycle in the graph. The execution
// goes round it by all ways that there are, each in its turn, until the program's limit of
// steps. It counts such states, and returns false if the search is to stop.
func (s *States) ShowLivelock() bool {
	lost := s.lost()
	s.Stats.Livelocks = 0
	first := State(-1)
	for x := range lost {
		if lost[x] {
			s.Stats.Livelocks++
			if first < 0 {
				first = State(x)
			}
		}
	}
	if first < 0 {
		return true
	}
	way, at := s.wayTo(0, first), first
	s.Back(0)
	for _, label := range way {
		if s.Step(s.labels[label].Choice) == nil {
			return false
		}
	}
	turn := make(map[State]int32) // the edge that is next
	for range mostRounds {
		if len(s.Pending()) == 0 {
			break
		}
		i, ok := turn[at]
		if !ok || i < 0 {
			i = s.nodes[at].first
		}
		if s.Step(s.labels[s.edges[i].label].Choice) == nil {
			return false
		}
		turn[at] = s.edges[i].next
		at = s.edges[i].to
	}
	return s.Err == nil && (len(s.Pending()) > 0 || s.Report(false))
}

// mostRounds is how many steps of a livelock are performed if the program has no limit.
const mostRounds = 1 << 16

// lost tells of every state whether no final state can be reached from it.
func (s *States) lost() []bool {
	from := make([][]State, len(s.nodes))
	lost := make([]bool, len(s.nodes))
	var open []State
	for x := range s.nodes {
		lost[x] = s.nodes[x].first >= 0
		if !lost[x] {
			open = append(open, State(x))
		}
		for i := s.nodes[x].first; i >= 0; i = s.edges[i].next {
			from[s.edges[i].to] = append(from[s.edges[i].to], State(x))
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

// wayTo returns the labels of a shortest way to x from another state.
func (s *States) wayTo(from, x State) (way []int32) {
	type step struct {
		from  State
		label int32
	}
	by := map[State]step{from: {-1, -1}}
	for open := []State{from}; len(open) > 0; open = open[1:] {
		y := open[0]
		if y == x {
			break
		}
		for i := s.nodes[y].first; i >= 0; i = s.edges[i].next {
			e := s.edges[i]
			if _, known := by[e.to]; !known {
				by[e.to] = step{y, e.label}
				open = append(open, e.to)
			}
		}
	}
	for st := by[x]; st.from >= 0; st = by[st.from] {
		way = append(way, st.label)
	}
	slices.Reverse(way)
	return way
}
