package sched

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
)

// Closure is a Go function under the controlled scheduler. It implements
// [Program]; its [Run] is the Closure itself.
//
// Goroutines live on pooled coroutines. While a schedule is replayed, the
// decision who moves next is made on the stack of the goroutine that has just
// published its next operation, so control is handed over only when another
// goroutine is chosen.
type Closure struct {
	f     func()
	opt   Options
	m     *Machine
	idle  []*coroutine
	spent []*coroutine // sit too deep in deferred calls to be used again

	schedule Schedule // being replayed
	pos      int
	alt      int32      // alternative for the goroutine that was chosen
	driver   *goroutine // moved by the driver of the run, may decide on its own stack
	live     bool       // between Start and Close
	closing  bool       // goroutines are being unwound
	judged   bool       // the outcome has been told
	stopped  bool       // the step limit was reached
	err      error      // the execution has diverged
	trail    []mark     // the execution so far, and what the one before did next
	same     bool       // the execution agrees with the one before up to here
	progress atomic.Int64
	record   recorder
	shadows  addrTable[any] // of native objects
	objects  memoryObjects
	shadow   shadowMemory
	readAt   int  // event before which the clock was last read
	readings int  // how often since
	sawVars  bool // plain memory is in use
	missed   bool // ... and was not looked after in an execution
}

// mark is what is remembered of an event to notice nondeterminism.
type mark struct {
	Choice
	obj  int32
	kind Kind
}

// New returns the program that calls f, which may use the primitives of this
// package and start goroutines with [Go].
func New(f func(), o Options) *Closure {
	if f == nil {
		panic("sched: New needs a function, not nil")
	}
	if o.MaxSteps <= 0 {
		o.MaxSteps = defaultMaxSteps
	}
	c := &Closure{f: f, opt: o, m: NewMachine(o.Time)}
	if o.Record {
		c.m.label = c.record.name
	}
	if o.Races == RaceFail {
		c.m.mm = newMemoryModel(c.m)
	}
	return c
}

// Start implements [Program]. It runs the closure up to its first operation.
func (c *Closure) Start() Run {
	if c.live {
		panic("sched: Start before the previous execution was closed")
	}
	switch {
	case c.opt.Races != RaceFail:
	case c.sawVars && c.m.mm == nil:
		c.m.mm = newMemoryModel(c.m)
	case !c.sawVars && c.m.executions() > 0:
		c.m.mm = nil // no variable was seen in the first execution
	}
	c.kill(&c.spent)
	c.m.Reset()
	c.live, c.closing, c.judged, c.stopped, c.err = true, false, false, false, nil
	c.schedule, c.pos, c.driver = nil, 0, nil
	c.same = true
	c.record.reset(c.opt.Record)
	main := c.m.gs[mainID]
	main.body = c.f
	c.launch(main)
	c.advance()
	return c
}

// launch runs the new goroutine g up to its first operation.
func (c *Closure) launch(g *goroutine) {
	var co *coroutine
	if n := len(c.idle); n > 0 {
		co, c.idle = c.idle[n-1], c.idle[:n-1]
	} else {
		co = newCoroutine(c)
	}
	g.co, g.c, co.g = co, c, g
	c.nested(g)
}

// nested resumes g from wherever control is, up to its next operation.
func (c *Closure) nested(g *goroutine) {
	driver := c.driver
	c.driver = nil
	g.co.resume()
	c.driver = driver
}

// advance moves every goroutine that an event has granted something on to its
// next operation.
func (c *Closure) advance() {
	m := c.m
	for len(m.granted) > 0 {
		g := m.granted[0]
		m.granted = append(m.granted[:0], m.granted[1:]...)
		switch {
		case g.onStack: // its own event has released it, by way of others: it goes on by itself
		case g.co == nil:
			c.launch(g)
		default:
			c.nested(g)
		}
	}
}

// ended is called on co when its goroutine g has returned, panicked or exited.
// Nothing may run between this and the next pause of co.
func (c *Closure) ended(co *coroutine, g *goroutine) {
	g.co, co.g = nil, nil
	g.body = nil
	if !c.closing {
		if c.opt.Record {
			c.record.end(c, g)
		}
		c.m.end(g)
		c.advance()
	}
	if co.nested < maxNested {
		c.idle = append(c.idle, co)
	} else {
		c.spent = append(c.spent, co)
	}
}

// Pending implements [Run].
func (c *Closure) Pending() []*Op {
	if !c.live || c.err != nil {
		return nil
	}
	p := c.m.Pending()
	if c.m.n >= c.opt.MaxSteps && len(p) > 0 {
		c.stopped = true
		return nil
	}
	return p
}

// Step implements [Run].
func (c *Closure) Step(choice Choice) (*Event, error) {
	c.m.describing = true
	c.schedule, c.pos = nil, 0
	if err := c.move(choice); err != nil {
		return nil, err
	}
	return &c.m.event, nil
}

// Replay implements [Run].
func (c *Closure) Replay(s Schedule) error {
	c.m.describing = false
	c.schedule, c.pos = s, 0
	for c.pos < len(s) {
		choice := s[c.pos]
		c.pos++
		if err := c.move(choice); err != nil {
			return err
		}
	}
	return nil
}

// move lets one goroutine perform its operation, and during a replay whatever
// it is the next to do.
func (c *Closure) move(choice Choice) error {
	if !c.live {
		return ErrClosed
	}
	if c.err != nil {
		return c.err
	}
	if c.m.n >= c.opt.MaxSteps {
		return c.m.diverged(fmt.Sprintf("goroutine %d to move", choice.G), "the step limit is reached")
	}
	c.progress.Add(1)
	g, err := c.m.canStep(choice)
	if err != nil {
		c.err = err
		return err
	}
	if g.pseudo {
		c.perform(g, choice.Alt)
		c.advance()
	} else {
		c.alt = choice.Alt
		c.driver = g
		g.co.resume()
		c.driver = nil
	}
	return c.err
}

// perform performs g's operation and compares it with what the execution before
// did at this point.
func (c *Closure) perform(g *goroutine, alt int32) {
	n := c.m.n
	mk := mark{Choice{g.id, alt}, g.op.Obj, g.op.Kind}
	switch {
	case n >= len(c.trail):
		c.trail = append(c.trail, mk)
	case c.same && c.trail[n].Choice == mk.Choice:
		if was := c.trail[n]; was != mk && c.err == nil {
			c.err = c.m.diverged(c.describeMark(was), c.describeMark(mk))
		}
	default:
		c.same = false
		c.trail = append(c.trail[:n], mk)
	}
	if c.opt.Record {
		c.record.perform(c, g)
	}
	c.m.perform(g, alt)
}

// LeakMessage is the message of a [FailLeak] of n goroutines.
func LeakMessage(n int) string {
	if n == 1 {
		return "a goroutine still waits when everybody else has finished"
	}
	return fmt.Sprintf("%d goroutines still wait when everybody else has finished", n)
}

func (c *Closure) describeMark(mk mark) string {
	text := c.m.nameOf(c.m.gs[mk.G]) + " to " + mk.kind.String()
	if mk.obj >= 0 {
		text += fmt.Sprintf(" (object %d)", mk.obj)
	}
	return text
}

// submit makes the request in g.op and g.obj, on g's own stack. It returns when
// the request has been granted.
func (c *Closure) submit(g *goroutine) {
	c.m.publish(g)
	if c.opt.Record {
		g.op.PC = g.callerPC()
	}
	alt, ok := c.nextIs(g)
	if !ok {
		// What pause does, for one call less to return from: after a switch the
		// processor has to guess where to.
		g.co.yield(struct{}{})
		if c.closing {
			runtime.Goexit()
		}
		alt = c.alt
	}
	c.perform(g, alt)
	if len(c.m.granted) > 0 {
		g.onStack = true
		c.advance()
		g.onStack = false
	}
	if g.state != stateRunning {
		c.record.waits(c, g)
		g.co.pause()
	}
	if g.fault != "" {
		c.blameFault(g)
	}
}

// nextIs reports whether the schedule that is replayed lets g go on, which needs
// no switch, and with which alternative.
func (c *Closure) nextIs(g *goroutine) (alt int32, ok bool) {
	if c.driver != g || c.pos >= len(c.schedule) || c.schedule[c.pos].G != g.id || c.err != nil || c.m.n >= c.opt.MaxSteps {
		return 0, false
	}
	alt = c.schedule[c.pos].Alt
	if alt != 0 && !c.validAlt(g, alt) {
		return 0, false
	}
	c.pos++
	return alt, true
}

func (c *Closure) validAlt(g *goroutine, alt int32) bool {
	c.m.describe(g)
	return alt > 0 && alt < g.op.Alts
}

// blameFault ends g's operation with the panic or fatal error that it caused.
func (c *Closure) blameFault(g *goroutine) {
	text := g.fault
	g.fault = ""
	if !g.fatal {
		if strings.HasPrefix(text, "sync") {
			panic(text) // those packages panic with strings
		}
		panic(misuse(text))
	}
	g.fatal = false
	var stack string
	if c.opt.Record {
		stack = userStack()
	}
	c.m.fail(FailFatal, g, text, stack)
	runtime.Goexit()
}

// misuse is the value of a panic that a primitive raises, as the standard
// library's would.
type misuse string

func (e misuse) Error() string { return string(e) }

// RuntimeError says that the panic is one of the Go runtime's.
func (e misuse) RuntimeError() {}

func panicText(r any) string {
	switch r := r.(type) {
	case misuse:
		return string(r)
	case error:
		return r.Error()
	case fmt.Stringer:
		return r.String()
	}
	return fmt.Sprint(r)
}

// Len implements [Run].
func (c *Closure) Len() int { return c.m.n }

// Outcome implements [Run]. The harness is asked once, when the execution is
// over.
func (c *Closure) Outcome() []Failure {
	if c.live && !c.judged && len(c.Pending()) == 0 {
		c.judged = true
		c.judge()
	}
	return c.m.failures
}

// judge adds the failures that show at the end of an execution.
func (c *Closure) judge() {
	if c.opt.Probe != nil {
		c.m.failures = append(c.m.failures, c.opt.Probe()...)
	}
	if c.stopped {
		c.m.fail(FailSteps, nil, fmt.Sprintf("the execution is longer than %d steps: a livelock, or a loop that waits without Gosched", c.opt.MaxSteps), "")
		return
	}
	if len(c.m.failures) > 0 || c.err != nil {
		return // whoever waits may do so because of that
	}
	var waiting []string
	for _, g := range c.m.gs {
		if g.state == stateWaiting && !g.pseudo {
			line := c.m.nameOf(g) + " " + c.m.waitsFor(g)
			if g.op.PC != 0 {
				file, at, _ := place(g.op.PC)
				line += fmt.Sprintf(" (%s:%d)", filepath.Base(file), at)
			}
			waiting = append(waiting, line)
		}
	}
	main := c.m.gs[mainID]
	switch {
	case len(waiting) == 0:
	case main.state != stateEnded:
		c.m.fail(FailDeadlock, main, "all goroutines wait", strings.Join(waiting, "\n"))
	case !c.opt.AllowLeaks:
		c.m.fail(FailLeak, nil, LeakMessage(len(waiting)), strings.Join(waiting, "\n"))
	}
}

// Close implements [Run]. Goroutines that have not ended are unwound as by
// Goexit: their deferred calls run, operations in them have no effect.
func (c *Closure) Close() {
	if !c.live {
		return
	}
	c.closing = true
	for _, g := range c.m.gs {
		if g.co != nil {
			g.co.resume()
		}
	}
	c.live = false
	c.m.gs[mainID].state = stateUnborn
}

// Shutdown ends the coroutines that the Closure keeps for further executions.
// It closes the execution first; Start may be called again later.
func (c *Closure) Shutdown() {
	c.Close()
	c.kill(&c.idle)
	c.kill(&c.spent)
	c.shadows.clear()
	c.objects.clear()
	c.shadow.clear()
}

func (c *Closure) kill(cos *[]*coroutine) {
	for _, co := range *cos {
		co.kill()
	}
	*cos = (*cos)[:0]
}

// Progress counts the operations performed so far. A watchdog may call it from
// another goroutine.
func (c *Closure) Progress() int64 { return c.progress.Load() }

// Path returns the name of a goroutine: its place among its parent's children,
// after its parent's name. Main's is empty. IDs are numbered as goroutines are
// first met, so names, not IDs, can be kept beyond a search.
func (c *Closure) Path(id ID) []int32 { return c.m.path(c.m.gs[id]) }

// Lookup returns the goroutine of that name.
func (c *Closure) Lookup(path []int32) ID { return c.m.lookup(path).id }

// Name returns how reports call a goroutine: "main", "g2", "g2.1".
func (c *Closure) Name(id ID) string { return c.m.nameOf(c.m.gs[id]) }

// Current returns the calling goroutine, or -1 if it is not controlled by a run.
func Current() ID {
	if co := coroutines.find(); co != nil && co.g != nil {
		return co.g.id
	}
	return -1
}

// Active reports whether the calling goroutine is controlled by a run.
func Active() bool { return coroutines.find() != nil }

// RacesMissed reports whether an execution used plain memory for the first
// time after the search for data races had been given up for lack of any: then
// the search has to begin anew, with the same Closure.
func (c *Closure) RacesMissed() bool {
	missed := c.missed
	c.missed = false
	return missed
}
