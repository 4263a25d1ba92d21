package machine

import (
	"time"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/sched/trace"
)

// The goroutines that every execution has.
const (
	MainID  trace.ID = 0
	clockID trace.ID = 1
)

type gstate uint8

const (
	StateUnborn   gstate = iota // not spawned in this execution
	StateRunning                // between two requests
	stateReady                  // has published a request
	stateHeld                   // published a request, which waits for those ahead, see symmetry.go
	StateWaiting                // has made a request that is not granted yet
	stateYielding               // waits until the others have moved
	StateEnded
	stateDead // its node has stopped
)

// Goroutine is a goroutine as the machine sees it. It is reused by the
// goroutine of the same name in later executions.
type Goroutine struct {
	// Every step looks at these fields, so they are together, in few cache lines.
	ID      trace.ID
	State   gstate
	static  bool  // the accesses of Op do not change while Op is pending
	apart   bool  // the request is one of a part that is not explored
	altered bool  // the goroutine is in pendingSet.altered
	listed  bool  // Op is in pendingSet.ops
	Pseudo  bool  // the machine moves the goroutine: the clock, a timer
	bubble  bool  // the goroutine is in a bubble of testing/synctest
	ticked  bool  // it has received a tick last, outside of a select
	seq     int32 // events performed
	last    int32 // number of the latest event, -1 if there is none
	view    view  // of other goroutines' accesses, by the Go memory model
	M       *Machine
	order   []int32 // events that the next one comes after
	Op      trace.Op
	Req     request
	Reply   reply
	Origin  origin
	Made    made

	// Times are in nanoseconds since Config.Start.
	told    int64         // the latest time that the goroutine knows of, -1 if there is none
	nominal int64         // in TimeLag, when its next event would come if code took no time
	shift   time.Duration // how much later than Config.Start its clock has begun, see BubbleTime

	rare
}

// request is what a goroutine asks for, beside the kind.
type request struct {
	Obj       Object // nil if it is made to no object
	Arg, arg2 uint64
	x, y      any          // arguments that are no numbers
	From      *cell        // what OpTransfer reads
	Cases     []SelectCase // of a select
	Mem       *memoryOp    // the use of memory that is known by address, nil if there was none
	unused    int32        // the goroutine's event of this number is one by Unused, 0 for none
}

// reply is what has come of a request.
type reply struct {
	Val    int64
	left   uint64 // the number that an atomic operation has left behind
	v      any
	Fault  string // the request panics with this
	Chosen int32  // the case of a select
	Ok     bool
	Fatal  bool // no recover can stop the panic of Fault
}

// clear makes g unborn, keeping what names its children and objects.
func (g *Goroutine) clear() {
	g.State, g.listed, g.altered, g.apart, g.seq, g.last = StateUnborn, false, false, false, 0, -1
	g.order = g.order[:0]
	// Pointers come together: before them code asks whether the garbage collector is at work.
	g.Req.Obj, g.Req.x, g.Req.y, g.Reply.v, g.Reply.Fault, g.Origin.node, g.Origin.inherit = nil, nil, nil, nil, "", nil, nil
	g.Req.Arg, g.Req.arg2, g.Req.unused, g.Reply.Val, g.Reply.left, g.Reply.Fatal = 0, 0, 0, 0, 0, false
	g.Pseudo = g.ID == clockID // the next child of that place may be no timer
	g.Origin.clear()
	g.Made.clear()
	g.told, g.nominal, g.shift, g.bubble = -1, 0, 0, false
	if g.Waits != &noWaits {
		g.Waits.clear()
	}
	if g.time != &noTime {
		*g.time = ownTime{rises: g.time.rises[:0]}
	}
	if g.loop != &noLoop {
		g.loop.clear(g.M.Polling.Loops)
	}
	if g.line != &noLine {
		*g.line = line{windows: g.line.windows[:0]}
	}
	if g.Library != &noLibrary {
		*g.Library = library{}
	}
	g.view = view{}
}

func (m *Machine) goroutineOf(id trace.ID) *Goroutine {
	for int(id) >= len(m.Goroutines) {
		g := &Goroutine{M: m, ID: trace.ID(len(m.Goroutines)), last: -1, told: -1, Origin: origin{place: -1, since: -1}}
		g.rare = rare{Waits: &noWaits, time: &noTime, loop: &noLoop, line: &noLine, Library: &noLibrary}
		if m.Keys != nil {
			g.past = new(past)
		}
		m.Goroutines = append(m.Goroutines, g)
	}
	return m.Goroutines[id]
}

// Child returns the next child of g, unborn.
func (m *Machine) Child(g *Goroutine) *Goroutine {
	if int(g.Made.Children) == len(g.Made.childIDs) {
		kid := m.goroutineOf(trace.ID(len(m.Goroutines)))
		kid.Origin.parent, kid.Origin.place = g, g.Made.Children
		g.Made.childIDs = append(g.Made.childIDs, kid.ID)
	}
	kid := m.Goroutines[g.Made.childIDs[g.Made.Children]]
	g.Made.Children++
	kid.shift, kid.bubble = g.shift, g.bubble
	kid.Origin.node, kid.Origin.life = g.Origin.node, g.Origin.life
	return kid
}

// Spawn makes a goroutine, running, that parent starts. A go statement is not an event: what the
// child does comes after what its parent did so far.
func (m *Machine) Spawn(parent trace.ID) trace.ID {
	p := m.Goroutines[parent]
	kid := m.fork(p)
	p.endow(kid)
	return kid.ID
}

func (m *Machine) fork(p *Goroutine) *Goroutine {
	p.Acts()
	kid := m.Child(p)
	kid.State, kid.Origin.part = StateRunning, p.Origin.part
	if m.Keys != nil {
		m.Keys.born(kid, p)
	}
	m.after(kid, p)
	kid.Origin.ordered, kid.Origin.since = int32(len(kid.order)), p.last
	return kid
}

// Spawned returns the latest events that had happened before goroutine g was made, if it has done
// nothing yet: they happen before whatever it does first.
func (m *Machine) Spawned(g trace.ID) []int32 {
	if kid := m.Goroutines[g]; kid.seq == 0 {
		return kid.order[:kid.Origin.ordered]
	}
	return nil
}

// after orders the next event of w after all that g has done so far.
func (m *Machine) after(w, g *Goroutine) {
	if g.last >= 0 {
		w.order = append(w.order, g.last)
	}
	if len(g.order) > 0 {
		w.order = append(w.order, g.order...)
	}
	w.told = max(w.told, g.told)
	if m.Time == TimeLag {
		m.reach(w, g.nominal)
	}
	if m.Memory.Races != nil {
		m.Memory.Races.local(w, g)
	}
	if m.Keys != nil {
		m.Keys.local(w, g)
	}
}

// edge orders the next event of w after event number ev, which synchronises with it.
func (m *Machine) edge(w *Goroutine, ev int32) {
	if ev < 0 {
		return
	}
	m.follow(w, ev)
	if m.Memory.Races != nil {
		m.Memory.Races.observe(w, ev)
	}
}

// follow orders the next event of w after event number ev, which does not synchronise with it: w
// has its turn then.
func (m *Machine) follow(w *Goroutine, ev int32) {
	w.order = append(w.order, ev)
	if m.Clock.telling {
		w.told = max(w.told, m.Clock.told[ev])
	}
	if m.Time == TimeLag {
		m.reach(w, m.Clock.lag.nominal[ev])
	}
	if m.Keys != nil {
		m.Keys.observe(w, ev)
	}
}

// grant completes the request that w waits for, as the doing of event ev.
func (m *Machine) grant(w *Goroutine, ev int32) {
	m.edge(w, ev)
	m.release(w)
}

// resume lets the waiting goroutine w go on after event ev, which does not synchronise with it.
func (m *Machine) resume(w *Goroutine, ev int32) {
	m.follow(w, ev)
	m.release(w)
}

// release lets the waiting goroutine w go on.
func (m *Machine) release(w *Goroutine) {
	if w.dead() {
		w.State = stateDead
		return
	}
	w.State = StateRunning
	m.Released = append(m.Released, w)
	if m.Keys != nil {
		m.Keys.granted(w)
	}
}

// current is the number of the event that is being performed.
func (m *Machine) current() int32 { return int32(m.Events.Count - 1) }

// End says that goroutine g has ended.
func (m *Machine) End(id trace.ID) { m.Conclude(m.Goroutines[id]) }

func (m *Machine) Conclude(g *Goroutine) {
	g.State = StateEnded
	if g.Library != &noLibrary {
		g.Library.Reserve = live.Reserve{}
	}
	if m.Polling.Asked == g {
		m.Polling.Futile = true
	}
	for _, w := range g.Waits.notify {
		m.after(w, g)
		m.release(w)
	}
	if len(g.Waits.notify) > 0 {
		g.Waits.notify = g.Waits.notify[:0]
	}
}

// Waiting says what g is doing as the runtime would say it of a goroutine.
func (g *Goroutine) Waiting() string {
	switch g.State {
	case StateRunning:
		return "running"
	case stateReady, stateYielding:
		return "runnable"
	}
	switch g.Op.Kind {
	case trace.OpSend:
		return "chan send"
	case trace.OpRecv:
		return "chan receive"
	case trace.OpSelect:
		if len(g.Req.Cases) == 0 {
			return "select (no cases)"
		}
		return "select"
	case trace.OpLock:
		if _, ok := g.Req.Obj.(*RwState); ok {
			return "sync.RWMutex.Lock"
		}
		return "sync.Mutex.Lock"
	case trace.OpRLock:
		return "sync.RWMutex.RLock"
	case trace.OpWGWait:
		return "sync.WaitGroup.Wait"
	case trace.OpSleep:
		return "sleep"
	}
	return "semacquire"
}

// JoinBubble waits for the end of goroutine first, which g has started in a bubble of
// testing/synctest, and of all goroutines that come of first. What they have done comes before what
// g does next. If one never ends that is a deadlock, as natively.
//
// Each wait is an event. When a goroutine has ended it is certain which goroutines it has started,
// but not whether a timer or a context has started the function that it was given. That is certain
// when all others wait. So a bubble with such functions waits for that, in [TimeDiscrete].
func (g *Goroutine) JoinBubble(first trace.ID) {
	h := g.M.Goroutines[first]
	if g.joinTree(h, false) && g.M.Time == TimeDiscrete {
		g.Settle()
		g.joinTree(h, true)
	}
}

// joinTree joins h and all that come of it. With called set it also joins functions of timers and
// contexts that have started. It reports whether there are such functions, started or not.
func (g *Goroutine) joinTree(h *Goroutine, called bool) (more bool) {
	switch {
	case h.Pseudo:
		t, ok := h.Req.Obj.(*TimerState)
		more = ok && t.Fn != nil
	case h.Origin.awaits:
		more = true
	}
	if more && (!called || h.State == StateUnborn) {
		return true
	}
	if !h.Pseudo {
		g.AskNumbers(trace.OpJoin, nil, uint64(h.ID), 0)
	}
	for i := range h.Made.Children {
		more = g.joinTree(g.M.Goroutines[h.Made.childIDs[i]], called) || more
	}
	return more
}
