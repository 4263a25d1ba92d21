// Package trial runs executions step by step: along a schedule, or as a script says, and notes what has come of them.
package trial

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/gopor/gopor/internal/guard"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// Glance is the number of steps between two looks at the clock.
const Glance = 1 << 10

// Trial is an execution that was run to its end step by step.
type Trial struct {
	Schedule  trace.Schedule
	Kinds     []trace.Kind // of the events
	Preempted []int        // the events that are preemptions, ascending
	Failures  []trace.Failure
	Primary   trace.Failure // the first failure by rank, zero if there is none

	// steps and preemptions measure the execution up to where the failure shows.
	Steps, Preemptions int

	Delay sched.Delay // by lag, up to there, if that is known

	Conflicts *Conflicts // of the events, nil if they are not known
}

// Simpler reports whether t is to be preferred to u.
func (t *Trial) Simpler(u *Trial) bool {
	if t.Preemptions != u.Preemptions {
		return t.Preemptions < u.Preemptions
	}
	return t.Steps < u.Steps
}

// add appends a choice that performed an operation of that kind.
func (t *Trial) add(c trace.Choice, kind trace.Kind, preempts bool) {
	if preempts {
		t.Preempted = append(t.Preempted, len(t.Schedule))
	}
	t.Schedule = append(t.Schedule, c)
	t.Kinds = append(t.Kinds, kind)
}

// Judge ends the trial with its failures.
func (t *Trial) Judge(failures []trace.Failure) {
	t.Failures = slices.Clone(failures)
	t.Steps, t.Preemptions = len(t.Schedule), len(t.Preempted)
	if len(failures) == 0 {
		return
	}
	t.SpeakOf(Primary(failures))
}

// SpeakOf makes a failure of the trial the one that it is about.
func (t *Trial) SpeakOf(f trace.Failure) {
	t.Primary = f
	t.Steps, t.Preemptions = len(t.Schedule), len(t.Preempted)
	if at := f.Step; at >= 0 && at < len(t.Schedule) && Shows(f.Kind) {
		t.Steps = at + 1
		t.Preemptions, _ = slices.BinarySearch(t.Preempted, t.Steps)
	}
}

// Shows reports whether a failure of the trial is a certain one, and makes that the one
// that the trial is about.
func (t *Trial) Shows(same func(trace.Failure) bool) bool {
	if len(t.Failures) > 0 && same(t.Primary) {
		return true
	}
	i := slices.IndexFunc(t.Failures, same)
	if i >= 0 {
		t.SpeakOf(t.Failures[i])
	}
	return i >= 0
}

// Fair reports whether the trial fails, and that is not on account of its schedule alone.
func (t *Trial) Fair() bool { return len(t.Failures) > 0 && t.Primary.Kind != trace.FailStarved }

// IsRace reports whether a failure is a data race.
func IsRace(f trace.Failure) bool { return f.Kind == trace.FailRace }

// Shows reports whether a failure of that kind shows in the event that it
// names, rather than at the end of the execution.
func Shows(k trace.FailureKind) bool {
	switch k {
	case trace.FailPanic, trace.FailFatal, trace.FailAssertion, trace.FailRace:
		return true
	}
	return false
}

// Primary returns the failure to speak of: one that shows in an event before one
// that is only seen when no goroutine can go on, which may be its consequence.
func Primary(failures []trace.Failure) trace.Failure {
	for _, f := range failures {
		if Shows(f.Kind) {
			return f
		}
	}
	return failures[0]
}

// NoGoroutine stands for the goroutine that moved before the first step.
const NoGoroutine trace.ID = -1

// Guide runs an execution along a schedule. A choice that cannot be made is
// left out, and after the last one the goroutine that moved last goes on as long
// as it can, the lowest ready one after it. If limit is not nil and the execution
// is not simpler, the result is false, and the execution may have been given up.
// So it is when over, which may be nil, says true, and after an error in
// performing a step.
func Guide(p trace.Program, want trace.Schedule, limit *Trial, over func() bool) (*Trial, bool) {
	r := p.Start()
	defer r.Close()
	t := &Trial{Schedule: make(trace.Schedule, 0, len(want))}
	last := NoGoroutine
	for {
		ops := r.Pending()
		if len(ops) == 0 {
			break
		}
		if limit != nil && (len(t.Preempted) > limit.Preemptions || len(t.Schedule) > 2*len(limit.Schedule)) {
			return t, false
		}
		if len(t.Schedule)%Glance == Glance-1 && over != nil && over() {
			return t, false
		}
		lastReady := PendingOf(ops, last)
		var op *trace.Op
		var c trace.Choice
		for op == nil && len(want) > 0 {
			c, want = want[0], want[1:]
			if op = chosen(r, ops, c); op != nil && c.Alt >= op.Alts {
				op = nil
			}
		}
		if op == nil {
			if op = lastReady; op == nil {
				op = firstOf(ops)
			}
			c = trace.Choice{G: op.G}
		}
		t.add(c, op.Kind, lastReady != nil && c.G != last)
		if _, err := r.Step(c); err != nil {
			return t, false
		}
		last = c.G
	}
	t.Judge(r.Outcome())
	return t, limit == nil || t.Simpler(limit)
}

// Hasten runs an execution along a schedule that may have code later than the lag allows. Where a choice of the
// schedule cannot be made, such as a move of the clock, the next stretch that can go on comes first. The result is false if
// the execution gets too long, or is given up since over says true.
func Hasten(p trace.Program, want trace.Schedule, over func() bool) (*Trial, bool) {
	r := p.Start()
	defer r.Close()
	t := &Trial{Schedule: make(trace.Schedule, 0, len(want))}
	last, most := NoGoroutine, 2*len(want)
	for ops := r.Pending(); len(ops) > 0; ops = r.Pending() {
		if len(t.Schedule) > most || over() {
			return t, false
		}
		lastReady := PendingOf(ops, last)
		op := cmp.Or(lastReady, firstOf(ops))
		c := trace.Choice{G: op.G}
		if want = possible(r, ops, want); len(want) > 0 {
			op, c, want = chosen(r, ops, want[0]), want[0], want[1:]
		}
		t.add(c, op.Kind, lastReady != nil && c.G != last)
		if _, err := r.Step(c); err != nil {
			return t, false
		}
		last = c.G
	}
	t.Judge(r.Outcome())
	return t, true
}

// possible returns a schedule from the first stretch on that can go on, with what comes before that after it.
func possible(r trace.Run, ops []*trace.Op, want trace.Schedule) trace.Schedule {
	next := slices.IndexFunc(want, func(c trace.Choice) bool {
		op := chosen(r, ops, c)
		return op != nil && c.Alt < op.Alts
	})
	switch {
	case next < 0:
		return nil
	case next == 0:
		return want
	}
	after := Stretch(want, next)
	return slices.Concat(want[next:after], want[:next], want[after:])
}

// Stretch returns where the stretch of one goroutine that begins at i ends.
func Stretch(s trace.Schedule, i int) int {
	end := i + 1
	for end < len(s) && s[end].G == s[i].G {
		end++
	}
	return end
}

// chosen returns the operation that c chooses, of those that are pending, or to let time pass; nil
// if there is none.
func chosen(r trace.Run, ops []*trace.Op, c trace.Choice) *trace.Op {
	op := PendingOf(ops, c.G)
	if op == nil && guard.Passes(r, c) {
		op = &trace.Op{G: c.G, Kind: trace.OpAdvance, Alts: 1}
	}
	return op
}

// firstOf returns the operation to go on with, where nothing says which: not the clock's
// next move, if there is another one.
func firstOf(ops []*trace.Op) *trace.Op {
	for _, op := range ops {
		if op.Kind != trace.OpAdvance {
			return op
		}
	}
	return ops[0]
}

// PendingOf returns the operation of goroutine g, nil if g is not ready.
func PendingOf(ops []*trace.Op, g trace.ID) *trace.Op {
	for _, op := range ops {
		if op.G == g {
			return op
		}
	}
	return nil
}

// DelayOf returns by how much an execution of p has had code late until it has failed.
func DelayOf(p any, f trace.Failure, steps int) sched.Delay {
	c, ok := p.(*sched.Closure)
	if !ok {
		return sched.Delay{}
	}
	if f.Step >= 0 && Shows(f.Kind) {
		steps = f.Step
	}
	return c.Delay(steps)
}

// Follow runs exactly the execution of a script. The error is a
// [*trace.DivergenceError] if the program does anything else. The run is closed
// when follow returns.
func Follow(p trace.Program, s replay.Script) (*Trial, error) {
	n := PathsOf(p)
	want := s.Schedule(n)
	r := p.Start()
	defer r.Close()
	t := &Trial{Schedule: make(trace.Schedule, 0, len(want)), Conflicts: NewConflicts(len(want))}
	last := NoGoroutine
	for i, c := range want {
		ops := r.Pending()
		op := chosen(r, ops, c)
		if err := fits(n, s.Moves[i], i, ops, op); err != nil {
			return t, err
		}
		kind, preempts := op.Kind, c.G != last && PendingOf(ops, last) != nil
		ev, err := r.Step(c)
		if err != nil {
			return t, err
		}
		t.Conflicts.Add(ev)
		t.add(c, kind, preempts)
		last = c.G
	}
	t.Judge(r.Outcome())
	if ops := r.Pending(); len(ops) > 0 {
		return t, &trace.DivergenceError{
			Step: len(want),
			Want: "the end of the execution",
			Got:  describeOp(n, ops[0]),
		}
	}
	return t, nil
}

// fits reports, as an error, how the pending operations differ from what event
// i of a script calls for; op is the one of the goroutine that is to move.
func fits(n replay.Paths, m replay.Move, i int, ops []*trace.Op, op *trace.Op) error {
	sameKind := op != nil && (op.Kind == m.Kind || m.Kind == trace.OpNone)
	if sameKind && m.Alt < op.Alts {
		return nil
	}
	name := n.Name(n.Lookup(m.Path))
	d := &trace.DivergenceError{Step: i, Want: fmt.Sprintf("%v by %s", m.Kind, name)}
	if m.Kind == trace.OpNone {
		d.Want = "a step of " + name
	}
	switch {
	case op == nil && len(ops) == 0:
		d.Got = "the execution is over"
	case op == nil:
		d.Got = fmt.Sprintf("%s is not ready there; %s", name, describeOp(n, ops[0]))
	case !sameKind:
		d.Got = describeOp(n, op)
	default:
		d.Want = fmt.Sprintf("alternative %d of %s", m.Alt, d.Want)
		d.Got = fmt.Sprintf("there are %d alternatives", op.Alts)
	}
	return d
}

// describeOp says what a goroutine is about to do, and where if that is known.
func describeOp(n replay.Paths, op *trace.Op) string {
	text := fmt.Sprintf("%s is about to %v", n.Name(op.G), op.Kind)
	if op.PC != 0 {
		f, _ := runtime.CallersFrames([]uintptr{op.PC}).Next()
		if f.File != "" {
			text += fmt.Sprintf(" at %s:%d", filepath.Base(f.File), f.Line)
		}
	}
	return text
}

// PathsOf returns what a program calls its goroutines in any process.
func PathsOf(p trace.Program) replay.Paths {
	if g, ok := p.(*guard.Program); ok {
		p = g.Unwrap()
	}
	if n, ok := p.(replay.Paths); ok {
		return n
	}
	return replay.Numbering{}
}
