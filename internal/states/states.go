package states

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// States is a walk that recognises states, and keeps the graph of those that it has visited.
// The stateful engines share it. Questions about the graph are answered from the graph. The
// program is run only for new transitions, and to get back to a state.
type States struct {
	search.Walk
	Safe    bool // offers have to say which operations are invisible
	order   order
	begins  beginnings
	program trace.Keyed
	most    int64 // limit of the graph in bytes, 0 for none
	exact   bool
	hashed  map[trace.Key]State
	named   map[string]State
	nodes   []node
	edges   []edge
	labels  []Label
	numbers map[string]int32 // of labels, by their encoding
	marks   int32            // traversals of the graph so far
	ahead   []State          // scratch of Ahead
	text    []byte
	met     metModes
	bytes   int64
	shown   map[string]bool // keys of the final states of all searches, or hashes of them
	path    []onPath        // the stack
	pass    trace.Choice    // the choice by which time passes
	// States that were visited and may still lead back to the stack, in order.
	open []State
}

// State is the number of a state that was visited, in the order of the first visits.
type State int32

type node struct {
	first int32 // its latest edge, -1 if there is none
	mark  int32 // of the latest traversal that has come here
	// The first state on the stack that it is known to lead back to, -1 once it is not open.
	low      State
	patience trace.Patience
	onStack  bool
	// It leads to a state that is not open, or another state does that leads back to it.
	leads bool
}

// edge is a transition that was performed. An edge takes twelve bytes.
type edge struct {
	to    State
	label int32
	next  int32 // edge of the same state, -1 if there is none
}

// Label describes a transition: its goroutine, its alternative, and its uses, by names that
// objects have in all executions.
type Label struct {
	trace.Choice
	Uses []trace.Access
}

// ErrRestart says that the search has to begin again, with what it has learnt or in another
// order.
var ErrRestart = errors.New("the search has to begin again")

// errMemory says that the graph has reached the limit of memory.
var errMemory = errors.New("the limit of memory")

// New is [search.NewWalk] for a walk that recognises states. The error is a [*trace.UnkeyedError]
// if p cannot name its states.
func New(p trace.Program, visit func(*trace.Execution) bool, k trace.Keying, most int64) (*States, error) {
	program, ok := trace.KeyedProgram(p)
	if !ok {
		return nil, trace.Unkeyed("the program is not Keyed")
	}
	if err := program.KeyStates(&k); err != nil {
		return nil, err
	}
	s := &States{Walk: search.NewWalk(p, visit), program: program, most: most, exact: k.Exact, shown: make(map[string]bool)}
	s.clear()
	return s, nil
}

func (s *States) clear() {
	s.hashed, s.named, s.numbers = make(map[trace.Key]State), make(map[string]State), make(map[string]int32)
	s.nodes, s.edges, s.labels, s.marks, s.bytes = nil, nil, nil, 0, 0
	s.path, s.open = nil, nil
}

// Draw makes the search draw the order of goroutines at random.
func (s *States) Draw(seed uint64) { s.order.rand = rand.New(rand.NewPCG(seed, 0)) }

// Explore calls explore with the initial state, and again while the search has to begin again.
// It reports whether explore has finished.
func (s *States) Explore(explore func(State)) bool {
	for {
		s.Back(0)
		s.Pending() // main has to come to its first operation
		if first, _ := s.here(); s.Err == nil {
			explore(first)
		}
		if s.Err != ErrRestart {
			break
		}
		s.Err = nil
		s.clear()
	}
	s.Stats.States, s.Stats.Transitions, s.Stats.Bytes = int64(len(s.nodes)), int64(len(s.edges)), s.bytes
	return s.Err == nil
}

// End ends the search. A limit that was reached is not an error.
func (s *States) End(exhaustive bool) (trace.Stats, error) {
	if s.Err == errMemory || s.Err == errStopped {
		if s.Err == errMemory {
			s.Stats.Claim = fmt.Sprintf("what leads to the first %d states, as many as fit into the limit of memory,", len(s.nodes))
		}
		s.Err = nil
		exhaustive = false
	}
	stats, err := s.Finish(exhaustive)
	return stats, errors.Join(err, s.program.KeyStates(nil))
}

// errStopped says that the visitor wants no more executions.
var errStopped = errors.New("the visitor has ended the search")

// hashMask has the bits of a hash that are compared.
var hashMask = ^uint64(0)

// SetHashBits makes searches compare only n bits of hashes, for tests. The function that it
// returns undoes that.
func SetHashBits(n int) (restore func()) {
	old := hashMask
	hashMask = 1<<n - 1
	return func() { hashMask = old }
}

// here returns the state that the walk is in, and whether this is its first visit.
func (s *States) here() (x State, fresh bool) {
	if s.Err != nil {
		return -1, false
	}
	if s.text, s.Err = s.program.AppendKey(s.text[:0]); s.Err != nil {
		if s.Err == trace.ErrRenamed {
			s.Discard()
			s.Err = ErrRestart
		}
		return -1, false
	}
	x = State(len(s.nodes))
	const perNode, perEntry = 20, 40 // of the map
	if s.exact {
		if old, ok := s.named[string(s.text)]; ok {
			return old, false
		}
		s.named[string(s.text)] = x
		s.bytes += int64(len(s.text)) + perEntry + perNode
	} else {
		key := trace.HashKey(s.text)
		if hashMask != ^uint64(0) {
			key = trace.Key{key[0] & hashMask, 0}
		}
		if old, ok := s.hashed[key]; ok {
			return old, false
		}
		s.hashed[key] = x
		s.bytes += perEntry + perNode
	}
	s.nodes = append(s.nodes, node{first: -1, low: x, patience: s.patience()})
	s.open = append(s.open, x)
	if s.most > 0 && s.bytes > s.most {
		s.Err = errMemory
	}
	return x, true
}

// Enter puts x on the stack and returns the offers pending there. It returns nil if x is a
// final state or the search is over. It shows a final state to the visitor.
func (s *States) Enter(x State) []Offer {
	if s.Err != nil {
		return nil
	}
	s.nodes[x].onStack = true
	s.path = append(s.path, onPath{x, len(s.Schedule)})
	ops := s.Pending()
	if s.Err == nil && len(ops) == 0 && s.isNew() && !s.Report(false) && s.Err == nil {
		s.Err = errStopped
	}
	if s.Over() && s.Err == nil {
		s.Err = errStopped
	}
	if len(ops) == 0 {
		if s.order.length = len(s.Schedule); s.begins.glances {
			s.beginAgain()
		}
	}
	offers := make([]Offer, len(ops))
	for i, op := range ops {
		if offers[i] = (Offer{G: op.G, Alts: op.Alts}); s.Safe {
			s.meet(op)
		}
	}
	for i, op := range ops {
		offers[i].Invisible = s.Safe && s.invisible(op)
	}
	s.order.sort(offers, len(s.Schedule))
	return offers
}

// isNew reports whether the final state that the walk is in was not shown yet. A search that
// began again may have shown it.
func (s *States) isNew() bool {
	id := s.text
	if !s.exact {
		key := trace.HashKey(s.text)
		id = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, key[0]), key[1])
	}
	if s.shown[string(id)] {
		return false
	}
	s.shown[string(id)] = true
	return true
}

// Offer is what a goroutine can do in a state.
type Offer struct {
	G         trace.ID
	Alts      int32
	Invisible bool // it depends on no operation of another goroutine in the whole program
}

// Go performs c in x, which the walk reaches by the first n events. It returns the next state,
// the label of the transition, and whether this is the first visit of the state.
func (s *States) Go(x State, n int, c trace.Choice) (next State, label int32, fresh bool) {
	s.Back(n)
	ev := s.Step(c)
	if s.Err != nil {
		return -1, -1, false
	}
	label = s.label(ev)
	if next, fresh = s.here(); next < 0 {
		return
	}
	s.edges = append(s.edges, edge{to: next, label: label, next: s.nodes[x].first})
	s.nodes[x].first = int32(len(s.edges) - 1)
	s.bytes += 12
	if !fresh {
		s.Stats.Matched++
	}
	s.meets(next, fresh)
	if s.begins.most > 0 && len(s.edges) >= s.begins.most {
		s.beginAgain()
	}
	return
}

// label returns the number of the label of an event.
func (s *States) label(ev *trace.Event) int32 {
	b := s.text[:0]
	b = binary.AppendVarint(binary.AppendVarint(b, int64(ev.G)), int64(ev.Alt))
	for _, a := range ev.Accesses() {
		b = binary.AppendVarint(binary.AppendVarint(append(b, byte(a.Mode)), int64(a.Idx)), int64(s.program.ObjectName(a.Obj)))
	}
	s.text = b
	n, ok := s.numbers[string(b)]
	if !ok {
		l := Label{Choice: ev.Choice(), Uses: slices.Clone(ev.Accesses())}
		for i := range l.Uses {
			l.Uses[i].Obj = s.program.ObjectName(l.Uses[i].Obj)
		}
		n = int32(len(s.labels))
		s.labels = append(s.labels, l)
		s.numbers[string(b)] = n
		s.bytes += int64(len(b)) + 80
	}
	return n
}

// Label returns a label by its number. It is valid until the next Go.
func (s *States) Label(n int32) *Label { return &s.labels[n] }

// OnStack reports whether x is on the stack.
func (s *States) OnStack(x State) bool { return s.nodes[x].onStack }

// Dependent reports whether two transitions of different goroutines depend on each other.
func (s *States) Dependent(a, b int32) bool {
	s.Stats.Checks++
	x, y := &s.labels[a], &s.labels[b]
	for _, p := range x.Uses {
		for _, q := range y.Uses {
			if p.Obj >= 0 && q.Obj >= 0 && p.Obj != q.Obj && s.program.SameObject(p.Obj, q.Obj) {
				q.Obj = p.Obj
			}
			if trace.Dependence.Conflict(p, q) {
				return true
			}
		}
	}
	// What uses everything depends on what uses nothing as well.
	return len(y.Uses) == 0 && usesEverything(x.Uses) || len(x.Uses) == 0 && usesEverything(y.Uses)
}

func usesEverything(as []trace.Access) bool {
	return slices.ContainsFunc(as, func(a trace.Access) bool { return a.Obj == trace.Everything })
}

// Ahead calls visit with the labels of the transitions after x that were performed, each
// transition once, until visit returns false. The states of the graph share what they find, so
// each is visited once.
//
// Ahead reports whether one of the states is on the stack. The future of such a state is not
// fully known yet, so any operation may follow x.
func (s *States) Ahead(x State, visit func(label int32) bool) (open bool) {
	s.marks++
	s.nodes[x].mark = s.marks
	s.ahead = append(s.ahead[:0], x)
	for len(s.ahead) > 0 {
		y := s.ahead[len(s.ahead)-1]
		s.ahead = s.ahead[:len(s.ahead)-1]
		n := &s.nodes[y]
		open = open || n.onStack
		for i := n.first; i >= 0; i = s.edges[i].next {
			e := &s.edges[i]
			if !visit(e.label) {
				return open
			}
			if to := &s.nodes[e.to]; to.mark != s.marks {
				to.mark = s.marks
				s.ahead = append(s.ahead, e.to)
			}
		}
	}
	return open
}

// Reached reports whether the latest walk by Ahead has come to x.
func (s *States) Reached(x State) bool { return s.nodes[x].mark == s.marks }

// metModes has the modes in which operations have used objects so far.
type metModes struct {
	modes      uint32
	everything bool
	relied     uint32 // modes that were assumed not to conflict with any of modes
	nothing    bool   // an operation without accesses was assumed to be independent
}

// meet notes the uses of op. If an operation was taken for invisible that may depend on op, the
// search has to begin again.
func (s *States) meet(op *trace.Op) {
	m := &s.met
	for _, a := range op.Accesses() {
		if a.Obj == trace.Everything {
			m.everything = true
		}
		m.modes |= 1 << a.Mode
	}
	if s.Err != nil {
		return
	}
	if m.everything && (m.nothing || m.relied != 0) || m.conflicts(m.relied) {
		m.nothing, m.relied = false, 0
		s.Err = ErrRestart
	}
}

// conflicts reports whether one of the given modes may depend on one that was met.
func (m *metModes) conflicts(modes uint32) bool {
	for ; modes != 0; modes &= modes - 1 {
		if mayConflict[bits.TrailingZeros32(modes)]&m.modes != 0 {
			return true
		}
	}
	return false
}

// mayConflict has, by mode, the modes that may depend on it.
var mayConflict = func() (list [trace.MaxModes]uint32) {
	for a := range list {
		for b := range list {
			if trace.Dependence.May(trace.Mode(a), trace.Mode(b)) {
				list[a] |= 1 << b
			}
		}
	}
	return list
}()

// invisible reports whether op depends on no use that any operation had so far, in whatever
// state.
func (s *States) invisible(op *trace.Op) bool {
	m, modes := &s.met, uint32(0)
	for _, a := range op.Accesses() {
		modes |= 1 << a.Mode
	}
	if m.everything || m.conflicts(modes) {
		return false
	}
	m.relied |= modes
	m.nothing = m.nothing || modes == 0
	return true
}
