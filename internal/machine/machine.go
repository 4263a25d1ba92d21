package machine

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/vector"
	"github.com/gopor/gopor/sched/trace"
)

// Machine holds the goroutines and objects of one execution as data: what each goroutine has
// requested, whether it waits, and the state of each object. It knows nothing of stacks and values.
// So it serves both the controlled execution of Go closures (package sched) and model programs that
// need no goroutines. All grants are decided here, from the state of objects.
//
// The driver of a Machine spawns goroutines and publishes the next request of each
// ([Machine.Publish]). It performs one request at a time, and then moves on every goroutine in
// [Machine.Granted] to its next request.
type Machine struct {
	Config
	Ex    Executor
	met   Model        // noted in this execution: see usual
	Gs    []*Goroutine // by ID, of all executions
	Store store
	parts parts
	names int // objects named by their creator, in all executions

	sorted   int    // goroutines of which it is known whether numbers are in the order of paths
	disorder bool   // the numbers of goroutines are not in the order of paths
	Epoch    uint64 // number of the execution, not that of any other Machine's

	mark       uint32  // of words that lead to the first place
	places     []place // where keys lead, copied from Parallel's
	crowded    uint64  // the latest epoch that had more primitives than places
	executions uint64

	N          int // events performed
	Describes  bool
	Event      trace.Event
	spareOrder []int32
	pending    []*trace.Op  // of those that were ready when Pending was called, by ID
	altered    []*Goroutine // may have become ready since then, or no longer be, or are not static
	changed    []*trace.Op  // see Changed
	changedAt  int          // the number of events when changed was computed
	alone      [1]*trace.Op // the clock's, where nobody else is ready
	Released   []*Goroutine
	yielded    []*Goroutine // wait until the others have moved

	ParallelTest bool // without control other tests run at the same time

	// AskedToLimit says that in some execution a goroutine had asked for the time so often that the
	// clock came to the limit by that, and went on asking.
	AskedToLimit bool

	Clock     *Goroutine          // moves virtual time on
	elapsed   int64               // nanoseconds since startTime
	Late      int                 // how often time has moved on since main has ended
	deadlines []deadline          // who waits for the clock, unordered
	lag       lagClock            // in TimeLag
	repeats   repeats             // see repeat.go
	exact     bool                // in spite of Overdue
	telling   bool                // somebody has asked for the time in this execution
	noting    bool                // events are noted: see note
	told      []int64             // by event: the time that its goroutine had been told, where events are noted
	pollers   []*Goroutine        // wait for the clock to move on, to whatever time
	rounds    int32               // looks that those who poll have made since somebody did something else
	relooks   int32               // how often such looks have begun since time has moved on
	Finding   bool                // for [Goroutine.Did]
	looping   bool                // somebody has come to AwaitAt in this execution
	Loops     bool                // some goroutine has come to AwaitAt, in any execution
	Futile    bool                // somebody had waited who could go on, see await.go
	asks      bool                // the clock's next event asks those who await something
	asked     *Goroutine          // who makes another turn because of that
	awaiting  []*Goroutine        // those who await something
	Label     func(Object) string // what reports call an object, nil for a plain number

	NameAt func(unsafe.Pointer) string // what reports call the memory there, nil for "memory"
	Shared func()                      // an object is used by another execution, which goes on
	Naming func(whole bool)            // the goroutine that runs uses something, or not the whole of it, for the first time, while numbers are Kept
	Kept   int                         // numbers of objects that were set aside, see Reserve
	Given  int32                       // the number that the next object gets, 0 for the next one

	Mm       *memoryModel   // nil if no data race has to be found
	Keys     *Keys          // nil unless states have to be named
	SawVars  bool           // plain memory is in use
	Timed    bool           // something has waited for the clock, in any execution
	Settled  bool           // something has waited for the clock and for others to wait (discrete time), in any execution
	Missed   bool           // plain memory was accessed, and races were not looked for in this execution
	Ranged   int32          // maps over which loops are under way, see live.Ranged
	Crossed  bool           // operations were performed by who had a lock inside the standard library, in any execution
	Closing  bool           // goroutines are being unwound
	Bare     bool           // no other execution goes on: see bare.go
	Parallel *Parallel      // nil unless others run at the same time
	Undo     func()         // what else the execution has changed, nil if nothing
	Watching bool           // the executor wants to know of accesses of memory
	Glance   atomic.Bool    // the executor wants to know of the next access, even if it is like others
	shadows  addrTable[any] // of native objects
	memory   memoryBlocks
	frames   frameKinds
	Shadow   shadowMemory
	quiet    addrTable[vector.Clock] // clocks that memory carries, see Release
	Failures []trace.Failure
	finals   []final // of the epoch finalsIn
	finalsIn uint64
	// Surveyed is the latest epoch in which the program has looked at all its goroutines itself.
	Surveyed uint64
}

// NewMachine returns a Machine; call Reset before the first execution.
func NewMachine(c Config) *Machine {
	if c.Polls <= 0 {
		c.Polls = DefaultPolls
	}
	if c.Model&ModelUnfair != 0 {
		c.Polls = math.MaxInt32 // a loop may poll as it likes
	}
	c.LockPolls = max(c.LockPolls, c.Polls)
	if c.Start.IsZero() {
		c.Start = StartTime
	}
	c.Start = c.Start.Round(0) // dates have a reading of the monotonic clock of the execution only
	m := &Machine{Config: c, Describes: true, Epoch: epochs.Add(1) << epochBits}
	m.goroutineOf(MainID)
	m.Clock = m.goroutineOf(clockID)
	m.Clock.Pseudo = true
	return m
}

// Reset begins a new execution with one goroutine, 0, which has no request yet.
func (m *Machine) Reset() {
	m.turn()
	m.N, m.elapsed, m.Late, m.Given, m.Kept = 0, 0, 0, 0, 0
	m.Store.reset(m.Epoch)
	m.met, m.telling, m.exact, m.noting = 0, false, false, m.Time == TimeLag || m.Mm != nil || m.Keys != nil
	m.altered, m.changed, m.changedAt = m.altered[:0], m.changed[:0], -1
	m.pending, m.Released, m.yielded = m.pending[:0], m.Released[:0], m.yielded[:0]
	m.deadlines, m.pollers, m.rounds, m.relooks = m.deadlines[:0], m.pollers[:0], 0, 0
	m.repeats = repeats{epoch: m.repeats.epoch + 1}
	m.looping, m.Futile, m.asks, m.asked, m.awaiting = false, false, false, nil, m.awaiting[:0]
	m.lag.reset()
	if m.Time == TimeLag {
		m.Store.named++ // nearObject
	}
	m.Failures = m.Failures[:0]
	m.leaveMaps()
	m.parts.phase = 0
	for _, g := range m.Gs {
		g.clear()
	}
	m.Closing, m.Missed = false, false
	if m.Keys != nil {
		m.Keys.reset()
	}
	if m.Mm != nil {
		m.Mm.reset()
	}
	m.Gs[MainID].State = StateRunning
}

// Forget gives up what is kept for further executions, and what it keeps alive.
func (m *Machine) Forget() {
	m.leaveMaps()
	m.Store.clear()
	m.places = nil
	m.shadows.clear()
	m.memory.words.clear()
	m.Shadow.clear()
	m.quiet.clear()
	m.finals = nil
}

// leaveMaps ends the loops over maps that are under way.
func (m *Machine) leaveMaps() {
	atomic.AddInt32(&live.Ranged, -m.Ranged)
	m.Ranged = 0
}

// Post makes g ready with the request in g.op and g.req.obj.
func (m *Machine) Post(g *Goroutine) {
	g.Op.G = g.Id
	g.Op.Alts = 1
	g.Op.Footprint, g.Op.WaitsOnUses = trace.LawfulFootprint, waitsOnUses>>g.Op.Kind&1 == 1
	if steady>>g.Op.Kind&1 == 1 {
		g.Op.Footprint = trace.SteadyFootprint
	}
	g.Op.TouchNothing()
	g.State, g.static = stateReady, false
	m.alter(g)
	g.apart = m.apart(g)
	g.Op.Obj = -1
	if g.Req.Obj != nil {
		g.Op.Obj = g.Req.Obj.Head().Id
	}
	if m.Keys != nil {
		m.Keys.asks(g)
	}
	if g.ahead != nil && g.seq == 0 {
		m.holdBack(g)
	}
}

// steady has the kinds of operations that use the same in whatever state they come, unless an
// object's describe takes that back. waitsOnUses has the kinds that wait only for what they use.
const (
	steady uint64 = 1<<trace.OpRead | 1<<trace.OpWrite | 1<<trace.OpUpdate | 1<<trace.OpTransfer |
		1<<trace.OpLoad | 1<<trace.OpStore | 1<<trace.OpAdd | 1<<trace.OpSwap | 1<<trace.OpAnd | 1<<trace.OpOr |
		1<<trace.OpChoose | 1<<trace.OpYield | 1<<trace.OpJoin |
		1<<trace.OpLock | 1<<trace.OpUnlock | 1<<trace.OpTryLock | 1<<trace.OpRLock | 1<<trace.OpRUnlock | 1<<trace.OpTryRLock |
		1<<trace.OpSend
	waitsOnUses = uint64(math.MaxUint64) &^ (1<<trace.OpYield | 1<<trace.OpCondAdd)
)

// describe brings the accesses of g's request up to date, unless they are static.
func (m *Machine) describe(g *Goroutine) {
	if g.Req.Obj != nil {
		g.static = g.Req.Obj.describe(m, g)
	} else {
		g.static = m.describeLocal(g)
	}
	if g.seq >= m.Polls && g.mayPoll() {
		m.describePoll(g)
	}
	if g.static && g.Op.Footprint == trace.SteadyFootprint {
		g.Op.Footprint = trace.FixedFootprint
	}
	if g.apart {
		g.Op.Alts = 1
	}
}

// Pending returns the operations that can be performed, as [trace.Run.Pending] does. It takes time
// in proportion to what has changed since the last call, and to the operations with accesses that
// depend on the state.
func (m *Machine) Pending() []*trace.Op {
	if m.Time == TimeLag {
		m.offerMove()
	}
	if len(m.Ready()) > 0 {
		return m.pending
	}
	moves := m.Time == TimeDiscrete && (m.clockUseful() || m.onlyPolls())
	if m.asks = m.mayAsk(moves); m.asks || moves {
		return m.onlyClock()
	}
	return m.pending
}

// Ready is Pending without the operations that can be performed only if there are no others.
func (m *Machine) Ready() []*trace.Op {
	if m.changedAt != m.N {
		m.changed, m.changedAt = m.changed[:0], m.N
	}
	left := m.altered[:0]
	for _, g := range m.altered {
		if g.State != stateReady {
			g.altered = false
			if g.listed {
				m.unlist(g)
			}
			continue
		}
		if !g.listed {
			m.list(g)
		}
		if !g.static {
			m.describe(g)
		}
		m.changed = append(m.changed, &g.Op)
		if g.altered = !g.static; g.altered {
			left = append(left, g)
		}
	}
	m.altered = left
	return m.pending
}

// onlyClock returns the next move of the clock, where no goroutine is ready.
func (m *Machine) onlyClock() []*trace.Op {
	m.prepareClock()
	m.alone[0] = &m.Clock.Op
	m.changed = append(m.changed, m.alone[0])
	return m.alone[:]
}

// Changed returns those of the operations that Pending has returned that may be others than
// in the state before, if it was called there. It may name an operation twice.
func (m *Machine) Changed() []*trace.Op { return m.changed }

// alter notes that g may have become ready, or be ready no longer.
func (m *Machine) alter(g *Goroutine) {
	if !g.altered {
		g.altered = true
		m.altered = append(m.altered, g)
	}
}

// list adds the operation of g, which is ready, to those that are pending.
func (m *Machine) list(g *Goroutine) {
	g.listed = true
	m.pending = append(m.pending, &g.Op)
	n := len(m.pending) - 1
	if n > 0 && m.pending[n-1].G > g.Id {
		at := placeOf(g.Id, m.pending[:n])
		copy(m.pending[at+1:], m.pending[at:n])
		m.pending[at] = &g.Op
	}
}

// unlist takes the operation of g off the pending ones.
func (m *Machine) unlist(g *Goroutine) {
	g.listed = false
	at, n := placeOf(g.Id, m.pending), len(m.pending)-1
	copy(m.pending[at:], m.pending[at+1:])
	m.pending = m.pending[:n]
}

// placeOf returns where the operation of a goroutine is among ops, or would be.
func placeOf(id trace.ID, ops []*trace.Op) int {
	low, high := 0, len(ops)
	for low < high {
		if mid := (low + high) / 2; ops[mid].G < id {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// CanStep reports whether choice c can be made now; if not, it says why.
func (m *Machine) CanStep(c trace.Choice) (*Goroutine, error) {
	if c.G < 0 || int(c.G) >= len(m.Gs) {
		return nil, m.Diverged("", fmt.Sprintf("there is no goroutine %d", c.G))
	}
	g := m.Gs[c.G]
	if g == m.Clock {
		return m.canMoveClock()
	}
	if g.State != stateReady {
		return nil, m.Diverged(m.NameOf(g)+" to move", m.NameOf(g)+" "+m.Doing(g))
	}
	if c.Alt != 0 {
		if !g.static {
			m.describe(g)
		}
		if c.Alt < 0 || c.Alt >= g.Op.Alts {
			return nil, m.Diverged(fmt.Sprintf("alternative %d of %v by %s", c.Alt, g.Op.Kind, m.NameOf(g)), fmt.Sprintf("there are %d", g.Op.Alts))
		}
	}
	return g, nil
}

// CanMove reports whether the operation of g is pending, and g is not the clock.
func (m *Machine) CanMove(g *Goroutine) bool { return g.State == stateReady && g != m.Clock }

func (m *Machine) canMoveClock() (*Goroutine, error) {
	if m.Time == TimeLag {
		if m.offerMove(); m.Clock.State != stateReady {
			return nil, m.Diverged("the clock", "it cannot move on")
		}
		m.orderMove()
		return m.Clock, nil
	}
	if ops := m.Pending(); len(ops) == 1 && ops[0].G == clockID {
		return m.Clock, nil
	}
	if m.Patience() != trace.Impatient {
		m.prepareClock()
		return m.Clock, nil
	}
	return nil, m.Diverged("the clock", "somebody can run")
}

func (m *Machine) Diverged(want, got string) *trace.DivergenceError {
	return &trace.DivergenceError{Step: m.N, Want: want, Got: got}
}

// Perform performs g's request, taking alternative alt.
func (m *Machine) Perform(g *Goroutine, alt int32) {
	if m.Describes {
		if !g.static {
			m.describe(g)
		}
		if g.apart && m.N > 0 {
			g.order = append(g.order, m.current())
		}
		m.Event.Op, m.Event.Alt, m.Event.Order = g.Op, alt, g.order
		g.order, m.spareOrder = m.spareOrder[:0], g.order
	} else {
		if m.looping && len(g.turns.heads) > 0 && !g.static {
			m.describe(g) // for its alternatives
		}
		g.order = g.order[:0]
	}
	if m.repeats.looks {
		m.looksAtRepeats(g)
	}
	ev := int32(m.N)
	m.N++
	g.last = ev
	g.seq++
	g.State = StateRunning
	m.alter(g)
	if g.code != 0 && g.seq == 1 {
		m.begin(g, ev)
	}
	if m.noting {
		m.note(g, alt)
	}
	if len(m.yielded) > 0 {
		m.moved(g, ev)
	}
	if g.Req.Obj != nil {
		g.Req.Obj.perform(m, g, alt)
	} else {
		m.performLocal(g, alt)
	}
	if m.Keys != nil {
		m.Keys.performed(g)
	}
	if m.looping && len(g.turns.heads) > 0 {
		m.watchTurn(g)
	}
	if m.Finding {
		g.found = g.finding()
	}
	if g.seq > m.Polls {
		m.watchPoll(g)
	}
	if m.rounds > 0 && m.isNews(g) {
		m.rounds = 0
	}
}

// note keeps what later events want to know of the one that g performs.
func (m *Machine) note(g *Goroutine, alt int32) {
	if m.Keys != nil {
		m.Keys.performs(g, alt)
	}
	if m.telling {
		m.told = append(m.told, g.told)
	}
	if m.Time == TimeLag {
		m.lag.nominal = append(m.lag.nominal, g.nominal)
	}
	if m.Mm != nil {
		m.Mm.event(g)
	}
}

// describeLocal describes a request that is made to no object.
func (m *Machine) describeLocal(g *Goroutine) bool {
	switch g.Op.Kind {
	case trace.OpChoose:
		g.Op.Alts = int32(g.Req.Arg)
	case trace.OpYield:
		g.Op.Touch(trace.Everything, trace.ModeAll)
	case trace.OpSleep, trace.OpNow:
		g.Op.SetAccesses()
		if d, arms := g.arms(); arms && m.Time == TimeLag {
			m.describeArm(g, d)
			if s, ok := g.Req.x.(*ContextState); ok {
				g.Op.TouchAlso(s.Done.Id, trace.ModeRead)
			}
			return false
		}
		m.readClock(g)
	case trace.OpSelect:
		return m.describeSelect(g)
	}
	return true
}

func (m *Machine) performLocal(g *Goroutine, alt int32) {
	switch g.Op.Kind {
	case trace.OpChoose:
		g.Reply.Val = int64(g.inTurn(alt, int32(g.Req.Arg)))
	case trace.OpYield:
		m.yield(g)
		g.Reply.Ok = g.State == stateYielding
	case trace.OpJoin:
		m.join(g, m.Gs[g.Req.Arg])
	case trace.OpSleep:
		m.sleep(g, int64(g.Req.Arg))
	case trace.OpNow:
		g.Reply.Val = m.elapsed
	case trace.OpAdvance:
		switch {
		case m.asks:
			m.ask()
		case m.Time == TimeLag:
			m.moveOn()
		default:
			m.advanceClock()
		}
	case trace.OpSelect:
		m.performSelect(g, alt)
	default:
		panic(fmt.Sprintf("sched: %v needs an object", g.Op.Kind))
	}
}

// join makes g wait for the end of target.
func (m *Machine) join(g, target *Goroutine) {
	if target.State == StateEnded {
		m.after(g, target)
		return
	}
	g.State = StateWaiting
	target.notify = append(target.notify, g)
}

// yield makes g wait until every goroutine that is ready now has moved once. That depends on
// everything, so it is asked for in loops only (see Gosched).
func (m *Machine) yield(g *Goroutine) {
	g.await = g.await[:0]
	for _, h := range m.Gs {
		if h.State == stateReady && h != g && h != m.Clock {
			g.await = append(g.await, h.Id)
		}
	}
	if len(g.await) == 0 {
		return
	}
	g.State = stateYielding
	m.yielded = append(m.yielded, g)
}

// moved tells the goroutines that yield that h has performed event ev.
func (m *Machine) moved(h *Goroutine, ev int32) {
	keep := m.yielded[:0]
	for _, g := range m.yielded {
		for i, id := range g.await {
			if id == h.Id {
				g.await = append(g.await[:i], g.await[i+1:]...)
				m.follow(g, ev)
				break
			}
		}
		if len(g.await) > 0 {
			keep = append(keep, g)
			continue
		}
		if g.Pseudo {
			m.rearm(g)
		} else {
			m.release(g)
		}
	}
	m.yielded = keep
}

// Fail records that the execution fails by f, of goroutine g, which is nil if it is of none. It
// sets f's G, Step and Part.
func (m *Machine) Fail(f trace.Failure, g *Goroutine) {
	f.G, f.Step, f.Part = -1, m.N-1, m.Parts()[m.partOf(g)]
	if g != nil {
		f.G = g.Id
	}
	m.Failures = append(m.Failures, f)
}

// FailLeak records that goroutines are leaked, or go on for ever, as waits says. The failure is of
// the part that all of the leaked ones belong to by their start: where the execution ends has
// nothing to do with them.
func (m *Machine) FailLeak(leaked []*Goroutine, waits *trace.Waits) {
	m.Fail(trace.Failure{Kind: trace.FailLeak, Msg: LeakMessage(len(leaked) + len(waits.Endless)), Waits: waits}, nil)
	part := int32(0)
	for i, g := range leaked {
		if i == 0 {
			part = g.part
		} else if g.part != part {
			part = 0
		}
	}
	m.Failures[len(m.Failures)-1].Part = m.Parts()[part]
}

// Now returns the virtual time since the start of the execution.
func (m *Machine) Now() time.Duration { return time.Duration(m.elapsed) }
