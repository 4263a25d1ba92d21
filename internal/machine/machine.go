package machine

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/oplist"
	"github.com/gopor/gopor/internal/room"
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
	Exec       Executor
	met        Model        // what the execution has met of usual models, see [Goroutine.Usual]
	Goroutines []*Goroutine // by ID, of all executions
	Store      store
	parts      parts
	Numbers    numbers
	paths      pathOrder
	Epoch      uint64 // number of the execution, which no execution of another Machine has
	Marks      marks
	executions uint64 // how many have begun, this one included

	Events   events
	pending  pendingSet
	Released []*Goroutine // can go on, in the order in which the machine released them
	Clock    clock
	Polling  polling
	repeats  repeats
	sites    faults.Spread[Site]
	nodes    []*NodeState

	Closing  bool      // goroutines are being unwound
	Keys     *Keys     // nil unless states have to be named
	Parallel *Parallel // nil unless goroutines run at the same time
	Outside  outside
	Failures []trace.Failure
	Memory   memory // the last one, since it is large
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
	m := &Machine{Config: c, Exec: NoExecutor{}, Events: events{Described: true}, Epoch: epochs.Add(1) << epochBits}
	m.goroutineOf(MainID)
	m.Clock.G = m.goroutineOf(clockID)
	m.Clock.G.Pseudo = true
	return m
}

// Reset begins a new execution with one goroutine, 0, which has no request yet.
func (m *Machine) Reset() {
	m.turn()
	m.Events.Count, m.Events.unnoted, m.Numbers.Given, m.Numbers.Kept, m.Memory.Shadow.kept, m.Memory.Shadow.mostKept = 0, 0, 0, 0, 0, 0
	m.Store.reset(m.Epoch)
	m.met, m.parts.phase, m.Events.noted = 0, 0, m.Time == TimeLag || m.Memory.Races != nil || m.Keys != nil
	m.pending.reset()
	m.Clock.reset()
	m.Polling.reset()
	m.repeats = repeats{epoch: m.repeats.epoch + 1}
	m.sites.Reset()
	m.Released, m.nodes, m.Failures = m.Released[:0], m.nodes[:0], m.Failures[:0]
	if m.Time == TimeLag {
		m.Store.named++ // nearObject
	}
	m.leaveMaps()
	for _, g := range m.Goroutines {
		g.clear()
	}
	m.Closing, m.Memory.Missed, m.Memory.Lines.taken = false, false, false
	if m.Memory.plain.Load() { // A store takes as long as many other instructions.
		m.Memory.plain.Store(false)
	}
	if m.Keys != nil {
		m.Keys.reset()
	}
	if m.Memory.Races != nil {
		m.Memory.Races.reset()
	}
	m.Goroutines[MainID].State = StateRunning
}

// Close says that the goroutines of the execution are unwound from here on.
func (m *Machine) Close() {
	m.Closing = true
	if m.Memory.plain.Load() {
		m.Memory.plain.Store(false)
	}
}

// Watch says whether the executor wants to know of accesses of memory.
func (m *Machine) Watch(on bool) {
	m.Memory.Watching = on
	m.Memory.plain.Store(false)
}

// Glance says that the executor wants to know of the next access of memory, even of one like
// others. Any goroutine may call it.
func (m *Machine) Glance() {
	m.Memory.Glance.Store(true)
	m.Memory.plain.Store(false)
}

// Forget gives up what is kept for further executions, and what it keeps alive.
func (m *Machine) Forget() {
	m.leaveMaps()
	m.Store.clear()
	m.Marks.places = nil
	m.Outside.shadows.Clear()
	m.Memory.blocks.words.Clear()
	m.Memory.Shadow.Clear()
	m.Memory.carried.Clear()
	m.Outside.finals = nil
}

// leaveMaps ends the loops over maps that are under way.
func (m *Machine) leaveMaps() {
	if m.Memory.Ranged != 0 {
		atomic.AddInt32(&live.Ranged, -m.Memory.Ranged)
		m.Memory.Ranged = 0
	}
}

// Post makes g ready with the request in g.op and g.req.obj.
func (m *Machine) Post(g *Goroutine) {
	g.Op.G, g.Op.Alts = g.ID, 1
	g.Op.Footprint = trace.LawfulFootprint + trace.Footprint(steady>>(g.Op.Kind&63)&1) // or steady
	g.Op.WaitsOnUses = waitsOnUses>>(g.Op.Kind&63)&1 == 1
	g.Op.TouchNothing()
	g.Op.Quiet, g.Op.Within, g.Op.Idle = false, 0, 0
	g.State, g.static, g.apart = stateReady, false, m.apart(g)
	m.pending.alter(g)
	g.Op.Obj = -1
	if g.Req.Obj != nil {
		g.Op.Obj = g.Req.Obj.Head().ID
	}
	if m.Keys != nil {
		m.Keys.asks(g)
	}
	if g.line.code != 0 && g.seq == 0 {
		g.line.first = g.Op.Kind
		if g.line.ahead != nil {
			m.holdBack(g)
		}
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
	// quiet has the kinds of operations that leave others as they are where they only read.
	quiet = uint64(1<<trace.OpRead | 1<<trace.OpLoad | 1<<trace.OpCAS | 1<<trace.OpMap | 1<<trace.OpCtxErr | 1<<trace.OpLen | 1<<trace.OpSelect)
)

// isQuiet reports whether g's operation, of a kind of quiet, leaves others as they are.
func (g *Goroutine) isQuiet() bool {
	return oplist.OnlyReads(&g.Op) && (g.Op.Kind != trace.OpSelect || g.Req.Arg == 1)
}

// describe brings the accesses of g's request up to date, unless they are static.
func (m *Machine) describe(g *Goroutine) {
	if len(m.nodes) > 0 && g.dead() {
		g.Op.TouchNothing()
		g.Op.Alts, g.static = 1, true
		return
	}
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

// CanStep reports whether choice c can be made now; if not, it says why.
func (m *Machine) CanStep(c trace.Choice) (*Goroutine, error) {
	if c.G < 0 || int(c.G) >= len(m.Goroutines) {
		return nil, m.Diverged("", fmt.Sprintf("there is no goroutine %d", c.G))
	}
	g := m.Goroutines[c.G]
	if g == m.Clock.G {
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
func (m *Machine) CanMove(g *Goroutine) bool { return g.State == stateReady && g != m.Clock.G }

func (m *Machine) canMoveClock() (*Goroutine, error) {
	if m.Time == TimeLag {
		if m.offerMove(); m.Clock.G.State != stateReady {
			return nil, m.Diverged("the clock", "it cannot move on")
		}
		m.orderMove()
		return m.Clock.G, nil
	}
	if ops := m.Pending(); len(ops) == 1 && ops[0].G == clockID {
		return m.Clock.G, nil
	}
	if m.Patience() != trace.Impatient {
		m.prepareClock()
		return m.Clock.G, nil
	}
	return nil, m.Diverged("the clock", "a goroutine can run")
}

func (m *Machine) Diverged(want, got string) *trace.DivergenceError {
	return &trace.DivergenceError{Step: m.Events.Count, Want: want, Got: got}
}

// Perform performs g's request, taking alternative alt.
func (m *Machine) Perform(g *Goroutine, alt int32) {
	if m.Events.Described {
		if !g.static {
			m.describe(g)
		}
		m.pending.used.Add(&g.Op)
		if quiet>>(g.Op.Kind&63)&1 == 1 { // Only of events do engines ask that.
			g.Op.Quiet = g.isQuiet()
		}
		if g.apart && m.Events.Count > 0 {
			g.order = append(g.order, m.current())
		}
		m.Events.Latest.Op, m.Events.Latest.Alt, m.Events.Latest.Order = g.Op, alt, g.order
		g.order, m.Events.spareOrder, m.Events.Latest.Needless = m.Events.spareOrder[:0], g.order, nil
	} else {
		if m.Polling.looping && len(g.loop.turns.heads) > 0 && !g.static {
			m.describe(g) // for its alternatives
		}
		g.order = g.order[:0]
		m.pending.used.AddAll()
	}
	if m.repeats.looks {
		m.looksAtRepeats(g)
	}
	ev := int32(m.Events.Count)
	m.Events.Count++
	if m.Clock.moved && g.last <= m.Clock.G.last {
		m.Clock.since = append(m.Clock.since, g)
	}
	g.last, g.State = ev, StateRunning
	g.seq++
	m.pending.alter(g)
	if g.line.code != 0 && g.seq == 1 {
		m.begin(g, ev)
	}
	if m.Events.noted {
		m.note(g, alt)
	}
	if len(m.pending.yielding) > 0 {
		m.moved(g, ev)
	}
	if len(m.nodes) > 0 && g.dead() {
		g.State = stateDead
		return
	}
	if g.Req.Obj != nil {
		g.Req.Obj.perform(m, g, alt)
	} else {
		m.performLocal(g, alt)
	}
	if m.Keys != nil {
		m.Keys.performed(g)
	}
	if m.Polling.looping && len(g.loop.turns.heads) > 0 {
		m.watchTurn(g)
	}
	if m.Polling.Finding {
		g.loops().found = g.finding()
	}
	if g.seq > m.Polls {
		m.watchPoll(g)
	}
	if m.Polling.rounds > 0 && m.isNews(g) {
		m.Polling.rounds = 0
	}
}

// note keeps what later events want to know of the one that g performs.
func (m *Machine) note(g *Goroutine, alt int32) {
	if m.Keys != nil {
		m.Keys.performs(g, alt)
	}
	if m.Alike && g.line.since != g.Made.Children && !m.teachesNothing(g) {
		g.lines().since = g.Made.Children
	}
	if m.Clock.telling {
		m.Clock.told = append(room.ForOne(m.Clock.told), g.told)
	}
	if m.Time == TimeLag {
		m.Clock.lag.nominal = append(room.ForOne(m.Clock.lag.nominal), g.nominal)
	}
	if m.Memory.Races != nil {
		m.Memory.Races.event(g)
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
				g.Op.TouchAlso(s.Done.ID, trace.ModeRead)
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
		m.join(g, m.Goroutines[g.Req.Arg])
	case trace.OpSleep:
		m.sleep(g, int64(g.Req.Arg))
	case trace.OpNow:
		g.Reply.Val = m.Clock.elapsed
	case trace.OpAdvance:
		m.Clock.moved, m.Clock.since = true, m.Clock.since[:0]
		switch {
		case m.Polling.asks:
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
	w := target.waiting()
	w.notify = append(w.notify, g)
}

// YieldAt lets others move first if g has been at the call pc, of what, before. In a turn of a
// loop that may await something it does nothing: the others need not be let go first there.
func (g *Goroutine) YieldAt(pc uintptr, what string) {
	if g.M.Model&ModelUnfair != 0 || len(g.loop.turns.heads) > 0 || g.loop.round {
		return
	}
	for _, site := range g.Waits.sites {
		if site == pc {
			g.Ask(trace.OpYield, nil)
			if g.Reply.Ok {
				g.Usual(ModelUnfair, what)
			}
			return
		}
	}
	w := g.waiting()
	w.sites = append(w.sites, pc)
}

// yield makes g wait until every goroutine that is ready now has moved once. That depends on
// everything, so it is asked for in loops only (see Gosched).
func (m *Machine) yield(g *Goroutine) {
	w := g.waiting()
	w.others = w.others[:0]
	for _, h := range m.Goroutines {
		if h.State == stateReady && h != g && h != m.Clock.G {
			w.others = append(w.others, h.ID)
		}
	}
	if len(g.Waits.others) == 0 {
		return
	}
	g.State = stateYielding
	m.pending.yielding = append(m.pending.yielding, g)
}

// moved tells the goroutines that yield that h has performed event ev.
func (m *Machine) moved(h *Goroutine, ev int32) {
	keep := m.pending.yielding[:0]
	for _, g := range m.pending.yielding {
		for i, id := range g.Waits.others {
			if id == h.ID {
				g.Waits.others = append(g.Waits.others[:i], g.Waits.others[i+1:]...)
				m.follow(g, ev)
				break
			}
		}
		if len(g.Waits.others) > 0 {
			keep = append(keep, g)
			continue
		}
		if g.Pseudo {
			m.rearm(g)
		} else {
			m.release(g)
		}
	}
	m.pending.yielding = keep
}

// Fail records that the execution fails by f, of goroutine g, which is nil if it is of none. It
// sets f's G, Step and Part.
func (m *Machine) Fail(f trace.Failure, g *Goroutine) {
	f.G, f.Step, f.Part = -1, m.Events.Count-1, m.Parts()[m.partOf(g)]
	if g != nil {
		f.G = g.ID
	}
	m.Failures = append(m.Failures, f)
}

// FailLeak records that goroutines are leaked, or go on for ever, as waits says. The failure is of
// the part that all of the leaked ones belong to by their start: where the execution ends has
// nothing to do with them.
func (m *Machine) FailLeak(leaked []*Goroutine, waits *trace.Waits) {
	m.Fail(trace.Failure{Kind: trace.FailLeak, Msg: format.LeakMessage(len(leaked) + len(waits.Endless)), Waits: waits}, nil)
	part := int32(0)
	for i, g := range leaked {
		if i == 0 {
			part = g.Origin.part
		} else if g.Origin.part != part {
			part = 0
		}
	}
	m.Failures[len(m.Failures)-1].Part = m.Parts()[part]
}

// Now returns the virtual time since the start of the execution.
func (m *Machine) Now() time.Duration { return time.Duration(m.Clock.elapsed) }
