package unfold

// skip is a pointer from a node of a thread tree to an ancestor further away than
// the parent (paper, section 5.2), with what is touched between the two, the
// ancestor itself left out.
//
// A node at a depth that step^i divides has a skip to the ancestor at distance
// step^i, so to find an ancestor takes a number of steps logarithmic in the
// distance.
type skip struct {
	to       id
	distance int32
	next     int32 // the next shorter skip of the node, 0 for none
}

// skipStore holds the skips of all nodes. Number 0 is none.
type skipStore struct {
	list  []skip
	masks []uint64 // words words each
	free  int32    // linked by next
}

func (t *skipStore) init() {
	t.list = make([]skip, 1)
	t.masks = make([]uint64, 1)
}

func (t *skipStore) make(words int) int32 {
	i := t.free
	if i != 0 {
		t.free = t.list[i].next
		return i
	}
	t.list = append(t.list, skip{})
	for range words {
		t.masks = append(t.masks, 0)
	}
	return int32(len(t.list) - 1)
}

// addSkips gives the new event e its skips.
func (s *structure) addSkips(e id) {
	v := &s.nodes[e]
	if s.step < 2 {
		return
	}
	// A product of two divisors of a depth does not overflow 64 bits.
	for distance := int64(s.step); int64(v.depth)%distance == 0; distance *= int64(s.step) {
		i := s.skips.make(s.words)
		var m mask
		to := s.walk(e, v.depth-int32(distance), &m)
		s.skips.list[i] = skip{to: to, distance: int32(distance), next: v.skips}
		copy(s.skips.masks[int(i)*s.words:int(i+1)*s.words], m[:])
		v.skips = i
	}
}

// dropSkips takes them back.
func (s *structure) dropSkips(e id) {
	v := &s.nodes[e]
	for v.skips != 0 {
		i := v.skips
		sk := &s.skips.list[i]
		v.skips, sk.next, s.skips.free = sk.next, s.skips.free, i
	}
}

// setMask notes what e touches.
func (s *structure) setMask(e id) {
	u := &s.events[e].uses
	var m mask
	m.add(everyEvent)
	for _, x := range u.list() {
		b := int32(wholeProgram)
		if x.object != 0 {
			b = s.objects.bit(s.objects.list[x.object].number, x.mode)
		}
		m.add(b)
	}
	if need := s.objects.words(); need > s.words {
		s.addWords(need)
	}
	copy(s.masks[int(e)*s.words:int(e+1)*s.words], m[:])
}

// addWords makes masks longer.
func (s *structure) addWords(words int) {
	longer := func(old []uint64) []uint64 {
		n := len(old) / s.words
		masks := make([]uint64, n*words, cap(old)/s.words*words)
		for i := range n {
			copy(masks[i*words:], old[i*s.words:(i+1)*s.words])
		}
		return masks
	}
	s.masks, s.skips.masks = longer(s.masks), longer(s.skips.masks)
	s.words = words
}

// walk returns the ancestor of e at a depth, e itself if that is its depth. It adds
// to m, if that is not nil, what the nodes below the ancestor touch.
func (s *structure) walk(e id, depth int32, m *mask) id {
	for {
		v := &s.nodes[e]
		left := v.depth - depth
		if left <= 0 {
			return e
		}
		to, masks := v.parent, s.masks[int(e)*s.words:]
		for i := v.skips; i != 0; {
			sk := &s.skips.list[i]
			if sk.distance <= left {
				to, masks = sk.to, s.skips.masks[int(i)*s.words:]
				break
			}
			i = sk.next
		}
		if m != nil {
			for w := range s.words {
				m[w] |= masks[w]
			}
		}
		e = to
	}
}

// includes reports whether c, a configuration, holds e.
func (s *structure) includes(c configuration, e id) bool {
	return s.walk(c[s.nodes[e].g], s.nodes[e].depth, nil) == e
}

// precedes reports whether e happens before f, or is f: e < f exactly if
// e <= tmax(f, i), i being the thread of e (paper, theorem 6).
func (s *structure) precedes(e, f id) bool { return s.includes(s.at(f), e) }

// conflict reports whether configurations a and b are in conflict: whether their
// union is not one. For events e and f, e # f exactly if conflict([e], [f]).
//
// Theorem 6 of the paper asks whether lmax(e, l) # lmax(f, l) for some lock l, and
// that within the tree of that lock: all operations on a lock depend on each other,
// so they are in a tree. That is not so of reads, or of sends and receives. What
// holds of all operations is this. Let A be what a has and b has not, and B the
// other way round. There is a conflict exactly if the two have taken different
// branches of a thread tree, or some event of A depends on some event of B. For if
// they depend, none comes before the other: what comes before an event of a is in
// a. So one execution that has both would have to order them in both ways. And if
// nothing of A depends on anything of B, then all of B can be done after all of a.
//
// Of each thread, A or B or both are empty, and what is in them is a path of a
// thread tree. What it touches is collected from the skips, in logarithmic time, and
// only if that does not exclude a dependence are the events looked at.
func (s *structure) conflict(a, b configuration) bool {
	var am, bm mask
	nodes := s.nodes
	b = b[:len(a)]
	for g, x := range a {
		y := b[g]
		if x == y {
			continue
		}
		if dx, dy := nodes[x].depth, nodes[y].depth; dx > dy {
			if s.walk(x, dy, &am) != y {
				return true
			}
		} else if dx == dy || s.walk(y, dx, &bm) != x {
			return true
		}
	}
	return s.objects.meet(&am, &bm, s.words) && s.conflictByEvent(a, b)
}

// clash is conflict([x], [c]) where only c can be the cause: [x] goes with what comes
// before c, and with what happened before c and independently of it.
func (s *structure) clash(x, c id) bool {
	thread, depth := s.nodes[c].g, s.nodes[c].depth
	mine, its := s.at(x), s.at(c)
	if e := mine[thread]; s.nodes[e].depth >= depth {
		return s.walk(e, depth, nil) != c
	}
	if s.objects.dependent(s.events[x].uses.list(), s.events[c].uses.list()) {
		return true // most often it is x itself
	}
	var m mask
	for g, e := range mine {
		if d := s.nodes[its[g]].depth; int32(g) != thread && s.nodes[e].depth > d {
			s.walk(e, d, &m)
		}
	}
	var cm mask
	copy(cm[:], s.masks[int(c)*s.words:int(c+1)*s.words])
	return s.objects.meet(&cm, &m, s.words) && s.conflictByEvent(mine, its)
}

// conflictByEvent is conflict for configurations that take no different branches of
// a thread tree. It looks at all pairs of events that one has and the other has
// not.
func (s *structure) conflictByEvent(a, b configuration) bool {
	for g := range a {
		for x := a[g]; s.nodes[x].depth > s.nodes[b[g]].depth; x = s.nodes[x].parent {
			for h := range b {
				for y := b[h]; s.nodes[y].depth > s.nodes[a[h]].depth; y = s.nodes[y].parent {
					if s.objects.dependent(s.events[x].uses.list(), s.events[y].uses.list()) {
						return true
					}
				}
			}
		}
	}
	return false
}
