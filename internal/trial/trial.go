// Package trial runs executions step by step, along a schedule or a script, and records their
// results.
package trial

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/gopor/gopor/internal/guard"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Glance is the number of steps between checks of the clock.
const Glance = 1 << 10

// Trial is an execution that was run step by step to its end.
type Trial struct {
	Schedule  trace.Schedule
	Kinds     []trace.Kind // of the events
	Preempted []int        // indexes of the events that are preemptions, ascending
	Failures  []trace.Failure
	Primary   trace.Failure // the first failure by rank, zero if there is none

	// Steps and Preemptions count up to the event in which the failure shows.
	Steps, Preemptions int

	Delay exec.Delay // with TimeLag, up to that event, if known

	Conflicts *Conflicts // of the events, nil if unknown
}

// Simpler reports whether t is simpler than u.
func (t *Trial) Simpler(u *Trial) bool {
	if t.Preemptions != u.Preemptions {
		return t.Preemptions < u.Preemptions
	}
	return t.Steps < u.Steps
}

// add appends a choice with the kind of the operation performed.
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

// SpeakOf makes f the primary failure.
func (t *Trial) SpeakOf(f trace.Failure) {
	t.Primary = f
	t.Steps, t.Preemptions = len(t.Schedule), len(t.Preempted)
	if at := f.Step; at >= 0 && at < len(t.Schedule) && Shows(f.Kind) {
		t.Steps = at + 1
		t.Preemptions, _ = slices.BinarySearch(t.Preempted, t.Steps)
	}
}

// Shows reports whether the trial has the failure that same accepts, and makes it the primary
// failure.
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

// Fair reports whether the trial fails, and not only because of an unfair schedule.
func (t *Trial) Fair() bool { return len(t.Failures) > 0 && t.Primary.Kind != trace.FailStarved }

// IsRace reports whether a failure is a data race.
func IsRace(f trace.Failure) bool { return f.Kind == trace.FailRace }

// Shows reports whether failures of a kind show in the event that they name, rather than at the
// end of the execution.
func Shows(k trace.FailureKind) bool {
	switch k {
	case trace.FailPanic, trace.FailFatal, trace.FailAssertion, trace.FailRace:
		return true
	}
	return false
}

// Primary returns the most significant failure: one that shows in an event, rather than one at
// the end of the execution, which may be a consequence.
func Primary(failures []trace.Failure) trace.Failure {
	for _, f := range failures {
		if Shows(f.Kind) {
			return f
		}
	}
	return failures[0]
}

// NoGoroutine stands for the goroutine of the event before the first.
const NoGoroutine trace.ID = -1

// Guide runs an execution along a schedule. It omits impossible choices. After the last choice
// the goroutine of the last event continues as long as it can, then the lowest enabled
// goroutine, and so on. If limit is not nil and the execution is not simpler, the result is
// false, and the execution may have been abandoned. The result is also false if over, which may
// be nil, returns true, and after an error of a step.
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
	if limit != nil && !Shows(limit.Primary.Kind) {
		// Such a failure shows at the end, and takes long to find out if it is a leak.
		t.Steps, t.Preemptions = len(t.Schedule), len(t.Preempted)
		if !t.Simpler(limit) {
			return t, false
		}
	}
	t.Judge(r.Outcome())
	return t, limit == nil || t.Simpler(limit)
}

// Hasten runs an execution along a schedule that may delay code longer than the lag allows. If
// a choice is not possible, such as a move of the clock, the next stretch that can run comes
// first. The result is false if the execution becomes too long, or if over returns true.
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

// possible returns a schedule that begins with the first stretch that can run, followed by the
// stretches before it and those after it.
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

// Stretch returns the end of the stretch of one goroutine that begins at i.
func Stretch(s trace.Schedule, i int) int {
	end := i + 1
	for end < len(s) && s[end].G == s[i].G {
		end++
	}
	return end
}

// chosen returns the pending operation that c chooses, or the passing of time; nil if c is not
// possible.
func chosen(r trace.Run, ops []*trace.Op, c trace.Choice) *trace.Op {
	op := PendingOf(ops, c.G)
	if op == nil && guard.Passes(r, c) {
		op = &trace.Op{G: c.G, Kind: trace.OpAdvance, Alts: 1}
	}
	return op
}

// firstOf returns the default operation: the first that is not the clock's next move, if there
// is one.
func firstOf(ops []*trace.Op) *trace.Op {
	for _, op := range ops {
		if op.Kind != trace.OpAdvance {
			return op
		}
	}
	return ops[0]
}

// PendingOf returns the pending operation of goroutine g, nil if g is not enabled.
func PendingOf(ops []*trace.Op, g trace.ID) *trace.Op {
	for _, op := range ops {
		if op.G == g {
			return op
		}
	}
	return nil
}

// DelayOf returns the delay of code in an execution of p up to its failure.
func DelayOf(p any, f trace.Failure, steps int) exec.Delay {
	c, ok := p.(*exec.Closure)
	if !ok {
		return exec.Delay{}
	}
	if f.Step >= 0 && Shows(f.Kind) {
		steps = f.Step
	}
	return c.Delay(steps)
}

// Follow runs exactly the execution of a script. The error is a [*trace.DivergenceError] if the
// program deviates. The run is closed when Follow returns.
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

// fits returns an error if the pending operations do not fit event i of a script. op is the
// pending operation of the event's goroutine.
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

// describeOp describes the next operation of a goroutine, with its position if known.
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

// PathsOf returns the paths of the goroutines of a program.
func PathsOf(p trace.Program) replay.Paths {
	if g, ok := p.(*guard.Program); ok {
		p = g.Unwrap()
	}
	if n, ok := p.(replay.Paths); ok {
		return n
	}
	return replay.Numbering{}
}
