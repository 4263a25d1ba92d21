package machine

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gopor/gopor/internal/addrtable"
)

// Parallel is what the goroutines of an execution share that run at the same time, each of
// them on a Machine of its own (package irs). All these machines have one epoch, so a [Key]
// leads all of them to one state. A state is used under its lock, for the time of a request;
// a request of one machine may release a goroutine of another. Nothing is described: the
// execution is not explored, and its events have no numbers.
type Parallel struct {
	// Fork makes the goroutine that g is about to start.
	Fork func(g *Goroutine) *Goroutine
	// Done is called by g when it has used the value that a Var holds, with the lock that its
	// request has taken.
	Done func(g *Goroutine)

	// Refuse ends g, which is about to do what cannot be done in parallel.
	Refuse func(g *Goroutine, what string)

	meeting   sync.Mutex // is held while a primitive is met
	claimed   bool       // the key of the primitive that is met leads to the state that was made
	places    []place    // of all machines, which have copies of what it was
	elsewhere map[unsafe.Pointer]Object

	bound []atomic.Pointer[header] // objects by number, nil for those that were not used yet

	shadowing sync.Mutex
	shadows   addrtable.Pointers[any] // of native objects

	locks [parallelLocks]struct {
		sync.Mutex
		_ [56]byte
	}
}

const parallelLocks = 64

// Lock returns the lock of an object. Others may have the same one.
func (p *Parallel) Lock(o Object) *sync.Mutex {
	return p.lockAt(uintptr(unsafe.Pointer(o.Head())))
}

func (p *Parallel) lockAt(at uintptr) *sync.Mutex {
	return &p.locks[uint64(at)>>3*0x9e3779b97f4a7c15>>58].Mutex
}

// LockFor returns the lock of what g's request is made to. Memory that is known by its
// address has one by that: machines have objects of their own for it.
func (p *Parallel) LockFor(g *Goroutine) *sync.Mutex {
	if _, ok := g.Req.Obj.(*Block); ok {
		return p.lockAt(uintptr(g.Req.Mem.P))
	}
	return p.Lock(g.Req.Obj)
}

// Begin is called before an execution in which numbers below n are bound to objects.
func (p *Parallel) Begin(n int) {
	p.places = p.places[:0]
	clear(p.elsewhere)
	clear(p.bound[:cap(p.bound)])
	if n > cap(p.bound) {
		p.bound = make([]atomic.Pointer[header], n)
	}
	p.bound = p.bound[:n]
}

// unbound is the number of an object that has none.
const unbound = -1

// Bind gives the object of g's request that number, or reports that it has another one, or another
// object this one. The caller holds the lock of the object. Memory that is known by its address
// takes any number.
func (p *Parallel) Bind(g *Goroutine, number int32) bool {
	if _, ok := g.Req.Obj.(*Block); ok {
		return true
	}
	h := g.Req.Obj.Head()
	if h.ID != unbound {
		return h.ID == number
	}
	if !p.bound[number].CompareAndSwap(nil, h) {
		return false
	}
	h.ID = number
	return true
}

// meetParallel is meet for one of several goroutines that run at the same time. If the primitive
// was not met before, no other goroutine can meet it until Publish is called.
func meetParallel[S any, P StateOf[S]](m *Machine, k *Key[S]) (s *S, fresh bool) {
	p := m.Parallel
	p.meeting.Lock()
	m.Marks.places = p.places
	s = k.In(m)
	if s == nil {
		s = elsewhere[S, P](m, k)
	}
	if s != nil {
		p.meeting.Unlock()
		return s, false
	}
	held, isCopy := heldBy[S, P](m, k)
	s = takeAs[S, P](m, held, isCopy)
	P(s).Head().ID = unbound
	if p.claimed, _ = m.claim(&k.words, len(p.places)); !p.claimed {
		m.putElsewhere(&k.words, P(s))
	}
	if isCopy {
		Publish(m, k, s)
	}
	return s, !isCopy
}

// Publish lets others meet the primitive that Meet has returned as fresh, in the state that
// it has now.
func Publish[S any](m *Machine, k *Key[S], s *S) {
	if p := m.Parallel; p != nil {
		if p.claimed {
			p.places = append(p.places, place{uintptr(unsafe.Pointer(k)), unsafe.Pointer(s)})
		}
		p.meeting.Unlock()
	}
}

// hold locks the state of o, if others may use it at the same time. The result has to be
// given to release.
func (m *Machine) hold(o Object) *sync.Mutex {
	if m.Parallel == nil {
		return nil
	}
	mu := m.Parallel.Lock(o)
	mu.Lock()
	return mu
}

func letGo(mu *sync.Mutex) {
	if mu != nil {
		mu.Unlock()
	}
}

// PutBy is Put by g.
func (s *ChanOf[T]) PutBy(g *Goroutine, v T) int64 {
	mu := g.M.hold(s)
	slot := s.Put(v)
	letGo(mu)
	return slot
}

// TakeBy is Take by g.
func (s *ChanOf[T]) TakeBy(g *Goroutine, slot int64, ok bool) T {
	mu := g.M.hold(s)
	v := s.Take(slot, ok)
	letGo(mu)
	return v
}

// Await makes g, which has been added to s with that ticket and has unlocked its lock, wait
// until it is notified.
func (g *Goroutine) Await(s *CondState, ticket int32) {
	mu := g.M.hold(s)
	waits := s.CondWait(g.M, g, ticket)
	letGo(mu)
	if waits {
		g.M.Exec.Park(g)
	}
}

// PerformAlone performs g's request, which is made to an object. The caller holds the lock of that
// object, and of [Goroutine.TransferFrom]. It reports whether g has to wait.
func (g *Goroutine) PerformAlone() (waits bool) {
	g.State = StateRunning
	g.Req.Obj.perform(g.M, g, 0)
	return g.State != StateRunning
}

// TransferFrom returns what g's request reads, if it is an OpTransfer.
func (g *Goroutine) TransferFrom() Object { return g.Req.From }
