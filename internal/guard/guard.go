// Package guard wraps a program that is implemented outside of this module. It checks the laws
// of package trace as far as they can be checked during a run, and enforces limits that the
// program itself does not know.
package guard

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Program wraps an implementation of [trace.Program], and its execution. It enforces limits for
// a program that has none, and rejects choices of an engine that are not enabled. Its errors
// blame the program, not the engine, where the program breaks a law.
type Program struct {
	program  trace.Program
	maxSteps int

	run      trace.Run // nil when closed
	schedule trace.Schedule
	pending  []trace.Choice // enabled goroutines, each with its number of alternatives
	known    bool           // pending is up to date
	limited  bool           // the limit of steps was reached
	failures []trace.Failure
	err      error // the reason why the execution cannot go on

	uses  []use // accesses of the pending operations at the latest query
	asked int   // number of steps at the latest query
	// stateDependent describes an operation that has changed its accesses while it was pending,
	// "" if none has.
	stateDependent string

	// first is set until an execution is run a second time. Until then events has the events of
	// the latest execution, except for replayed ones.
	first  bool
	events []kept

	broken *trace.DecidePanic // the engine has panicked within Drive
	exited bool               // the program has called runtime.Goexit

	inside atomic.Int32 // a guardCall: the method of the program that is running
	steps  atomic.Int64 // of all executions
	halted atomic.Bool  // set by Interrupt
}

// kept is the part of an event that is kept.
type kept struct {
	trace.Choice
	op       trace.Op
	accesses []trace.Access
}

// guardCall is a method of the program.
type guardCall int32

const (
	callNone guardCall = iota
	callStart
	callPending
	callStep
	callReplay
	callDrive
	callOutcome
	callClose
)

func (c guardCall) String() string {
	return [...]string{"no method", "Start", "Pending", "Step", "Replay", "Drive", "Outcome", "Close"}[c]
}

// DefaultSteps is the limit of steps if no option sets one, as for closures.
const DefaultSteps = 10_000

// New returns a guard of p. Executions of more than maxSteps steps fail. 0 stands for
// DefaultSteps.
func New(p trace.Program, maxSteps int) *Program {
	if maxSteps == 0 {
		maxSteps = DefaultSteps
	}
	return &Program{program: p, maxSteps: maxSteps, first: true}
}

// Error is an error that the program has made.
type Error struct {
	text  string
	stack []byte // of a panic of the program
}

func (e *Error) Error() string {
	if e.stack == nil {
		return "the program is wrong: " + e.text
	}
	return fmt.Sprintf("the program %s\n%s", e.text, e.stack)
}

// Wrong returns the error of a program that breaks a law.
func Wrong(format string, args ...any) error {
	return &Error{text: fmt.Sprintf(format, args...)}
}

// Unwrap returns the wrapped program.
func (g *Program) Unwrap() trace.Program { return g.program }

// enter notes that a method of the program is about to be called. It returns the method that
// was running before.
func (g *Program) enter(c guardCall) guardCall { return guardCall(g.inside.Swap(int32(c))) }

// left is deferred around calls of the program. It turns a panic into one that names the
// program.
func (g *Program) left(c, before guardCall, returned *bool) {
	g.inside.Store(int32(before))
	if *returned {
		return
	}
	switch r := recover().(type) {
	case nil:
		g.exited = true
	case *Error, *trace.DecidePanic:
		panic(r)
	default:
		panic(&Error{fmt.Sprintf("panicked in %v: %v", c, r), debug.Stack()})
	}
}

// call runs f, which calls method c of the program.
func (g *Program) call(c guardCall, f func()) {
	returned := false
	before := g.enter(c)
	defer g.left(c, before, &returned)
	f()
	returned = true
}

// Start implements [trace.Program].
func (g *Program) Start() trace.Run {
	if g.run != nil {
		panic("Start before the previous execution was closed")
	}
	g.call(callStart, func() { g.run = g.program.Start() })
	if g.run == nil {
		panic(Wrong("Start has returned no Run"))
	}
	g.schedule, g.events = g.schedule[:0], g.events[:0]
	g.known, g.limited, g.failures, g.err, g.broken = false, false, nil, nil, nil
	return g
}

// Pending implements [trace.Run]. It panics if the program breaks a law, since it cannot return
// an error.
func (g *Program) Pending() []*trace.Op {
	if g.run == nil || g.err != nil {
		return nil
	}
	var ops []*trace.Op
	g.call(callPending, func() { ops = g.run.Pending() })
	g.pending = g.pending[:0]
	last := trace.ID(-1)
	for i, op := range ops {
		switch step := len(g.schedule); {
		case op == nil:
			panic(Wrong("operation %d of those pending at step %d is nil", i, step))
		case op.G <= last:
			panic(Wrong("at step %d goroutine %d is pending after goroutine %d; they have to be in ascending order, one operation each", step, op.G, last))
		case op.Alts < 1:
			panic(Wrong("the operation of goroutine %d that is pending at step %d has %d alternatives; it has at least one", op.G, step, op.Alts))
		}
		last = op.G
		g.pending = append(g.pending, trace.Choice{G: op.G, Alt: op.Alts})
	}
	if g.stateDependent == "" && !g.known {
		g.compare(ops)
	}
	g.known = true
	if len(ops) > 0 && len(g.schedule) >= g.maxSteps {
		g.limited = true
		return nil
	}
	return ops
}

// use is a pending operation with its accesses.
type use struct {
	id       trace.ID
	accesses []trace.Access
}

// compare looks for an operation that a step of another goroutine has given other accesses. It
// considers only operations of kinds that the program defines.
func (g *Program) compare(ops []*trace.Op) {
	n := len(g.schedule)
	mover := trace.ID(-1)
	if n > 0 {
		mover = g.schedule[n-1].G
	}
	if n == g.asked+1 {
		for _, op := range ops {
			i, was := slices.BinarySearchFunc(g.uses, op.G, func(u use, id trace.ID) int { return int(u.id) - int(id) })
			if was && op.G != mover && op.Footprint == trace.OpenFootprint && !slices.Equal(g.uses[i].accesses, op.Accesses()) {
				g.stateDependent = fmt.Sprintf("the operation of g%d that is pending at step %d uses something else than before the step of g%d", op.G, n, mover)
				return
			}
		}
	}
	g.asked = n
	for len(g.uses) < len(ops) {
		g.uses = append(g.uses, use{})
	}
	g.uses = g.uses[:len(ops)]
	for i, op := range ops {
		g.uses[i] = use{op.G, append(g.uses[i].accesses[:0], op.Accesses()...)}
	}
}

// stopped returns the reason why the execution cannot go on, nil if it can.
func (g *Program) stopped() error {
	switch {
	case g.run == nil:
		return trace.ErrClosed
	case g.err == nil && g.halted.Load():
		g.err = trace.ErrInterrupted
	}
	return g.err
}

// fits returns an error if choice c is not possible.
func (g *Program) fits(c trace.Choice) error {
	if err := g.stopped(); err != nil {
		return err
	}
	if !g.known {
		g.Pending()
	}
	got := ""
	i, ready := slices.BinarySearchFunc(g.pending, c, func(p, c trace.Choice) int { return int(p.G) - int(c.G) })
	switch {
	case len(g.schedule) >= g.maxSteps:
		got = "the step limit is reached"
	case !ready && Passes(g, c):
		return nil
	case !ready && len(g.pending) == 0:
		got = "the execution is over"
	case !ready:
		got = "only others are: " + goroutines(g.pending)
	case c.Alt < 0 || c.Alt >= g.pending[i].Alt:
		got = fmt.Sprintf("its operation has %s", format.Counted(int64(g.pending[i].Alt), "alternative"))
	default:
		return nil
	}
	d := trace.DivergenceError{Step: len(g.schedule), Want: fmt.Sprintf("goroutine %d to move", c.G), Got: got}
	g.err = &trace.ChoiceError{Choice: c, After: slices.Clone(g.schedule), DivergenceError: d}
	return g.err
}

// Passes reports whether c lets time pass although goroutines are enabled.
func Passes(r trace.Run, c trace.Choice) bool {
	p, ok := r.(trace.Patient)
	if !ok {
		return false
	}
	patience, pass := p.Patience()
	return patience != trace.Impatient && c == pass
}

// goroutines lists the enabled goroutines.
func goroutines(pending []trace.Choice) string {
	text := ""
	for i, p := range pending {
		if i > 0 {
			text += ", "
		}
		if i == 10 {
			return text + "..."
		}
		text += fmt.Sprintf("g%d", p.G)
	}
	return text
}

// Step implements [trace.Run].
func (g *Program) Step(c trace.Choice) (*trace.Event, error) {
	if err := g.fits(c); err != nil {
		return nil, err
	}
	var ev *trace.Event
	var err error
	g.call(callStep, func() { ev, err = g.run.Step(c) })
	if err == nil {
		err = g.performed(c, ev)
	}
	if err != nil {
		g.err = err
		return nil, err
	}
	return ev, nil
}

// performed notes that the program has performed a choice, and checks the event.
func (g *Program) performed(c trace.Choice, ev *trace.Event) error {
	n := len(g.schedule)
	g.schedule = append(g.schedule, c)
	g.known = false
	g.steps.Add(1)
	switch {
	case ev == nil:
		return Wrong("Step has returned neither an event nor an error at step %d", n)
	case ev.G != c.G:
		return Wrong("the event of step %d is of goroutine %d, but goroutine %d was to move", n, ev.G, c.G)
	}
	if g.first {
		g.events = append(g.events, keepEvent(c, ev))
	}
	return nil
}

func keepEvent(c trace.Choice, ev *trace.Event) kept {
	return kept{c, ev.Op, slices.Clone(ev.Accesses())}
}

// Replay implements [trace.Run].
func (g *Program) Replay(s trace.Schedule) error {
	if err := g.stopped(); err != nil {
		return err
	}
	g.call(callReplay, func() { g.err = g.run.Replay(s) })
	g.replayed(s)
	g.steps.Add(int64(len(s)))
	return g.err
}

// replayed notes that the program has performed choices without returning their events.
func (g *Program) replayed(s trace.Schedule) {
	g.schedule = append(g.schedule, s...)
	g.known = false
	for len(g.events) < len(g.schedule) && g.first {
		g.events = append(g.events, kept{Choice: trace.Choice{G: -1}})
	}
}

// Drive implements [trace.Driver], by steps if the program does not.
func (g *Program) Drive(s trace.Schedule, decide func(*trace.Event) (trace.Choice, bool)) error {
	d, ok := g.run.(trace.Driver)
	if !ok {
		ev, err := (*trace.Event)(nil), error(nil)
		if len(s) > 0 || g.run == nil {
			err = g.Replay(s)
		}
		for err == nil {
			c, ok := decide(ev)
			if !ok {
				return nil
			}
			ev, err = g.Step(c)
		}
		return err
	}
	replayed := false // the schedule was replayed, and the engine makes the choices
	var latest trace.Choice
	g.call(callDrive, func() {
		err := d.Drive(s, func(ev *trace.Event) (trace.Choice, bool) {
			before := g.enter(callNone)
			defer g.enter(before)
			if !replayed {
				replayed = true
				g.replayed(s)
			} else if g.err = g.performed(latest, ev); g.err != nil {
				return trace.Choice{}, false
			}
			latest, ok = g.ask(ev, decide)
			return latest, ok
		})
		if g.err == nil {
			g.err = err
		}
	})
	if g.broken != nil {
		panic(g.broken)
	}
	return g.err
}

// ask asks the engine for a choice on behalf of a Driver. It keeps the value of a panic, since
// it may run on the stack of one of the program's goroutines.
func (g *Program) ask(ev *trace.Event, decide func(*trace.Event) (trace.Choice, bool)) (c trace.Choice, ok bool) {
	returned := false
	defer func() {
		if !returned {
			if r := recover(); r != nil {
				g.broken = &trace.DecidePanic{Value: r, Stack: debug.Stack()}
			}
			ok = false
		}
	}()
	c, ok = decide(ev)
	returned = true
	return c, ok && g.fits(c) == nil
}

// Len implements [trace.Run].
func (g *Program) Len() int { return len(g.schedule) }

// Outcome implements [trace.Run].
func (g *Program) Outcome() []trace.Failure {
	if g.run == nil {
		return g.failures
	}
	var fails []trace.Failure
	g.call(callOutcome, func() { fails = g.run.Outcome() })
	if g.limited {
		fails = append(slices.Clone(fails), g.overrun())
	}
	g.failures = fails
	return fails
}

// overrun returns the failure of an execution that exceeds the limit of steps. It blames the
// schedule if the schedule starves an enabled goroutine.
func (g *Program) overrun() trace.Failure {
	f := trace.Failure{Kind: trace.FailSteps, G: -1, Step: len(g.schedule) - 1,
		Msg: "the execution is longer than " + format.Counted(int64(g.maxSteps), "steps") + ": a cycle in the program, or more work than the limit allows; por.MaxSteps raises it"}
	later := g.schedule[len(g.schedule)/2:]
	for _, p := range g.pending {
		if !slices.ContainsFunc(later, func(c trace.Choice) bool { return c.G == p.G }) {
			f.Kind = trace.FailStarved
			f.Msg = fmt.Sprintf("the execution is longer than %s, and g%d could go on but was kept from it for the later half of them", format.Counted(int64(g.maxSteps), "steps"), p.G)
			break
		}
	}
	return f
}

// Close implements [trace.Run].
func (g *Program) Close() {
	if g.run == nil {
		return
	}
	run := g.run
	g.run = nil
	g.call(callClose, run.Close)
}

// Futile implements [trace.Futile].
func (g *Program) Futile() (futile bool) {
	if f, ok := g.run.(trace.Futile); ok && g.err == nil {
		g.call(callOutcome, func() { futile = f.Futile() })
	}
	return futile
}

// Patience implements [trace.Patient].
func (g *Program) Patience() (p trace.Patience, c trace.Choice) {
	if r, ok := g.run.(trace.Patient); ok && g.err == nil {
		g.call(callPending, func() { p, c = r.Patience() })
	}
	return p, c
}

// Interrupt is like that of [exec.Closure].
func (g *Program) Interrupt(on bool) { g.halted.Store(on) }

// Halted is like that of [exec.Closure].
func (g *Program) Halted() bool { return g.halted.Load() }

// Interrupted is like that of [exec.Closure].
func (g *Program) Interrupted() bool { return g.err == trace.ErrInterrupted }

// Progress returns a number that grows with every step. It may be called from another
// goroutine.
func (g *Program) Progress() int64 { return g.steps.Load() }

// Stuck reports whether a method of the program is running.
func (g *Program) Stuck() bool { return g.inside.Load() != int32(callNone) }

// StuckError returns the error that a method of the program has not returned for some time.
func (g *Program) StuckError(still time.Duration) error {
	return fmt.Errorf("the program's %v has not returned for %v. The search was given up; the goroutine that searches cannot be ended and stays behind. Raise the time with por.Watchdog if the program is only slow",
		guardCall(g.inside.Load()), still.Round(100*time.Millisecond))
}

// StateDependent describes an operation that has changed its accesses while it was pending, ""
// if none has.
func (g *Program) StateDependent() string { return g.stateDependent }

// Exited reports whether a method of the program has called runtime.Goexit.
func (g *Program) Exited() bool { return g.exited }

// Assumptions returns the assumptions of the program.
func (g *Program) Assumptions() []exec.Assumption {
	if a, ok := g.program.(exec.Assuming); ok {
		return a.Assumptions()
	}
	return nil
}

// Again is like that of [exec.Closure].
func (g *Program) Again() error {
	if g.run == nil {
		return trace.ErrClosed
	}
	schedule, events := slices.Clone(g.schedule), slices.Clone(g.events)
	g.Close()
	g.first = false
	g.Start()
	for i, c := range schedule {
		ev, err := g.Step(c)
		if err != nil {
			return err
		}
		if i >= len(events) || events[i].Choice != c {
			continue // replayed or not the first: only pending operations are compared
		}
		if was, is := describeEvent(&events[i]), describeKept(c, ev); was != is {
			g.err = &trace.DivergenceError{Step: i, Want: was, Got: is}
			return g.err
		}
	}
	if g.Pending(); !g.limited && len(g.pending) > 0 {
		g.err = &trace.DivergenceError{Step: len(schedule), Want: "the end of the execution", Got: goroutines(g.pending) + " can go on"}
	}
	return g.err
}

func describeKept(c trace.Choice, ev *trace.Event) string {
	k := keepEvent(c, ev)
	return describeEvent(&k)
}

// describeEvent formats the part of an event that must be the same in every run.
func describeEvent(k *kept) string {
	text := fmt.Sprintf("%v of object %d by g%d", k.op.Kind, k.op.Obj, k.G)
	if k.op.Alts > 1 {
		text += fmt.Sprintf(", alternative %d of %d", k.Alt, k.op.Alts)
	}
	for _, a := range k.accesses {
		text += fmt.Sprintf(", %v of %d", a.Mode, a.Obj)
	}
	return text
}
