package sched

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
// every primitive's state.
type header struct {
	_     noCopy
	self  *header // to notice copies
	m     *Machine
	epoch uint64
	id    int32
}

// noCopy makes go vet complain about copies of what contains it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

func (h *header) head() *header { return h }

// bind makes sure that the primitive whose state is o belongs to the running
// execution, in its initial state if it has not been used in it yet.
func (m *Machine) bind(o object) {
	h := o.head()
	if h.epoch == m.epoch && h.m == m && h.self == h {
		return
	}
	m.rebind(h, o)
}

func (m *Machine) rebind(h *header, o object) {
	if h.self != nil && h.self != h {
		panic("sched: a " + o.kind() + " was copied after its first use")
	}
	if h.m != nil && h.m != m && h.m.alive(h.epoch) {
		panic("sched: a " + o.kind() + " of one run is used by a goroutine of another run")
	}
	o.reset()
	*h = header{self: h, m: m, epoch: m.epoch, id: int32(2*m.objs + 1)}
	m.objs++
}

// alive reports whether the execution of that number still goes on.
func (m *Machine) alive(epoch uint64) bool {
	return m.epoch == epoch && m.gs[mainID].state != stateUnborn
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
	*h = header{self: h, m: m, epoch: m.epoch, id: g.objects[g.nobj]}
	g.nobj++
}
