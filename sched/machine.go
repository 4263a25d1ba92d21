package sched

import (
	"fmt"
	"github.com/gopor/gopor/sched/trace"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
)

// Machine holds the goroutines and objects of one execution as data: who has
// requested what, who waits, what each object's state is. It knows nothing of
// stacks and values, so it serves both the controlled execution of Go closures
// ([Closure]) and model programs that need no goroutines. All grants are
// decided here, from the state of objects.
//
// The driver of a Machine spawns goroutines, publishes the next request of each
// ([Machine.Publish]), performs one at a time, and then moves on every
// goroutine in [Machine.Granted] to its next request.
type Machine struct {
	machine.Config
	ex    executor
	met   machine.Model // noted in this execution: see usual
	gs    []*goroutine  // by ID, of all executions
	store store
	names int    // objects named by their creator, in all executions
	epoch uint64 // number of the execution, not that of any other Machine's

	n          int // events performed
	describes  bool
	event      trace.Event
	spareOrder []int32
	pending    []*trace.Op
	released   []*goroutine
	yielded    []*goroutine // wait until the others have moved

	clock     *goroutine          // moves virtual time on
	elapsed   int64               // nanoseconds since startTime
	late      int                 // how often time has moved on since main has ended
	deadlines []deadline          // who waits for the clock, unordered
	label     func(object) string // what reports call an object, nil for a plain number

	nameAt func(unsafe.Pointer) string // what reports call the memory there, nil for "memory"
	shared func()                      // an object is used by another execution, which goes on

	mm       *memoryModel   // nil if no data race has to be found
	sawVars  bool           // plain memory is in use
	missed   bool           // ... and was not looked after in the execution
	closing  bool           // goroutines are being unwound
	watching bool           // the executor wants to know of accesses of memory
	shadows  addrTable[any] // of native objects
	memory   memoryBlocks
	shadow   shadowMemory
	failures []trace.Failure
}

// The goroutines that every execution has.
const (
	mainID  trace.ID = 0
	clockID trace.ID = 1
)

type gstate uint8

const (
	stateUnborn   gstate = iota // not spawned in this execution
	stateRunning                // between two requests
	stateReady                  // has published a request
	stateWaiting                // has made a request that is not granted yet
	stateYielding               // waits until the others have moved
	stateEnded
)

// goroutine is a goroutine as the machine sees it. It is reused by the
// goroutine of the same name in later executions.
type goroutine struct {
	id     trace.ID
	parent *goroutine
	place  int32 // among the parent's children
	state  gstate
	op     trace.Op
	static bool  // op's accesses do not change while it is pending
	seq    int32 // events performed
	last   int32 // number of the latest event, -1 if none
	order  []int32
	notify []*goroutine // who waits for the end of this one

	req   request
	reply reply

	ready   []int32 // the cases of a select that could proceed
	match   uint64  // sequence number of the select that waits, to tell stale queue entries
	cancels int     // contexts whose cancelling the request waits for

	readAt   int64 // the time that it was last told
	readings int   // ... and how often

	await   []trace.ID // while yielding: who has to move first
	sites   []uintptr
	tickets int32    // calls of Cond.Wait so far
	ticket  int32    // the one that it waits in
	notices []notice // for those that it does not wait in yet
	credits []credit
	inherit *wgState

	kids    []trace.ID // names of children, of all executions
	nkids   int        // children spawned in this execution
	agents  []trace.ID // names of those that cancel contexts that it has made, of all executions
	nagents int        // such contexts in this execution
	objects []int32    // names of objects created, of all executions
	nobj    int

	mm []int32 // clock of the Go memory model

	born   uintptr // the go statement, where positions are recorded
	pseudo bool    // moved by the machine: the clock, a timer
	body   func()  // what it runs
	m      *Machine
}

// request is what a goroutine asks for, beside the kind.
type request struct {
	obj       object // nil if it is made to no object
	arg, arg2 uint64
	x, y      any          // arguments that are no numbers
	from      *cell        // what OpTransfer reads
	cases     []selectCase // of a select
	mem       memoryOp     // the use of memory that is known by address
}

// reply is what has come of a request.
type reply struct {
	val    int64
	ok     bool
	chosen int    // the case of a select
	left   uint64 // the number that an atomic operation has left behind
	v      any
	fault  string // the request panics with this
	fatal  bool   // ... and no recover can stop it
}

// NewMachine returns a Machine; call Reset before the first execution.
func NewMachine(c machine.Config) *Machine {
	m := &Machine{Config: c, describes: true, epoch: machines.Add(1) * maxExecutions}
	m.goroutineOf(mainID)
	m.clock = m.goroutineOf(clockID)
	m.clock.pseudo = true
	return m
}

// machines counts the Machines ever made.
var machines atomic.Uint64

// maxExecutions is how many executions a Machine has numbers for.
const maxExecutions = 1 << 40

// executions returns how many executions there have been.
func (m *Machine) executions() uint64 { return m.epoch % maxExecutions }

// Reset begins a new execution with one goroutine, 0, which has no request yet.
func (m *Machine) Reset() {
	m.epoch++
	m.n, m.elapsed, m.late = 0, 0, 0
	m.store.reset(m.epoch)
	m.met = 0
	m.pending, m.released, m.yielded = m.pending[:0], m.released[:0], m.yielded[:0]
	m.deadlines = m.deadlines[:0]
	m.failures = m.failures[:0]
	for _, g := range m.gs {
		g.clear()
	}
	m.closing, m.missed = false, false
	if m.mm != nil {
		m.mm.reset()
	}
	m.gs[mainID].state = stateRunning
}

// forget gives up what is kept for further executions, and what it keeps alive.
func (m *Machine) forget() {
	m.store.clear()
	m.shadows.clear()
	m.memory.words.clear()
	m.shadow.clear()
}

// clear makes g unborn, keeping what names its children and objects.
func (g *goroutine) clear() {
	g.state, g.seq, g.last = stateUnborn, 0, -1
	g.order = g.order[:0]
	g.notify = g.notify[:0]
	g.nkids, g.nobj, g.nagents = 0, 0, 0
	g.req.obj, g.reply.fault, g.reply.fatal = nil, "", false
	g.tickets, g.notices = 0, g.notices[:0]
	g.sites, g.credits, g.inherit = g.sites[:0], g.credits[:0], nil
	g.await = g.await[:0]
	g.readAt, g.readings = 0, 0
	g.req.x, g.req.y, g.reply.v = nil, nil, nil
	g.pseudo = g.id == clockID // the next child of that place may be no timer
	clear(g.mm)
}

func (m *Machine) goroutineOf(id trace.ID) *goroutine {
	for int(id) >= len(m.gs) {
		m.gs = append(m.gs, &goroutine{m: m, id: trace.ID(len(m.gs)), last: -1, place: -1})
	}
	return m.gs[id]
}

// child returns the next child of g, unborn.
func (m *Machine) child(g *goroutine) *goroutine {
	if g.nkids == len(g.kids) {
		kid := m.goroutineOf(trace.ID(len(m.gs)))
		kid.parent, kid.place = g, int32(g.nkids)
		g.kids = append(g.kids, kid.id)
	}
	kid := m.gs[g.kids[g.nkids]]
	g.nkids++
	return kid
}

// Spawn makes a goroutine, running, that parent starts. A go statement is no
// event: what the child does comes after what its parent did so far.
func (m *Machine) Spawn(parent trace.ID) trace.ID {
	p := m.gs[parent]
	kid := m.fork(p)
	p.endow(kid)
	return kid.id
}

func (m *Machine) fork(p *goroutine) *goroutine {
	kid := m.child(p)
	kid.state = stateRunning
	m.after(kid, p)
	return kid
}

// after orders the next event of w after all that g has done so far.
func (m *Machine) after(w, g *goroutine) {
	if g.last >= 0 {
		w.order = append(w.order, g.last)
	}
	w.order = append(w.order, g.order...)
	if m.mm != nil {
		m.mm.local(w, g)
	}
}

// edge orders the next event of w after event number ev.
func (m *Machine) edge(w *goroutine, ev int32) {
	if ev < 0 {
		return
	}
	w.order = append(w.order, ev)
	if m.mm != nil {
		m.mm.observe(w, ev)
	}
}

// grant completes the request that w waits for, as the doing of event ev.
func (m *Machine) grant(w *goroutine, ev int32) {
	m.edge(w, ev)
	m.release(w)
}

// release lets the waiting goroutine w go on.
func (m *Machine) release(w *goroutine) {
	w.state = stateRunning
	m.released = append(m.released, w)
}

// current is the number of the event that is being performed.
func (m *Machine) current() int32 { return int32(m.n - 1) }

// End says that goroutine g has ended.
func (m *Machine) End(id trace.ID) { m.conclude(m.gs[id]) }

func (m *Machine) conclude(g *goroutine) {
	g.state = stateEnded
	for _, w := range g.notify {
		m.after(w, g)
		m.release(w)
	}
	g.notify = g.notify[:0]
}

// publish makes g ready with the request in g.op and g.req.obj.
func (m *Machine) post(g *goroutine) {
	g.op.G = g.id
	g.op.Alts = 1
	g.op.Modelled = true
	g.op.SetAccesses()
	g.state, g.static = stateReady, false
	g.op.Obj = -1
	if g.req.obj != nil {
		g.op.Obj = g.req.obj.head().id
	}
}

// describe brings the accesses of g's request up to date.
func (m *Machine) describe(g *goroutine) {
	if g.static {
		return
	}
	if g.req.obj != nil {
		g.static = g.req.obj.describe(m, g)
	} else {
		g.static = m.describeLocal(g)
	}
}

// Pending returns the operations that can be performed, as [trace.Run.Pending] does.
func (m *Machine) Pending() []*trace.Op {
	m.pending = m.pending[:0]
	for _, g := range m.gs {
		if g.state == stateReady {
			m.describe(g)
			m.pending = append(m.pending, &g.op)
		}
	}
	if len(m.pending) == 0 && m.Time == machine.TimeDiscrete && m.clockUseful() {
		m.prepareClock()
		m.pending = append(m.pending, &m.clock.op)
	}
	return m.pending
}

// canStep reports whether choice c can be made now; if not, it says why.
func (m *Machine) canStep(c trace.Choice) (*goroutine, error) {
	if c.G < 0 || int(c.G) >= len(m.gs) {
		return nil, m.diverged("", fmt.Sprintf("there is no goroutine %d", c.G))
	}
	g := m.gs[c.G]
	if g == m.clock {
		if len(m.Pending()) == 1 && m.pending[0].G == clockID {
			return g, nil
		}
		return nil, m.diverged("the clock", "somebody can run")
	}
	if g.state != stateReady {
		return nil, m.diverged(m.nameOf(g)+" to move", m.nameOf(g)+" "+m.doing(g))
	}
	if c.Alt != 0 {
		m.describe(g)
		if c.Alt < 0 || c.Alt >= g.op.Alts {
			return nil, m.diverged(fmt.Sprintf("alternative %d of %v by %s", c.Alt, g.op.Kind, m.nameOf(g)), fmt.Sprintf("there are %d", g.op.Alts))
		}
	}
	return g, nil
}

func (m *Machine) diverged(want, got string) *trace.DivergenceError {
	return &trace.DivergenceError{Step: m.n, Want: want, Got: got}
}

// perform performs g's request, taking alternative alt.
func (m *Machine) perform(g *goroutine, alt int32) {
	if m.describes {
		m.describe(g)
		m.event.Op, m.event.Alt, m.event.Order = g.op, alt, g.order
		g.order, m.spareOrder = m.spareOrder[:0], g.order
	} else {
		g.order = g.order[:0]
	}
	ev := int32(m.n)
	m.n++
	g.last = ev
	g.seq++
	g.state = stateRunning
	if m.mm != nil {
		m.mm.event(g)
	}
	if len(m.yielded) > 0 {
		m.moved(g, ev)
	}
	if g.req.obj != nil {
		g.req.obj.perform(m, g, alt)
	} else {
		m.performLocal(g, alt)
	}
}

// describeLocal describes a request that is made to no object.
func (m *Machine) describeLocal(g *goroutine) bool {
	switch g.op.Kind {
	case trace.OpChoose:
		g.op.Alts = int32(g.req.arg)
	case trace.OpYield:
		g.op.Touch(trace.Everything, trace.ModeAll)
	case trace.OpSleep, trace.OpNow:
		if m.Time == machine.TimeAnyOrder {
			g.op.Touch(clockObject, trace.ModeAll)
		}
	case trace.OpSelect:
		return m.describeSelect(g)
	}
	return true
}

func (m *Machine) performLocal(g *goroutine, alt int32) {
	switch g.op.Kind {
	case trace.OpChoose:
		g.reply.val = int64(alt)
	case trace.OpYield:
		m.yield(g)
		g.reply.ok = g.state == stateYielding
	case trace.OpJoin:
		m.join(g, m.gs[g.req.arg])
	case trace.OpSleep:
		m.sleep(g, int64(g.req.arg))
	case trace.OpNow:
		g.reply.val = m.elapsed
	case trace.OpAdvance:
		m.advanceClock()
	case trace.OpSelect:
		m.performSelect(g, alt)
	default:
		panic(fmt.Sprintf("sched: %v needs an object", g.op.Kind))
	}
}

// join makes g wait for the end of target.
func (m *Machine) join(g, target *goroutine) {
	if target.state == stateEnded {
		m.after(g, target)
		return
	}
	g.state = stateWaiting
	target.notify = append(target.notify, g)
}

// yield makes g wait until everybody who is ready now has moved once. That
// depends on everything, so it is asked for in loops only (see Gosched).
func (m *Machine) yield(g *goroutine) {
	g.await = g.await[:0]
	for _, h := range m.gs {
		if h.state == stateReady && h != g {
			g.await = append(g.await, h.id)
		}
	}
	if len(g.await) == 0 {
		return
	}
	g.state = stateYielding
	m.yielded = append(m.yielded, g)
}

// moved tells those who yield that h has performed event ev.
func (m *Machine) moved(h *goroutine, ev int32) {
	keep := m.yielded[:0]
	for _, g := range m.yielded {
		for i, id := range g.await {
			if id == h.id {
				g.await = append(g.await[:i], g.await[i+1:]...)
				m.edge(g, ev)
				break
			}
		}
		if len(g.await) > 0 {
			keep = append(keep, g)
			continue
		}
		if g.pseudo {
			m.rearm(g)
		} else {
			m.release(g)
		}
	}
	m.yielded = keep
}

// fail records that the execution fails.
func (m *Machine) fail(kind trace.FailureKind, g *goroutine, msg, stack string) {
	f := trace.Failure{Kind: kind, Step: m.n - 1, Msg: msg, Stack: stack, G: -1}
	if g != nil {
		f.G = g.id
	}
	m.failures = append(m.failures, f)
}

// Now returns the virtual time since the start of the execution.
func (m *Machine) Now() time.Duration { return time.Duration(m.elapsed) }
