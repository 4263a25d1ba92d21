package conformance

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// Subject is a program that the judge can tell the goroutines of.
type Subject interface {
	trace.Program
	// GoroutineName is the same in every execution of every instance.
	GoroutineName(trace.ID) uint64
	// Results stands for what the execution has returned so far.
	Results() uint64
	ResultsText() string
}

// tracer is a Program between an engine and another Program. It notes the events
// of executions and computes what happens before what, by the definition: an event
// comes after those of its goroutine, those in its Order, those that it depends
// on, and all that these come after. What executions share from their start on is
// computed once.
type tracer struct {
	Subject
	run    trace.Run
	n      int     // events of the execution
	events []event // the events, then more of an execution before that agrees up to here
	long   bool    // an execution had more events than can be kept
	err    error   // an event breaks the rules of the seam

	needless bool // engines see which races need not be reversed

	// Of two events that depend on each other, Apart reports whether that is to be left out, for
	// tests of the judge; nil for no.
	apart func(a, b *event) bool
}

// mostEvents is how many events of an execution there can be.
const mostEvents = 64

type event struct {
	trace.Choice
	kind     trace.Kind
	accesses []trace.Access
	id       uint64 // of the goroutine and the event's place in it
	before   uint64 // the set of events before it
	sum      uint64 // of the hashes of events up to this one
	seq      int
}

// Unwrap returns the program, which may be able to name its states.
func (t *tracer) Unwrap() trace.Program { return t.Subject }

// Start implements trace.Program.
func (t *tracer) Start() trace.Run {
	t.run, t.n = t.Subject.Start(), 0
	return t
}

func (t *tracer) Pending() []*trace.Op     { return t.run.Pending() }
func (t *tracer) Len() int                 { return t.run.Len() }
func (t *tracer) Outcome() []trace.Failure { return t.run.Outcome() }
func (t *tracer) Close()                   { t.run.Close() }

// Step implements trace.Run.
func (t *tracer) Step(c trace.Choice) (*trace.Event, error) {
	ev, err := t.run.Step(c)
	if err == nil {
		t.note(c, ev)
	}
	return ev, err
}

// known returns how many events of a schedule are those that are known.
func (t *tracer) known(s trace.Schedule) int {
	for i, c := range s {
		if t.n+i >= len(t.events) || t.events[t.n+i].Choice != c {
			return i
		}
	}
	return len(s)
}

// Replay implements trace.Run. What is not known is performed step by step.
func (t *tracer) Replay(s trace.Schedule) error {
	k := t.known(s)
	if err := t.run.Replay(s[:k]); err != nil {
		return err
	}
	t.n += k
	for _, c := range s[k:] {
		if _, err := t.Step(c); err != nil {
			return err
		}
	}
	return nil
}

// Drive implements trace.Driver.
func (t *tracer) Drive(s trace.Schedule, decide func(*trace.Event) (trace.Choice, bool)) error {
	d, ok := t.run.(trace.Driver)
	if k := t.known(s); !ok || k < len(s) {
		if err := t.Replay(s); err != nil {
			return err
		}
		s = nil
	} else {
		t.n += k
	}
	var c trace.Choice
	begun := false
	next := func(ev *trace.Event) (choice trace.Choice, more bool) {
		if begun {
			t.note(c, ev)
		}
		begun = true
		c, more = decide(ev)
		return c, more
	}
	if ok {
		return d.Drive(s, next)
	}
	var ev *trace.Event
	for {
		c, more := next(ev)
		if !more {
			return nil
		}
		var err error
		if ev, err = t.run.Step(c); err != nil {
			return err
		}
	}
}

// note makes ev, which c chose, the latest event.
func (t *tracer) note(c trace.Choice, ev *trace.Event) {
	if !t.needless {
		ev.Needless = nil
	}
	if t.n < len(t.events) && t.events[t.n].Choice == c {
		t.n++
		return
	}
	if t.n >= mostEvents {
		t.long = true
		return
	}
	if t.n == cap(t.events) {
		t.events = append(make([]event, 0, mostEvents), t.events...)
	}
	t.events = t.events[:t.n+1]
	e := &t.events[t.n]
	*e = event{Choice: c, kind: ev.Kind, accesses: append(e.accesses[:0], ev.Accesses()...)}
	t.order(e, ev)
	name := t.GoroutineName(c.G)
	e.id = mix(name ^ uint64(e.seq))
	if t.n > 0 {
		e.sum = t.events[t.n-1].sum
	}
	past := uint64(0)
	for m := e.before; m != 0; m &= m - 1 {
		past += t.events[bits.TrailingZeros64(m)].id
	}
	e.sum += mix(mix(e.id^uint64(c.Alt+1)) ^ mix(past))
	t.n++
}

// order finds out what happens before e, which is ev.
func (t *tracer) order(e *event, ev *trace.Event) {
	if ev.G != e.G || ev.Alt != e.Alt {
		t.err = fmt.Errorf("asked for %v, event %d is of goroutine %d and alternative %d", e.Choice, t.n, ev.G, ev.Alt)
	}
	for _, o := range ev.Order {
		if o < 0 || int(o) >= t.n {
			t.err = fmt.Errorf("event %d, %v, comes after event %d", t.n, &ev.Op, o)
			continue
		}
		e.before |= t.events[o].before | 1<<o
	}
	e.seq = 1
	for i := t.n - 1; i >= 0; i-- {
		f := &t.events[i]
		own := f.G == e.G
		if own && e.seq == 1 {
			e.seq = f.seq + 1
		}
		if e.before>>i&1 == 0 && (own || trace.Dependence.Dependent(f.accesses, e.accesses) && (t.apart == nil || !t.apart(f, e))) {
			e.before |= f.before | 1<<i
		}
	}
}

// fingerprint is a number that two executions share exactly if they are of one
// trace: the same events in the same order of what happens before what.
func (t *tracer) fingerprint() uint64 {
	if t.n == 0 {
		return 0
	}
	return mix(t.events[t.n-1].sum ^ uint64(t.n))
}

// schedule returns what leads to where the execution is.
func (t *tracer) schedule() trace.Schedule {
	s := make(trace.Schedule, t.n)
	for i := range s {
		s[i] = t.events[i].Choice
	}
	return s
}

// matches reports whether s leads to where the execution is.
func (t *tracer) matches(s trace.Schedule) bool {
	return slices.EqualFunc(s, t.events[:t.n], func(c trace.Choice, e event) bool { return c == e.Choice })
}

// extensions counts the linear extensions of what happens before what in the
// execution, up to a limit.
func (t *tracer) extensions(limit int64) (n int64) {
	all := uint64(1)<<t.n - 1
	if t.n == mostEvents {
		all = ^uint64(0)
	}
	var count func(done uint64)
	count = func(done uint64) {
		if done == all {
			n++
			return
		}
		for m := all &^ done; m != 0 && n <= limit; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if t.events[i].before&^done == 0 {
				count(done | 1<<i)
			}
		}
	}
	count(0)
	return n
}
