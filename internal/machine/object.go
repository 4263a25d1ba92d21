package machine

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/gopor/gopor/internal/addrtable"
	"github.com/gopor/gopor/internal/sole"
)

// Object is the state of something that requests are made to.
type Object interface {
	Head() *header
	// describe sets the accesses and alternatives that g's request would have if
	// it were performed now, and reports whether they stay so whatever others do.
	describe(m *Machine, g *Goroutine) (static bool)
	// perform performs g's request: it completes the request or makes g wait,
	// and grants the requests of others.
	perform(m *Machine, g *Goroutine, alt int32)
	// reset puts the object into its initial state.
	reset()
	// Kind names the object in reports, and blame says what keeps a goroutine waiting for it.
	Kind() string
	blame(m *Machine) string
	// appendKey appends what the object's state is, for the key of the execution's.
	appendKey(k *Keys, b []byte) []byte
}

// header identifies an object within an execution. Every state has one.
type header struct {
	ID     int32
	copied bool // it is of a copy of a primitive that was in use

	// These are for what has words as natively, see zero_locks.go.
	bare  bool  // it has such words, as long as it is not in use outside of executions
	begun bool  // besides its words, the primitive says that it was in use before the execution
	word  int32 // the word with the mark, as the execution has left it
}

func (h *header) Head() *header { return h }

// StateOf is what a key of S leads to.
type StateOf[S any] interface {
	*S
	Object
}

// store holds the objects of an execution. The states are used again by the next
// one: it takes no allocation to meet a primitive.
type store struct {
	Objects []Object // of the running execution, in the order in which they were met
	named   int      // how many have their numbers from that order, and not from their makers
	pools   []anyPool
	// elsewhere has the states of primitives with keys that do not lead to them.
	elsewhere addrtable.Pointers[strayed]
	bare      []bareKey    // of the running execution
	names     []*NameState // of sockets of the running execution
}

// pool holds states of one type.
type pool[S any] struct {
	epoch uint64 // of the execution that uses states of the pool
	used  int    // how many of all that execution uses
	all   []*S
}

// anyPool is a pool of any type.
type anyPool interface{ clear() }

// clear gives up the states. Requests may still lead to them, so they are emptied.
func (p *pool[S]) clear() {
	for _, s := range p.all {
		var zero S
		*s = zero
	}
	*p = pool[S]{}
}

// poolOf returns the pool of a type. There are few, and some depend on the types of
// what the program puts into primitives.
func poolOf[S any](t *store) *pool[S] {
	for _, p := range t.pools {
		if p, ok := p.(*pool[S]); ok {
			return p
		}
	}
	p := new(pool[S])
	t.pools = append(t.pools, p)
	return p
}

// Take returns a state that is not in use, in its initial state.
func Take[S any, P StateOf[S]](m *Machine) *S {
	p := poolOf[S](&m.Store)
	if p.epoch != m.Epoch {
		p.epoch, p.used = m.Epoch, 0
	}
	if p.used == len(p.all) {
		p.all = append(p.all, new(S))
	}
	s := p.all[p.used]
	p.used++
	P(s).reset()
	return s
}

// reset begins the execution of that epoch.
func (t *store) reset(epoch uint64) {
	t.Objects, t.named = t.Objects[:0], 1 // clockObject takes the first number
	t.elsewhere.Turn(epoch)
	t.bare, t.names = t.bare[:0], t.names[:0]
}

// clear gives up the memory, and what it keeps alive.
func (t *store) clear() {
	for _, p := range t.pools {
		p.clear()
	}
	*t = store{}
}

// Walk calls visit for the objects of the running execution, in the order of their
// numbers; those that go by the identity of another come after that.
func (t *store) Walk(visit func(Object)) {
	objects := slices.Clone(t.Objects)
	slices.SortStableFunc(objects, func(a, b Object) int { return cmp.Compare(a.Head().ID, b.Head().ID) })
	for _, o := range objects {
		visit(o)
	}
}

// Admit makes o an object of the running execution.
func (m *Machine) Admit(o Object) {
	if m.Numbers.Given != 0 {
		o.Head().ID, m.Numbers.Given = m.Numbers.Given, 0
	} else {
		o.Head().ID = m.Reserve()
	}
	m.Store.Objects = append(m.Store.Objects, o)
	if m.Keys != nil {
		m.Keys.admit(nil, o)
	}
}

// admitBy is admit for an object that g has just made. Its name is g's and the number
// of things g has made, the same in every execution in which g makes it.
func (m *Machine) admitBy(g *Goroutine, o Object) {
	if int(g.Made.Objects) == len(g.Made.ObjectIDs) {
		g.Made.ObjectIDs = append(g.Made.ObjectIDs, int32(2*m.Numbers.made))
		m.Numbers.made++
	}
	o.Head().ID = g.Made.ObjectIDs[g.Made.Objects]
	g.Made.Objects++
	m.Store.Objects = append(m.Store.Objects, o)
	if m.Keys != nil {
		m.Keys.admit(g, o)
	}
}

// Find returns the state that k leads to in the running execution. The result fresh says that the
// primitive had not been used in it yet, and is not a copy of one that had.
func Find[S any, P StateOf[S]](m *Machine, k *Key[S]) (s *S, fresh bool) {
	if s := k.In(m); s != nil {
		return s, false
	}
	return find[S, P](m, k)
}

func find[S any, P StateOf[S]](m *Machine, k *Key[S]) (s *S, fresh bool) {
	if s, fresh = meet[S, P](m, k); fresh {
		Publish(m, k, s)
	}
	return s, fresh
}

// Meet is Find for a primitive that does not begin as all of its kind. If it is fresh, the caller
// sets its state, and then calls [Publish].
func Meet[S any, P StateOf[S]](m *Machine, k *Key[S]) (s *S, fresh bool) {
	if s := k.In(m); s != nil {
		return s, false
	}
	return meet[S, P](m, k)
}

func meet[S any, P StateOf[S]](m *Machine, k *Key[S]) (s *S, fresh bool) {
	if m.Parallel != nil {
		return meetParallel[S, P](m, k)
	}
	if s := elsewhere[S, P](m, k); s != nil {
		return s, false
	}
	if m.named(true) {
		if s := k.In(m); s != nil {
			return s, false
		}
		if s := elsewhere[S, P](m, k); s != nil {
			return s, false
		}
	}
	if m.Marks.Bare && len(m.Store.bare) < mostBare && canBeBare[S, P]() {
		return meetBare[S, P](m, k)
	}
	held, isCopy := heldBy[S, P](m, k)
	ours, others := m.claim(&k.words, len(m.Marks.places))
	if others {
		m.Exec.Shared()
	}
	s = takeAs[S, P](m, held, isCopy)
	if ours {
		m.Marks.places = append(m.Marks.places, place{uintptr(unsafe.Pointer(k)), unsafe.Pointer(s)})
	} else {
		m.putElsewhere(&k.words, P(s))
	}
	m.Admit(P(s))
	return s, !isCopy
}

// Create returns the state of the primitive of k, which g has just made.
func Create[S any, P StateOf[S]](g *Goroutine, k *Key[S]) *S {
	s := Take[S, P](g.M)
	Lead[S, P](g.M, k, s)
	if g.M.Parallel != nil {
		P(s).Head().ID = unbound
	} else {
		g.M.admitBy(g, P(s))
	}
	return s
}

// Own returns the state of a primitive that cannot outlive the execution that made
// it. It panics if that is another one.
func Own[S any, P StateOf[S]](m *Machine, k *Key[S]) *S {
	if s := k.In(m); s != nil {
		return s
	}
	return own[S, P](m, k)
}

func own[S any, P StateOf[S]](m *Machine, k *Key[S]) *S {
	if p := m.Parallel; p != nil {
		p.meeting.Lock()
		defer p.meeting.Unlock()
		m.Marks.places = p.places
		if s := k.In(m); s != nil {
			return s
		}
	}
	if s := elsewhere[S, P](m, k); s != nil {
		return s
	}
	switch {
	case k.isOf(m):
		panic(copied[S, P](m, k))
	case k.marked() && sole.GoesOn(k.epoch(), epochMask):
		panic("sched: a " + P(new(S)).Kind() + " of one run is used by a goroutine of another run")
	}
	panic("sched: a " + P(new(S)).Kind() + " of an earlier execution is used: make it in the closure")
}
