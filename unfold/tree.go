package unfold

// skip is a pointer from a node of a thread tree to an ancestor further away than the parent
// (paper, section 5.2). Its mask has the uses between the two, without those of the ancestor.
//
// A node at a depth that step^i divides has a skip to the ancestor at distance step^i. So
// finding an ancestor takes a number of steps logarithmic in the distance.
type skip struct {
	to       id
	distance int32
	next     int32 // the next shorter skip of the node, 0 for none
}

// skipStore has the skips of all nodes. Number 0 means no skip.
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

// addSkips makes the skips of the new event e.
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

// dropSkips frees the skips of e.
func (s *structure) dropSkips(e id) {
	v := &s.nodes[e]
	for v.skips != 0 {
		i := v.skips
		sk := &s.skips.list[i]
		v.skips, sk.next, s.skips.free = sk.next, s.skips.free, i
	}
}

// setMask sets the mask of the uses of e.
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

// walk returns the ancestor of e at a depth, or e itself at its own depth. It adds to m, if not
// nil, the uses of the nodes below the ancestor.
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

// includes reports whether configuration c has e.
func (s *structure) includes(c configuration, e id) bool {
	return s.walk(c[s.nodes[e].g], s.nodes[e].depth, nil) == e
}

// precedes reports whether e happens before f, or is f: e < f exactly if e <= tmax(f, i), i
// being the thread of e (paper, theorem 6).
func (s *structure) precedes(e, f id) bool { return s.includes(s.at(f), e) }

// conflict reports whether configurations a and b are in conflict: their union is not a
// configuration. For events e and f, e # f exactly if conflict([e], [f]).
//
// Theorem 6 of the paper asks whether lmax(e, l) # lmax(f, l) for some lock l, within the tree
// of that lock: all operations on a lock depend on each other, so they are in a tree. That is
// not so of reads, or of sends and receives. All operations have this property. Let A be the
// events of a that b has not, and B the other way round. There is a conflict exactly if the two
// have taken different branches of a thread tree, or some event of A depends on some event of
// B. If two such events depend on each other, neither happens before the other: the events
// before an event of a are in a. So an execution that has both would have to order them in both
// ways. And if no event of A depends on one of B, then all of B can be done after all of a.
//
// For each thread, A or B or both are empty, and their events are a path of a thread tree. The
// uses on the path are collected from the skips, in logarithmic time. Only if that does not
// exclude a dependence are the events compared.
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

// clash is conflict([x], [c]) where only c can be the cause: [x] is not in conflict with the
// events before c, and with those independent of c.
func (s *structure) clash(x, c id) bool {
	thread, depth := s.nodes[c].g, s.nodes[c].depth
	mine, its := s.at(x), s.at(c)
	if e := mine[thread]; s.nodes[e].depth >= depth {
		return s.walk(e, depth, nil) != c
	}
	if s.objects.dependent(s.events[x].uses.list(), s.events[c].uses.list()) {
		return true // most often c is in conflict with x itself
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

// conflictByEvent is conflict for configurations that take no different branches of a thread
// tree. It compares all pairs of events that one has and the other has not.
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
