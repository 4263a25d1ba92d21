package exec

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/internal/room"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// Closure is a Go function under the controlled scheduler. It implements
// [trace.Program]; its [trace.Run] is the Closure itself.
//
// Goroutines live on pooled coroutines. Which goroutine moves next is decided on the stack of
// the goroutine that has just published its next operation. If that is another
// goroutine it is resumed from there, or, if it sits below, having resumed this
// one, control goes back to it. So a switch is made only when another goroutine
// is chosen.
type Closure struct {
	f   func()
	opt Options
	m   *machine.Machine

	coroutines coroutines
	life       life
	course     course
	trail      trail
	rerun      rerun
	starts     starts
	coast      coast
	watchdog   watchdog
	mover      *machine.Goroutine // the goroutine that moves, nil while others run on account of it
	err        error              // the execution has diverged, or was interrupted
	broken     *trace.DecidePanic // decide has panicked

	record   recorder
	assumed  assumptions
	library  *library // nil if no race keeps its order
	beside   beside
	kept     *keeper // of package-level variables
	flows    flowWatch
	present  *machine.Presence
	measured measured
	endless  endless
	remains  Remains // of the execution, see leaks.go
	frames   frameKinds
}

// mark is what is remembered of an event to notice nondeterminism.
type mark struct {
	trace.Choice
	obj  int32
	kind trace.Kind
	arg  uint64 // of a request to no object, see ownArg
}

// New returns the program that calls f, which may use the primitives of package
// sched and start goroutines with [sched.Go].
func New(f func(), o Options) *Closure {
	if f == nil {
		panic("sched: New needs a function, not nil")
	}
	if o.MaxSteps <= 0 {
		o.MaxSteps = defaultMaxSteps
	}
	if o.Lag <= 0 {
		o.Lag = DefaultLag
	}
	c := &Closure{f: f, opt: o, present: new(machine.Presence)}
	c.present.Likes = hook.Instrumented()
	c.m = machine.NewMachine(machine.Config{
		Races: machine.RaceMode(o.Races), Model: machine.Model(o.Model), Maps: machine.MapMode(o.Maps),
		Network: machine.NetworkMode(o.Network), Faults: machine.Faults{Kinds: faults.Kind(o.Faults), Plan: planOf(o.Plan)},
		Time: machine.TimeMode(o.Time), Lag: int64(o.Lag), MaxClock: int64(o.MaxClock), Natively: o.Natively,
		Start: o.Start, Overdue: o.Overdue,
		Polls: int32(o.Polls), LockPolls: int32(o.MaxSteps / 10 * 9),
		Turns: o.Turns, Awaits: o.Awaits, Keyed: o.Keyed, Exchange: machine.Exchange{Symmetric: o.Symmetric, Alike: o.Alike && !o.Symmetric}, Coarser: machine.Coarser(o.Coarser),
		Rand: machine.RandMode(o.Rand), Seed: o.Seed,
		Record: o.Record, Owner: o.Owner, Captures: o.Output != nil,
	})
	c.m.Exec = (*execution)(c)
	c.library = newLibrary(&o)
	if o.Races == sched.RaceFail {
		c.m.Memory.Races = machine.NewMemoryModel(c.m)
	}
	return c
}

// Start implements [trace.Program]. The closure is run up to its first operation when
// the Run is first asked for something, so that a schedule can be followed from
// there on without a pause.
func (c *Closure) Start() trace.Run {
	if c.life.live {
		panic("sched: Start before the previous execution was closed")
	}
	if c.opt.Between != nil {
		c.opt.Between()
	}
	switch {
	case c.m.Races != machine.RaceFail:
	case c.m.Memory.Seen && c.m.Memory.Races == nil:
		c.m.Memory.Races = machine.NewMemoryModel(c.m)
	case !c.m.Memory.Seen && c.m.Executions() > 0 && !c.m.Alike:
		c.m.Memory.Races = nil // no variable was seen in the first execution
	}
	c.kill(&c.coroutines.spent)
	c.m.Reset()
	c.life.live, c.life.judged, c.life.stopped, c.err, c.measured.known, c.remains = true, false, false, nil, false, Remains{}
	c.life.begun, c.trail.same = false, true
	c.rerun.again, c.rerun.schedule, c.rerun.pos = false, c.rerun.schedule[:0], 0
	c.clearLate()
	c.starts.prompt, c.coast.again = c.coast.again, false
	c.broken = nil
	c.m.Record = c.opt.Record && c.opt.RecordFrom == 0
	c.record.reset(c.opt.Record)
	c.life.reached.reset()
	return c
}

// advance moves every goroutine that an event has granted something on to its
// next operation, unless one of them is broken off before it is there.
func (c *Closure) advance() {
	m := c.m
	for len(m.Released) > 0 && !c.Interrupted() {
		g := m.Released[0]
		m.Released = append(m.Released[:0], m.Released[1:]...)
		switch co := c.coroutine(g); {
		case co == nil:
			c.launch(g)
		case co.onStack: // its own event has released it, by way of others: it goes on by itself
		default:
			c.nested(g)
		}
	}
}

// ended is called on co when its goroutine g has returned, panicked or exited.
// Nothing may run between this and the next pause of co, or [Closure.follow].
func (c *Closure) ended(co *coroutine, g *machine.Goroutine) {
	c.coroutines.on[g.ID], co.G = nil, nil
	g.Origin.Body = nil
	if !c.m.Closing {
		if !co.begun {
			c.begins(co, g, false)
		}
		if c.m.Record {
			c.remark(g, Entry{Remark: RemarkEnd}, 0)
		}
		c.m.Conclude(g)
		c.advance()
	}
	switch {
	case co.nested >= maxNested:
		c.coroutines.spent = append(c.coroutines.spent, co)
	case c.course.moved && c.mover == g && c.starts.late.n > 0:
		co.free = true
	default:
		c.coroutines.idle = append(c.coroutines.idle, co)
	}
}

// Pending implements [trace.Run].
func (c *Closure) Pending() []*trace.Op {
	if !c.life.live || c.err != nil {
		return nil
	}
	if !c.life.begun {
		if c.run(nil, nil); c.err != nil {
			return nil
		}
	}
	p := c.m.Pending()
	if c.m.Polling.Futile {
		return nil
	}
	if c.m.Events.Count >= c.opt.MaxSteps && len(p) > 0 {
		c.life.stopped = true
		return nil
	}
	return p
}

// Changed returns those of the operations that are pending, as Pending was called last, that
// may be others than in the state before, if it was called there. An engine that keeps what it
// knows of pending operations need look at no others.
func (c *Closure) Changed() []*trace.Op { return c.m.Changed() }

// Spawned returns the latest events that had happened before goroutine g was started, if it has
// done nothing yet: they happen before whatever it does first, however what is pending may change
// until then. An engine need look for no races with them.
func (c *Closure) Spawned(g trace.ID) []int32 { return c.m.Spawned(g) }

// Step implements [trace.Run].
func (c *Closure) Step(choice trace.Choice) (*trace.Event, error) {
	c.m.Events.Described = true
	c.course.single[0] = choice
	if err := c.run(c.course.single[:], nil); err != nil {
		return nil, err
	}
	return &c.m.Events.Latest, nil
}

// Replay implements [trace.Run].
func (c *Closure) Replay(s trace.Schedule) error {
	c.m.Events.Described = false
	return c.run(s, nil)
}

// Drive implements [trace.Driver].
func (c *Closure) Drive(s trace.Schedule, decide func(*trace.Event) (trace.Choice, bool)) error {
	c.m.Events.Described = false
	return c.run(s, decide)
}

// run performs the operations of a schedule, and then what decide says.
func (c *Closure) run(s trace.Schedule, decide func(*trace.Event) (trace.Choice, bool)) error {
	if !c.life.live {
		return trace.ErrClosed
	}
	if c.err != nil {
		return c.err
	}
	c.course.schedule, c.course.pos, c.course.decide, c.course.refused, c.course.from = s, 0, decide, nil, c.m.Events.Count
	c.course.moved = true
	if !c.life.begun {
		c.begin()
	}
	for {
		if c.course.moved {
			c.choose()
		}
		switch g := c.course.next; {
		case g == nil && (c.rerun.again || c.mayBeMistaken()):
			if c.toldLate() {
				return c.tellAgain()
			}
			c.repeat()
		case g == nil:
			c.course.schedule, c.course.decide, c.coast.tell = nil, nil, nil
			switch {
			case c.broken != nil:
				raise(c.broken)
			case c.err != nil:
				return c.err
			}
			return c.course.refused
		case g.Pseudo:
			c.perform(g, c.course.alt)
			c.advance()
		default:
			c.seat(g).resume()
		}
	}
}

// begin runs main up to its first operation.
func (c *Closure) begin() {
	c.life.begun = true
	c.present.Enter(c.m.Epoch)
	c.m.Marks.Bare = c.present.HasTurn()
	c.prepare()
	c.starts.prompt = c.starts.prompt || !c.mayBeLate()
	main := c.m.Goroutines[machine.MainID]
	main.Origin.Body = c.f
	c.equip(main)
	c.mover = main
	c.coroutines.on[machine.MainID].resume()
}

// choose finds out which goroutine moves next. It is called by the mover when it has published
// its next operation, or else by the goroutine that has resumed it, when no other runs.
func (c *Closure) choose() {
	c.course.next, c.course.moved = nil, false
	if c.err != nil || c.rerun.again || c.coast.tell != nil && !c.tells() {
		return
	}
	if c.starts.late.n > 0 && (c.course.pos == len(c.course.schedule) && !c.coasts() || c.m.Events.Count >= c.opt.MaxSteps) && !c.rouse() {
		return
	}
	var choice trace.Choice
	switch {
	case c.rerun.pos < len(c.rerun.schedule):
		choice = c.rerun.schedule[c.rerun.pos]
		c.rerun.pos++
	case c.course.pos < len(c.course.schedule):
		choice = c.course.schedule[c.course.pos]
		c.course.pos++
	case c.coasts():
		var ok bool
		if choice, ok = c.onward(); !ok {
			return
		}
	case c.course.decide == nil:
		return
	default:
		var ev *trace.Event
		if c.m.Events.Described { // since the decision before
			ev = &c.m.Events.Latest
		}
		c.m.Events.Described = true
		var ok bool
		if choice, ok = c.ask(ev); !ok {
			return
		}
	}
	if c.m.Events.Count >= c.opt.MaxSteps {
		c.course.refused = c.misfit(choice, c.m.Diverged(fmt.Sprintf("goroutine %d to move", choice.G), "the step limit is reached"))
		return
	}
	if v := c.watchdog.progress.Load(); v&1 == 1 {
		c.watchdog.progress.Store(v + 1)
		if c.watchdog.halted.Load() || c.watchdog.patience > 0 && c.m.Events.Count >= c.watchdog.patience && c.Timed() {
			c.watchdog.lost = !c.watchdog.halted.Load()
			c.breakOff()
			return
		}
	}
	c.course.alt = choice.Alt
	if c.starts.late.n > 0 && (c.beginsNow(choice.G) || c.rerun.again) {
		return
	}
	if gs := c.m.Goroutines; choice.Alt == 0 && choice.G >= 0 && int(choice.G) < len(gs) && c.m.CanMove(gs[choice.G]) {
		c.course.next = gs[choice.G] // as CanStep says of most choices
		return
	}
	if c.course.next, c.err = c.m.CanStep(choice); c.err != nil {
		c.err = c.misfit(choice, c.err)
	}
}

// perform performs g's operation and compares it with what the execution before
// did at this point.
func (c *Closure) perform(g *machine.Goroutine, alt int32) {
	if n := c.m.Events.Count; !c.trail.same || n >= len(c.trail.marks) || !c.trail.marks[n].isSame(g, alt) {
		c.trail.note(c, n, g, alt)
	}
	if c.opt.RecordFrom > 0 && c.opt.Record {
		c.record.turn(c, g)
	}
	if c.m.Record {
		c.record.perform(c, g)
	}
	c.course.moved = true
	c.m.Perform(g, alt)
	if c.m.Memory.Shadow.Crowded() {
		c.m.Survey()
	}
}

// isSame reports whether the mark is of that choice, and of the operation on an object that g asks
// for.
func (m *mark) isSame(g *machine.Goroutine, alt int32) bool {
	return m.obj >= 0 && m.obj == g.Op.Obj && m.kind == g.Op.Kind && m.G == g.ID && m.Alt == alt
}

// note keeps the mark of event n, by which g performs its operation. If the execution before has
// made the same choices so far, the operation has to be the same.
func (t *trail) note(c *Closure, n int, g *machine.Goroutine, alt int32) {
	if t.same && n < len(t.marks) {
		was := &t.marks[n]
		if was.G == g.ID && was.Alt == alt {
			if !was.asks(g) && c.err == nil {
				c.err = c.otherwise(*was, markOf(g, alt))
			}
			return
		}
		t.same, t.parted = false, n
	}
	t.marks = room.ForOne(t.marks[:n])[:n+1]
	m := &t.marks[n]
	m.G, m.Alt, m.obj, m.kind, m.arg = g.ID, alt, g.Op.Obj, g.Op.Kind, 0
	if m.obj < 0 {
		m.arg = ownArg(g)
	}
}

// markOf returns the mark of g's operation, by alternative alt.
func markOf(g *machine.Goroutine, alt int32) mark {
	mk := mark{Choice: trace.Choice{G: g.ID, Alt: alt}, obj: g.Op.Obj, kind: g.Op.Kind}
	if mk.obj < 0 {
		mk.arg = ownArg(g)
	}
	return mk
}

// asks reports whether the mark is of the operation that g asks for.
func (m *mark) asks(g *machine.Goroutine) bool {
	return m.obj == g.Op.Obj && m.kind == g.Op.Kind && (m.obj >= 0 || m.arg == ownArg(g))
}

// park waits until g is released, without a request of its own.
func (c *Closure) park(g *machine.Goroutine) {
	if !g.Stopped() {
		c.record.waits(g)
	}
	c.coroutines.on[g.ID].pause()
}

// blameFault ends g's operation with the panic or fatal error that it caused.
func (c *Closure) blameFault(g *machine.Goroutine) {
	text := g.Reply.Fault
	g.Reply.Fault = ""
	if !g.Reply.Fatal {
		if strings.HasPrefix(text, "sync") {
			panic(text) // those packages panic with strings
		}
		panic(machine.Misuse(text))
	}
	g.Reply.Fatal = false
	var stack string
	if c.m.Record {
		stack = userStack()
	}
	c.m.FailFatal(g, text, stack)
	runtime.Goexit()
}

// Len implements [trace.Run].
func (c *Closure) Len() int { return c.m.Events.Count }

// Close implements [trace.Run]. Goroutines that have not ended are unwound as by
// Goexit: their deferred calls run, operations in them have no effect.
func (c *Closure) Close() {
	if !c.life.live {
		return
	}
	c.unwind()
	c.life.live = false
	c.m.Goroutines[machine.MainID].State = machine.StateUnborn
}

// unwind ends the goroutines of the execution, and the execution as others see it. One that was
// abandoned waits for its turn, and so does one that was while it was unwound, before it puts
// anything back.
func (c *Closure) unwind() {
	c.rejoin()
	c.m.Close()
	for _, co := range c.coroutines.on {
		if co != nil {
			co.resume()
		}
	}
	if c.life.begun {
		c.rejoin()
		c.m.ClearMarks()
		c.putBack()
		c.present.Leave()
	}
}

// Shutdown ends the coroutines that the Closure keeps for further executions.
// It closes the execution first; Start may be called again later.
func (c *Closure) Shutdown() {
	c.Rest()
	c.m.Forget()
	if c.kept != nil {
		c.settle()
		c.kept = nil
	}
	c.closeFiles()
	c.flows = flowWatch{}
	c.present.Resign()
}

// Rest ends the coroutines that the Closure keeps for further executions, and nothing else. As
// long as no goroutine is controlled, code that announces what it does takes little more time than
// other code. Rest closes the execution first; Start may be called again later.
func (c *Closure) Rest() {
	c.Close()
	c.kill(&c.coroutines.idle)
	c.kill(&c.coroutines.spent)
}

func (c *Closure) kill(cos *[]*coroutine) {
	for _, co := range *cos {
		co.kill()
	}
	*cos = (*cos)[:0]
}

// Path returns the name of a goroutine: its place among its parent's children,
// after its parent's name. Main's is empty. IDs are numbered as goroutines are
// first met, so names, not IDs, can be kept beyond a search.
func (c *Closure) Path(id trace.ID) []int32 { return c.m.Path(c.m.Goroutines[id]) }

// Lookup returns the goroutine of that name.
func (c *Closure) Lookup(path []int32) trace.ID { return c.m.Lookup(path).ID }

// Name returns how reports call a goroutine: "main", "g2", "g2.1".
func (c *Closure) Name(id trace.ID) string { return c.m.NameOf(c.m.Goroutines[id]) }
