package unfold

// id numbers an event of a structure. Event 0 is ⊥, which precedes every other (paper, section
// 5.1).
type id = int32

const bottom id = 0

// event is an event <a, H>: an action and its history. Its goroutine and the event of that
// goroutine before it determine the action, up to the alternative.
type event struct {
	size  int32 // the number of events of its local configuration
	hash  uint64
	uses  uses
	noted [2]uint64 // the latest terms in which it was noted, see frame
}

// node is the position of an event in the tree of its thread.
type node struct {
	parent id // the event of the thread before it
	// Its position in the thread, from 1; 0 means that there is no such event.
	depth int32
	skips int32 // further ancestors, the farthest one first; see skip
	g     int32 // its goroutine, the thread
	alt   int32 // its alternative
}

// A configuration has the latest event of each goroutine in it, ⊥ where there is none. The
// local configuration [e] of an event is the paper's tmax(e, .) (definition 7), with e itself
// for its own goroutine.
type configuration []id

// structure is the known part of a prime event structure: the paper's U.
//
// It has the events of one thread in a tree (section 5.1): an event's ancestors there are the
// events of its thread before it, and branches are in conflict. In place of further trees for
// locks, the nodes of the thread trees know the uses on the path to their ancestors, see
// [structure.conflict].
type structure struct {
	step    int // the step of skips
	width   int // the number of goroutines that a configuration has room for
	words   int // the number of words of a mask
	nodes   []node
	events  []event
	local   []id     // local configurations, width ids each, by event
	masks   []uint64 // the uses of each event as a mask, words words each
	skips   skipStore
	table   []entry  // hash table of events
	factors []uint64 // odd numbers, by goroutine, for hashing
	free    []id
	live    int // the number of events without ⊥
	peak    int // the largest live
	objects objects
	actions map[action]*acted
	marks   []bool // scratch of collect
	stack   []id   // scratch of collect
}

// action is the next operation of a goroutine after its event parent and after the events
// order, in the sense of trace.Event.Order. These determine the operation, and so its object,
// in every history.
type action struct {
	g      int32
	parent id
	order  uint64 // a hash
}

// acted is what is known of an action.
type acted struct {
	order   []id
	objects []int32 // identities
	// Byte-by-byte uses of memory; all events of the action share the list.
	uses []uses
}

// entry is an entry of the hash table.
type entry struct {
	hash  uint32 // the upper half
	event id     // ⊥ if the entry is empty
}

// defaultStep is the distance between a node and the first of its skips. The paper takes 4 as
// well (section 6.2).
const defaultStep = 4

func newStructure(step int) *structure {
	s := &structure{step: step, width: 8, words: 1, table: make([]entry, 1<<8)}
	s.objects.init()
	s.actions = make(map[action]*acted)
	s.events, s.nodes = append(s.events, event{}), append(s.nodes, node{g: -1})
	s.local = make([]id, s.width)
	s.masks = make([]uint64, s.words)
	s.skips.init()
	s.randomize()
	return s
}

// at returns the local configuration of an event, the empty one for ⊥. It is valid until the
// next event is made.
func (s *structure) at(e id) configuration {
	return s.local[int(e)*s.width : int(e+1)*s.width : int(e+1)*s.width]
}

// find returns the event of goroutine g with alternative alt and history h; these three are the
// event's canonical name. The entry of g in h is the event's parent. If there is no such event,
// find makes it and sets fresh; touch has to be called then.
func (s *structure) find(g, alt int32, h configuration) (e id, fresh bool) {
	hash := uint64(uint32(g))<<32 | uint64(uint32(alt))
	for i, p := range h {
		hash += uint64(p) * s.factors[i]
	}
	hash *= 0x9e3779b97f4a7c15
	hash ^= hash >> 32
	for i := hash; ; i++ {
		at := &s.table[i&uint64(len(s.table)-1)]
		if e = at.event; e == bottom {
			break
		}
		if at.hash == uint32(hash>>32) && s.is(e, g, alt, h) {
			return e, false
		}
	}
	return s.add(g, alt, h, hash), true
}

// is reports whether e has this canonical name.
func (s *structure) is(e id, g, alt int32, h configuration) bool {
	if v := &s.nodes[e]; v.g != g || v.alt != alt || v.parent != h[g] {
		return false
	}
	for i, p := range s.at(e) {
		if p != h[i] && int32(i) != g {
			return false
		}
	}
	return true
}

// add makes an event.
func (s *structure) add(g, alt int32, h configuration, hash uint64) id {
	parent := h[g]
	e := id(len(s.events))
	if n := len(s.free); n > 0 {
		e, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.events, s.nodes = append(s.events, event{}), append(s.nodes, node{})
		s.local = append(s.local, h...)
		s.masks = append(s.masks, make([]uint64, s.words)...)
	}
	v := &s.events[e]
	*v = event{hash: hash}
	s.nodes[e] = node{parent: parent, depth: s.nodes[parent].depth + 1, g: g, alt: alt}
	own := s.at(e)
	copy(own, h)
	own[g] = e
	for _, p := range own {
		v.size += s.nodes[p].depth
	}
	s.live++
	s.peak = max(s.peak, s.live)
	if 2*s.live > len(s.table) {
		s.rehash(2 * len(s.table))
	} else {
		s.enter(e)
	}
	return e
}

// touch sets the uses of the new event e.
func (s *structure) touch(e id, u uses) {
	s.events[e].uses = u
	s.setMask(e)
	s.addSkips(e)
}

func (s *structure) enter(e id) {
	i := s.events[e].hash
	for s.table[i&uint64(len(s.table)-1)].event != bottom {
		i++
	}
	s.table[i&uint64(len(s.table)-1)] = entry{uint32(s.events[e].hash >> 32), e}
}

// rehash makes the table anew, with n entries.
func (s *structure) rehash(n int) {
	if n == len(s.table) {
		clear(s.table)
	} else {
		s.table = make([]entry, n)
	}
	for e := range s.events {
		if e > 0 && s.nodes[e].depth > 0 {
			s.enter(id(e))
		}
	}
}

// widen makes room for n goroutines in every configuration.
func (s *structure) widen(n int) {
	if n <= s.width {
		return
	}
	width := max(n, s.width*3/2)
	local := make([]id, len(s.events)*width, cap(s.events)*width)
	for e := range s.events {
		copy(local[e*width:], s.at(id(e)))
	}
	s.local, s.width = local, width
	s.randomize()
}

// randomize makes factors for all goroutines. They are the same in every search.
func (s *structure) randomize() {
	for len(s.factors) < s.width {
		n := uint64(len(s.factors)+1) * 0x9e3779b97f4a7c15
		n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
		s.factors = append(s.factors, n^n>>27|1)
	}
}

// join adds the local configuration of e to c. The two must not be in conflict.
func (s *structure) join(c configuration, e id) {
	for g, p := range s.at(e) {
		if p != c[g] && s.nodes[p].depth > s.nodes[c[g]].depth {
			c[g] = p
		}
	}
}
