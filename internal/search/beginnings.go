package search

// beginnings is how a search begins again and again, in other orders. Depth first it stays long with
// what its first choices lead to. So it takes glances, which end with the first final state, until
// these have taken as many transitions as the next search may, which goes on after that until
// it has twice as many, and so on. What is to be found by drawing at random is found after two
// or three times as many transitions, and if a search takes n transitions, all together take five times as many
// and the first glances.
type beginnings struct {
	glances bool
	most    int // transitions of the present search, of a glance what is left for all of them; 0 for no limit
	next    int // transitions of the next search that is no glance
}

// BeginAgain has the search do so, for the first time after so many transitions. Orders are drawn
// ([States.Draw]), in half of the searches by ranks.
func (s *States) BeginAgain(n int) { s.begins = beginnings{glances: true, most: n, next: n} }

// beginAgain ends the present search, and says what the next one is.
func (s *States) beginAgain() {
	if s.Err != nil {
		return
	}
	s.Err = ErrRestart
	b := &s.begins
	switch b.most -= max(1, len(s.edges)); { // there may be none
	case b.glances && b.most > 0:
	case b.glances:
		b.glances, b.most = false, b.next
	default:
		b.glances, b.most, b.next = true, b.next, 2*b.next
	}
	s.order.next()
}
