package machine

import (
	"unsafe"

	"github.com/gopor/gopor/internal/habit"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/sched/trace"
)

// This file has the parts of a Goroutine that have no file of their own.

// origin is how a goroutine was started.
type origin struct {
	parent  *Goroutine
	place   int32 // among the children of parent; agents have places below 0
	part    int32 // of the execution that it belongs to by its start, see part.go
	ordered int32 // length of order when the goroutine was made
	since   int32 // the latest event of parent at its go statement, -1 if there was none
	node    *NodeState
	life    int32    // how often node had stopped when the goroutine was started
	awaits  bool     // it runs what a context was given, and starts when that has ended
	inherit *WgState // for a Done of which its parent has given it a credit
	// Of the go statement, where positions are recorded or stacks may be asked for.
	PC   uintptr
	Body func() // what it runs
}

// made is what a goroutine has made: how much in this execution, and the names that this has in
// all executions.
type made struct {
	Children  int32
	Agents    int32 // contexts that are cancelled by an agent
	Objects   int32
	childIDs  []trace.ID
	ObjectIDs []int32
}

// waits is what primitives keep of a goroutine that uses them, beside made.
type waits struct {
	ready    []int32      // the cases of a select that could proceed
	match    uint64       // number of the select that waits, which tells stale entries of queues
	cancels  int          // contexts whose cancelling the request waits for
	others   []trace.ID   // goroutines that have to move before a Gosched returns
	sites    []uintptr    // calls of Gosched that it has come to
	notify   []*Goroutine // goroutines that wait for the end of this one
	notices  []notice     // of conditions in which it does not wait yet
	credits  []credit     // for a Done of a WaitGroup
	seen     []seen       // the Dones of WaitGroups
	pools    []*PoolState // its own
	agentIDs []trace.ID   // of the contexts that it has made, in all executions
	Tickets  int32        // calls of Cond.Wait
	uses     int32        // of sockets, where there are faults
	fileUses int32        // changes of files, where there are faults
	stops    int32        // stops of nodes, where there are faults
}

// ownTime is what is known of a goroutine that asks for the time, or sleeps. Times are in
// nanoseconds since Config.Start.
type ownTime struct {
	// In TimeLag, when its earlier events would have come if code took no time.
	rises    []rise
	asked    int32 // 1 + the event after which it last asked for the time, 0 for never
	readAt   int64 // the time that it was last told
	readings int   // how often it was told readAt
	pace     pace  // of time, where it asks again and again
	paced    int32 // events that it had performed when pace was last used
	naps     int32 // sleeps of no duration, Polls at most
}

// loop is what a goroutine repeats.
type loop struct {
	poll   poll
	tally  tally
	found  finding // what has come of its latest event, if Polling.Finding is set
	turn   int32   // events before the present turn, 0 if turns do not matter to polling
	head   int32   // 1 + the events before the present turn, 0 for no turn
	number int32   // loops of rewritten code that it has begun, see TurnAt
	// It goes round a loop of rewritten code, where states are told apart, see TurnAt.
	round      bool
	began      uint64 // a number for what the present turn has begun with
	turns      turns
	timers     []turnTimer // of earlier turns
	habit      habit.Habit
	repetition repetition // see repeat.go
}

// line is where a goroutine stands among others that are interchangeable with it, see symmetry.go.
type line struct {
	code          uintptr // of the function that it was started with, 0 for no line
	ahead, behind *Goroutine
	begun         int32 // its first event

	// The rest is for lines that are found, see alike.go.

	f       unsafe.Pointer // the function that it was started with
	first   trace.Kind     // of its first operation
	place   int            // how many are ahead of it
	at      int32          // the time of its parent when it was started
	from    int32          // the same of the first goroutine of its line
	since   int32          // children of this goroutine that are told apart from later ones
	windows []window       // in which this goroutine has started lines

	followed bool // another goroutine is in its line
	named    bool // it has learnt something that follows from its name
}

// library is what a goroutine does inside the standard library.
type library struct {
	Held   int            // locks of the library that it has
	Locked int            // those of them that are operations
	since  int32          // events that it had performed when it took the first of them
	Files  *live.FileCall // the call of a function that uses files, nil if it is in none
	Within bool           // its external effects are part of the latest one that it has announced
	// A go statement inside a library has started it; see trace.Op.Within.
	Started  bool
	quiet    bool // what it asks for goes to no other goroutine, see [Goroutine.Quietly]
	Failures int  // uses of files in a row that have failed
	external note // its latest use of what is outside, in a recorded execution
	Reserve  live.Reserve
}

// These methods begin an execution, in which the goroutine is unborn.

func (o *origin) clear() {
	o.part, o.ordered, o.since, o.life, o.awaits = 0, 0, -1, 0, false
}

func (a *made) clear() {
	a.Children, a.Agents, a.Objects = 0, 0, 0
}

func (w *waits) clear() {
	w.others, w.sites = w.others[:0], w.sites[:0]
	w.notify, w.notices, w.credits, w.seen, w.pools = w.notify[:0], w.notices[:0], w.credits[:0], w.seen[:0], w.pools[:0]
	w.Tickets, w.uses, w.fileUses, w.stops = 0, 0, 0, 0
}

func (t *turns) clear() {
	t.heads, t.held = t.heads[:0], t.held[:0]
	t.waits, t.rounds = false, 0
}

// clear keeps turns if no goroutine has begun a loop that may await something: there are none.
func (l *loop) clear(awaits bool) {
	l.poll, l.tally, l.habit = poll{}, tally{}, habit.Habit{}
	l.turn, l.head, l.round = 0, 0, false
	if awaits {
		l.turns.clear()
		l.number = 0
	}
	if len(l.timers) > 0 {
		l.forgetTimers()
	}
}

// Census counts the goroutines.
type Census struct{ header }

// CensusOf returns the object that counts the goroutines of the running execution. There is one, so
// to ask again and again leaves nothing behind.
func CensusOf(m *Machine) *Census {
	if p := poolOf[Census](&m.Store); p.epoch == m.Epoch && p.used > 0 {
		return p.all[0]
	}
	s := Take[Census](m)
	m.Admit(s)
	return s
}

func (s *Census) reset() {}

func (s *Census) Kind() string { return "goroutines" }

func (s *Census) blame(*Machine) string { return "" }

func (s *Census) describe(m *Machine, g *Goroutine) bool {
	g.Op.Touch(trace.Everything, trace.ModeAll)
	return true
}

func (s *Census) perform(m *Machine, g *Goroutine, alt int32) {
	g.Reply.Val = 0
	for _, h := range m.Goroutines {
		if h.State != StateUnborn && h.State != StateEnded && h.State != stateDead && !h.Pseudo {
			g.Reply.Val++
		}
	}
}

// Crowded reports whether the program has started a goroutine in this execution, besides those of
// subtests, which come one after the other.
func (m *Machine) Crowded() bool {
	for _, g := range m.Goroutines {
		isSubtest := g.Origin.parent != nil && g.Origin.part != g.Origin.parent.Origin.part
		if g.ID != MainID && !g.Pseudo && g.State != StateUnborn && !isSubtest {
			return true
		}
	}
	return false
}

// rare has the parts that few goroutines need. Until a goroutine needs one it has a part that all
// goroutines share, which has no value but zeroes: see ownPart.
type rare struct {
	Waits   *waits
	time    *ownTime
	loop    *loop
	line    *line
	Library *library
	past    *past // what the goroutine has done and seen, nil unless states are named
}

// Nothing writes to the parts that all goroutines share.
var (
	noWaits   waits
	noTime    ownTime
	noLoop    loop
	noLine    line
	noLibrary library
)

// Shares returns the parts that all goroutines share, for tests: these have no value but zeroes.
func Shares() []any { return []any{&noWaits, &noTime, &noLoop, &noLine, &noLibrary} }

// ownPart returns the part at p for writing: one of the goroutine's own, in place of the one that
// all goroutines share.
func ownPart[P any](p **P, shared *P) *P {
	if *p == shared {
		*p = new(P)
	}
	return *p
}

// These methods return a part of g for writing.

func (g *Goroutine) waiting() *waits     { return ownPart(&g.Waits, &noWaits) }
func (g *Goroutine) times() *ownTime     { return ownPart(&g.time, &noTime) }
func (g *Goroutine) loops() *loop        { return ownPart(&g.loop, &noLoop) }
func (g *Goroutine) lines() *line        { return ownPart(&g.line, &noLine) }
func (g *Goroutine) InLibrary() *library { return ownPart(&g.Library, &noLibrary) }

// forgetNaps has earlier sleeps of g count for nothing.
func (g *Goroutine) forgetNaps() {
	if g.time.naps != 0 {
		g.time.naps = 0
	}
}

// waitsNoMore says that g does not wait as one that polls.
func (g *Goroutine) waitsNoMore() {
	if g.loop.poll.waits {
		g.loop.poll.waits = false
	}
}
