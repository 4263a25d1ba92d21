package faults

// mostSpread is how many things a Spread keeps.
const mostSpread = 1 << 14

// Spread keeps things that come one after the other. Of many it keeps some, evenly spread.
type Spread[T any] struct {
	List   []T
	seen   int
	stride int
}

// Reset forgets all.
func (s *Spread[T]) Reset() { s.List, s.seen, s.stride = s.List[:0], 0, 1 }

// All reports whether the list has all.
func (s *Spread[T]) All() bool { return s.stride <= 1 }

// Add adds the next one.
func (s *Spread[T]) Add(x T) {
	if s.seen++; (s.seen-1)%s.stride != 0 {
		return
	}
	if len(s.List) == mostSpread {
		keep := s.List[:0]
		for i := 0; i < len(s.List); i += 2 {
			keep = append(keep, s.List[i])
		}
		s.List = keep
		s.stride *= 2
	}
	s.List = append(s.List, x)
}
