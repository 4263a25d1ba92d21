package sched

import "sync/atomic"

// object is what requests are made to. Its state lives in the primitive itself.
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

// header identifies a primitive within an execution. It is the first field of
// every primitive's state. An object that outlives executions may be come across
// by those of two searches at a time, so it is claimed by an atomic operation, and
// nothing else of it is looked at before.
type header struct {
	_     noCopy
	epoch atomic.Uint64 // of the execution that it belongs to
	self  *header       // to notice copies
	id    int32
}

// noCopy makes go vet complain about copies of what contains it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

func (h *header) head() *header { return h }

// bind makes sure that the primitive whose state is o belongs to the running
// execution, in its initial state if it has not been used in it yet: then it is
// fresh.
func (m *Machine) bind(o object) (fresh bool) {
	h := o.head()
	if h.epoch.Load() == m.epoch && h.self == h {
		return false
	}
	m.rebind(h, o)
	return true
}

func (m *Machine) rebind(h *header, o object) {
	for {
		was := h.epoch.Load()
		if was == m.epoch {
			break
		}
		if was != 0 && was/maxExecutions != m.epoch/maxExecutions && goesOn(was) {
			m.shared(was, o)
		}
		if h.epoch.CompareAndSwap(was, m.epoch) {
			break
		}
	}
	if h.self != nil && h.self != h {
		panic("sched: a " + o.kind() + " was copied after its first use")
	}
	o.reset()
	h.self, h.id = h, int32(2*m.objs+1)
	m.objs++
}

// create binds a primitive that g has just made. Its name is g's and the number
// of things g has made, the same in every execution in which g makes it.
func (m *Machine) create(g *goroutine, o object) {
	if g.nobj == len(g.objects) {
		g.objects = append(g.objects, int32(2*m.names))
		m.names++
	}
	h := o.head()
	o.reset()
	h.epoch.Store(m.epoch)
	h.self, h.id = h, g.objects[g.nobj]
	g.nobj++
}
