package states

// beginnings lets a search begin again and again, in other orders. A depth-first search stays
// long with what its first choices lead to. So the search takes probes first. A probe ends at
// its first final state, and all probes together may take as many transitions as the next
// search. After that search come probes again, then a search of twice as many transitions, and
// so on.
//
// What random drawing finds is found after two or three times as many transitions. If one
// search needs n transitions, all searches together need five times as many, and the first
// probes.
type beginnings struct {
	glances bool
	// The transitions left for the present search, or for all probes together; 0 for no limit.
	most int
	next int // transitions of the next search that is not a probe
}

// BeginAgain makes the search begin again, for the first time after n transitions. Orders are
// drawn ([States.Draw]), by ranks in half of the searches.
func (s *States) BeginAgain(n int) { s.begins = beginnings{glances: true, most: n, next: n} }

// beginAgain ends the present search and sets the limits of the next one.
func (s *States) beginAgain() {
	if s.Err != nil {
		return
	}
	s.Err = ErrRestart
	b := &s.begins
	switch b.most -= max(1, len(s.edges)); { // a search may have made no edge
	case b.glances && b.most > 0:
	case b.glances:
		b.glances, b.most = false, b.next
	default:
		b.glances, b.most, b.next = true, b.next, 2*b.next
	}
	s.order.next()
}
