package machine

import (
	"time"

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
)

// Goroutine is a goroutine as the machine sees it. It is reused by the
// goroutine of the same name in later executions.
type Goroutine struct {
	// What every step looks at is together, in a cache line with what is next to it.
	Id      trace.ID
	State   gstate
	static  bool  // op's accesses do not change while it is pending
	apart   bool  // its request is one of a part that is not explored
	altered bool  // in Machine.altered
	listed  bool  // in Machine.pending
	seq     int32 // events performed
	last    int32 // number of the latest event, -1 if none
	M       *Machine
	order   []int32
	born    int32 // how many of order its spawner had come after when it made it
	parent  *Goroutine
	Op      trace.Op
	Req     request
	Reply   reply
	notify  []*Goroutine // who waits for the end of this one

	place int32 // among the parent's children
	part  int32 // that it belongs to by its start

	ready   []int32 // the cases of a select that could proceed
	match   uint64  // sequence number of the select that waits, to tell stale queue entries
	cancels int     // contexts whose cancelling the request waits for

	told int64 // the latest time that it knows of, -1 if none
	// shift is how much later than Config.Start the clock has begun for it, see BubbleTime.
	shift  time.Duration
	bubble bool      // it is in a bubble of testing/synctest
	awaits bool      // it runs what a context was given, and starts when that has ended
	quiet  bool      // what it asks for is told to nobody, see Quietly
	ticked bool      // what it has received last, outside a select, is the tick of a timer
	Held   int       // locks inside the standard library
	Files  *FileCall // the call of a function that uses files
	Within bool      // what it does outside the program is a part of what it has told
	since  int32     // how many events it had performed when it took the first lock of Held
	Locked int       // locks of Held that are operations

	await   []trace.ID // while yielding: who has to move first
	sites   []uintptr
	Tickets int32    // calls of Cond.Wait so far
	notices []notice // for those that it does not wait in yet
	credits []credit
	inherit *WgState

	kids    []trace.ID // names of children, of all executions
	nkids   int        // children spawned in this execution
	agents  []trace.ID // names of those that cancel contexts that it has made, of all executions
	Nagents int        // such contexts in this execution
	Objects []int32    // names of objects created, of all executions
	Nobj    int

	view view // by the Go memory model
	past past // while states are named

	Born   uintptr // the go statement, where positions are recorded, or stacks may be asked for
	Pseudo bool    // moved by the machine: the clock, a timer
	Body   func()  // what it runs

	// Symmetry: the code of the function that it was started with, its neighbours in the line, and
	// its first event.
	code          uintptr
	ahead, behind *Goroutine
	begun         int32

	// What most executions need not look at is apart from the rest.
	nominal  int64  // in TimeLag, when its next event would come if code took no time
	rises    []rise // in TimeLag, when its earlier events would have come if code took no time
	readAt   int64  // the time that it was last told
	readings int    // how often it was told the time of readAt
	pace     pace
	paced    int32 // how many events it had performed then
	naps     int32 // how often it has slept for no time, Polls at most
	poll     poll
	tally    tally
	found    finding // what has come of its latest event, if the machine is Finding
	turn     int32   // how many events it had performed when the turn of its loop began, 0 for no such loop
	head     int32   // 1 + the events before that turn, also where that is not why it does not seem to poll
	turns    turns
	loops    int32  // how many loops of rewritten code it has begun, see TurnAt
	round    bool   // it goes round a loop of rewritten code, where states are told apart, see TurnAt
	began    uint64 // a number for what the turn of its loop has begun with
	timers   []turnTimer
	habit    habit

	repetition repetition // see repeat.go
}

// request is what a goroutine asks for, beside the kind.
type request struct {
	Obj       Object // nil if it is made to no object
	Arg, arg2 uint64
	x, y      any          // arguments that are no numbers
	From      *cell        // what OpTransfer reads
	Cases     []SelectCase // of a select
	Mem       memoryOp     // the use of memory that is known by address
}

// reply is what has come of a request.
type reply struct {
	Val    int64
	Ok     bool
	Chosen int    // the case of a select
	left   uint64 // the number that an atomic operation has left behind
	v      any
	Fault  string // the request panics with this
	Fatal  bool   // no recover can stop the panic of Fault
}

// clear makes g unborn, keeping what names its children and objects.
func (g *Goroutine) clear() {
	g.tally, g.naps = tally{}, 0
	if g.seq > g.M.Polls || g.poll.asked != 0 {
		g.readAt, g.readings, g.pace, g.poll = 0, 0, pace{}, poll{}
	}
	g.State, g.listed, g.altered, g.seq, g.last = StateUnborn, false, false, 0, -1
	g.order, g.born = g.order[:0], 0
	if g.M.Loops {
		g.turns, g.loops = turns{heads: g.turns.heads[:0], held: g.turns.held[:0]}, 0
	}
	g.notify = g.notify[:0]
	g.nkids, g.Nobj, g.Nagents = 0, 0, 0
	g.Req.Obj, g.Reply.Fault, g.Reply.Fatal = nil, "", false
	g.Tickets, g.notices = 0, g.notices[:0]
	g.sites, g.credits, g.inherit = g.sites[:0], g.credits[:0], nil
	g.await = g.await[:0]
	g.part, g.apart = 0, false
	g.told, g.shift, g.bubble, g.awaits, g.quiet, g.Held, g.Locked, g.Within, g.Files, g.turn, g.head, g.round = -1, 0, false, false, false, 0, 0, false, nil, 0, 0, false
	if g.M.Time == TimeLag {
		g.nominal, g.rises = 0, g.rises[:0]
	}
	g.Req.x, g.Req.y, g.Req.Arg, g.Req.arg2 = nil, nil, 0, 0
	g.Reply.v, g.Reply.Val, g.Reply.left = nil, 0, 0
	g.Pseudo = g.Id == clockID // the next child of that place may be no timer
	g.view = view{}
	g.code, g.ahead, g.behind, g.habit = 0, nil, nil, habit{}
	if len(g.timers) > 0 {
		g.forgetTimers()
	}
}

func (m *Machine) goroutineOf(id trace.ID) *Goroutine {
	for int(id) >= len(m.Gs) {
		m.Gs = append(m.Gs, &Goroutine{M: m, Id: trace.ID(len(m.Gs)), told: -1, last: -1, place: -1})
	}
	return m.Gs[id]
}

// Child returns the next child of g, unborn.
func (m *Machine) Child(g *Goroutine) *Goroutine {
	if g.nkids == len(g.kids) {
		kid := m.goroutineOf(trace.ID(len(m.Gs)))
		kid.parent, kid.place = g, int32(g.nkids)
		g.kids = append(g.kids, kid.Id)
	}
	kid := m.Gs[g.kids[g.nkids]]
	g.nkids++
	kid.shift, kid.bubble = g.shift, g.bubble
	return kid
}

// Spawn makes a goroutine, running, that parent starts. A go statement is not an event: what the
// child does comes after what its parent did so far.
func (m *Machine) Spawn(parent trace.ID) trace.ID {
	p := m.Gs[parent]
	kid := m.fork(p)
	p.endow(kid)
	return kid.Id
}

func (m *Machine) fork(p *Goroutine) *Goroutine {
	p.Acts()
	kid := m.Child(p)
	kid.State, kid.part = StateRunning, p.part
	if m.Keys != nil {
		m.Keys.born(kid, p)
	}
	m.after(kid, p)
	kid.born = int32(len(kid.order))
	return kid
}

// Spawned returns the latest events that had happened before goroutine g was made, if it has done
// nothing yet: they happen before whatever it does first.
func (m *Machine) Spawned(g trace.ID) []int32 {
	if kid := m.Gs[g]; kid.seq == 0 {
		return kid.order[:kid.born]
	}
	return nil
}

// after orders the next event of w after all that g has done so far.
func (m *Machine) after(w, g *Goroutine) {
	if g.last >= 0 {
		w.order = append(w.order, g.last)
	}
	w.order = append(w.order, g.order...)
	w.told = max(w.told, g.told)
	if m.Time == TimeLag {
		m.reach(w, g.nominal)
	}
	if m.Mm != nil {
		m.Mm.local(w, g)
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
	if m.Mm != nil {
		m.Mm.observe(w, ev)
	}
}

// follow orders the next event of w after event number ev, which does not synchronise with it: w
// has its turn then.
func (m *Machine) follow(w *Goroutine, ev int32) {
	w.order = append(w.order, ev)
	if m.telling {
		w.told = max(w.told, m.told[ev])
	}
	if m.Time == TimeLag {
		m.reach(w, m.lag.nominal[ev])
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
	w.State = StateRunning
	m.Released = append(m.Released, w)
	if m.Keys != nil {
		m.Keys.granted(w)
	}
}

// current is the number of the event that is being performed.
func (m *Machine) current() int32 { return int32(m.N - 1) }

// End says that goroutine g has ended.
func (m *Machine) End(id trace.ID) { m.Conclude(m.Gs[id]) }

func (m *Machine) Conclude(g *Goroutine) {
	g.State = StateEnded
	if m.asked == g {
		m.Futile = true
	}
	for _, w := range g.notify {
		m.after(w, g)
		m.release(w)
	}
	g.notify = g.notify[:0]
}
