package sched

import (
	"cmp"
	"slices"
	"sync/atomic"
	"unsafe"
)

// object is the state of something that requests are made to.
type object interface {
	head() *header
	// describe sets the accesses and alternatives that g's request would have if
	// it were performed now, and reports whether they stay so whatever others do.
	describe(m *Machine, g *goroutine) (static bool)
	// perform performs g's request: it completes the request or makes g wait,
	// and grants the requests of others.
	perform(m *Machine, g *goroutine, alt int32)
	// reset puts the object into its initial state.
	reset()
	// kind names the object in reports, and blame who keeps a waiter waiting.
	kind() string
	blame(m *Machine) string
}

// header identifies an object within an execution. Every state has one.
type header struct{ id int32 }

func (h *header) head() *header { return h }

// key is all of a primitive that is in the memory of the program: it leads to the
// state, which belongs to the execution. A primitive that outlives executions may be
// come across by those of two searches at a time, so it is claimed by an atomic
// operation, and nothing else of it is looked at before.
type key[S any] struct {
	_     noCopy
	epoch atomic.Uint64 // of the execution that it leads to
	self  *key[S]       // to notice copies
	state *S
}

// noCopy makes go vet complain about copies of what contains it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// stateOf is what a key of S leads to.
type stateOf[S any] interface {
	*S
	object
}

// store holds the objects of an execution. The states are used again by the next
// one: it takes no allocation to meet a primitive.
type store struct {
	objects []object // of the running execution, in the order in which they were met
	named   int      // how many have got a number for that, and not for who has made them
	pools   []anyPool
	// elsewhere has the states of primitives whose keys lead to another execution,
	// which goes on, too.
	elsewhere addrTable[object]
}

// pool holds states of one type.
type pool[S any] struct {
	epoch uint64 // of the execution that uses ...
	used  int    // ... so many
	all   []*S
}

// anyPool is a pool of any type.
type anyPool interface{ clear() }

// clear gives up the states. Keys may still lead to them, so they are emptied.
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

// take returns a state that is not in use, in its initial state.
func take[S any, P stateOf[S]](m *Machine) *S {
	p := poolOf[S](&m.store)
	if p.epoch != m.epoch {
		p.epoch, p.used = m.epoch, 0
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
	t.objects, t.named = t.objects[:0], 1 // clockObject takes the first number
	t.elsewhere.turn(epoch)
}

// clear gives up the memory, and what it keeps alive.
func (t *store) clear() {
	for _, p := range t.pools {
		p.clear()
	}
	*t = store{}
}

// walk calls visit for the objects of the running execution, in the order of their
// numbers; those that go by the identity of another come after that.
func (t *store) walk(visit func(object)) {
	objects := slices.Clone(t.objects)
	slices.SortStableFunc(objects, func(a, b object) int { return cmp.Compare(a.head().id, b.head().id) })
	for _, o := range objects {
		visit(o)
	}
}

// admit makes o an object of the running execution.
func (m *Machine) admit(o object) {
	o.head().id = int32(2*m.store.named + 1)
	m.store.named++
	m.store.objects = append(m.store.objects, o)
}

// admitBy is admit for an object that g has just made. Its name is g's and the number
// of things g has made, the same in every execution in which g makes it.
func (m *Machine) admitBy(g *goroutine, o object) {
	if g.nobj == len(g.objects) {
		g.objects = append(g.objects, int32(2*m.names))
		m.names++
	}
	o.head().id = g.objects[g.nobj]
	g.nobj++
	m.store.objects = append(m.store.objects, o)
}

// find returns the state that k leads to in the running execution; fresh says that the
// primitive had not been used in it yet.
func find[S any, P stateOf[S]](m *Machine, k *key[S]) (s *S, fresh bool) {
	if k.epoch.Load() == m.epoch && k.self == k {
		return k.state, false
	}
	return meet[S, P](m, k)
}

func meet[S any, P stateOf[S]](m *Machine, k *key[S]) (s *S, fresh bool) {
	t := &m.store
	if o := t.elsewhere.find(unsafe.Pointer(k)); o != nil {
		return any(*o).(*S), false
	}
	ours := claim(m, k)
	if ours && k.self != nil && k.self != k {
		panic(copied(P(k.state)))
	}
	s = take[S, P](m)
	if ours {
		k.self, k.state = k, s
	} else {
		o, _ := t.elsewhere.at(unsafe.Pointer(k))
		*o = P(s)
	}
	m.admit(P(s))
	return s, true
}

// claim makes k lead to the running execution, unless it leads to another one that
// goes on at the same time.
func claim[S any](m *Machine, k *key[S]) bool {
	for {
		was := k.epoch.Load()
		if was == m.epoch {
			return true
		}
		if was != 0 && was/maxExecutions != m.epoch/maxExecutions && goesOn(was) {
			m.shared()
			return false
		}
		if k.epoch.CompareAndSwap(was, m.epoch) {
			return true
		}
	}
}

// create returns the state of the primitive of k, which g has just made.
func create[S any, P stateOf[S]](g *goroutine, k *key[S]) *S {
	s := take[S, P](g.m)
	k.lead(g.m, s)
	g.m.admitBy(g, P(s))
	return s
}

// lead makes k, which is new, lead to s.
func (k *key[S]) lead(m *Machine, s *S) {
	k.epoch.Store(m.epoch)
	k.self, k.state = k, s
}

// own returns the state of a primitive that cannot outlive the execution that made
// it. It panics if that is another one.
func own[S any, P stateOf[S]](m *Machine, k *key[S]) *S {
	epoch := k.epoch.Load()
	switch {
	case epoch == m.epoch && k.self == k:
		return k.state
	case epoch != m.epoch && goesOn(epoch):
		panic("sched: a " + P(new(S)).kind() + " of one run is used by a goroutine of another run")
	case k.self != k:
		panic(copied(P(new(S))))
	}
	panic("sched: a " + P(new(S)).kind() + " of an earlier execution is used: make it in the closure")
}

func copied(o object) string { return "sched: a " + o.kind() + " was copied after its first use" }
