package trace

import (
	"fmt"
	"slices"
)

// CheckLaws returns a program that does what p does, and checks at every step that p keeps the
// laws listed at [Program]. A Run that breaks a law returns a [*LawError] from the step that
// shows it, and from all later ones. So does the engine that drives it. A choice that is not
// pending is refused, with a [*DivergenceError], before p sees it.
//
// The check covers the executions that were run, each compared with those before it. So use it
// with an engine, first of all with one that runs all interleavings. A step takes several times
// as long. The Run has a method Unwrap, which returns that of p.
func CheckLaws(p Program) Program { return &lawful{program: p} }

type lawful struct {
	program Program
	before  []lawEvent // the execution before this one
}

// lawEvent is the part of an event that is kept.
type lawEvent struct {
	op  Op
	alt int32
}

// Start implements [Program].
func (l *lawful) Start() Run {
	r := &lawfulRun{Run: l.program.Start(), program: l, hb: NewTracker(Dependence), same: true}
	if d, ok := r.Run.(Driver); ok {
		return &lawfulDriver{r, d}
	}
	return r
}

// lawfulRun is a Run that is checked.
type lawfulRun struct {
	Run
	program *lawful
	err     error
	ops     []Op  // pending now, or before the event
	before  []Op  // pending before the latest event
	begun   bool  // ops was set
	since   []int // by goroutine, 1 + the event that has made its operation pending
	hb      *Tracker
	same    bool // the execution agrees with the one before so far
	union   []Access
}

// Unwrap returns the checked program.
func (l *lawful) Unwrap() Program { return l.program }

// Unwrap returns the checked run.
func (r *lawfulRun) Unwrap() Run { return r.Run }

// Pending implements [Run].
func (r *lawfulRun) Pending() []*Op {
	if r.err != nil || r.look() != nil {
		return nil
	}
	return r.Run.Pending()
}

// Step implements [Run].
func (r *lawfulRun) Step(c Choice) (*Event, error) {
	if err := r.admits(c); err != nil {
		return nil, err
	}
	ev, err := r.Run.Step(c)
	if err != nil {
		return nil, err
	}
	return ev, r.judge(c, ev)
}

// Replay implements [Run].
func (r *lawfulRun) Replay(s Schedule) error {
	for _, c := range s {
		if _, err := r.Step(c); err != nil {
			return err
		}
	}
	return nil
}

// Futile implements [Futile].
func (r *lawfulRun) Futile() bool {
	f, ok := r.Run.(Futile)
	return ok && r.err == nil && f.Futile()
}

// lawfulDriver is a Driver that is checked.
type lawfulDriver struct {
	*lawfulRun
	driver Driver
}

// Drive implements [Driver].
func (r *lawfulDriver) Drive(s Schedule, decide func(*Event) (Choice, bool)) error {
	if err := r.Replay(s); err != nil {
		return err
	}
	var wrong error
	var c Choice
	err := r.driver.Drive(nil, func(ev *Event) (choice Choice, ok bool) {
		if ev != nil {
			if wrong = r.judge(c, ev); wrong != nil {
				return c, false
			}
		}
		if c, ok = decide(ev); ok {
			wrong = r.admits(c)
		}
		return c, ok && wrong == nil
	})
	if wrong != nil {
		return wrong
	}
	return err
}

// admits returns an error if choice c cannot be made.
func (r *lawfulRun) admits(c Choice) error {
	if r.err == nil && !r.begun {
		r.look()
	}
	if r.err != nil {
		return r.err
	}
	for i := range r.ops {
		if op := &r.ops[i]; op.G == c.G && c.Alt >= 0 && c.Alt < op.Alts {
			return nil
		}
	}
	return &DivergenceError{Step: r.Len(), Want: fmt.Sprintf("alternative %d of goroutine %d", c.Alt, c.G), Got: "that is not pending"}
}

// look sets ops to the pending operations and checks them.
func (r *lawfulRun) look() error {
	r.begun = true
	r.ops = r.ops[:0]
	for _, op := range r.Run.Pending() {
		if n := len(r.ops); n > 0 && r.ops[n-1].G >= op.G {
			return r.breaks(LawPending, nil, op, nil, "g%d is listed after g%d; Pending has to list every goroutine once, in ascending order", op.G, r.ops[n-1].G)
		}
		if op.G < 0 || op.Alts < 1 {
			return r.breaks(LawPending, nil, op, nil, "%s has %d alternatives; a goroutine's number is not negative, and there is at least one alternative", op.text(), op.Alts)
		}
		for _, a := range op.Accesses() {
			if a.Obj < 0 && a.Obj != Everything || a.Mode >= MaxModes {
				return r.breaks(LawPending, nil, op, []int32{a.Obj}, "%s: there is no such access", op.text())
			}
		}
		r.ops = append(r.ops, *op)
		for int(op.G) >= len(r.since) {
			r.since = append(r.since, 0)
		}
	}
	return nil
}

// breaks returns the error that the event of operation ev breaks a law. A nil ev stands for the
// beginning.
func (r *lawfulRun) breaks(l Law, ev, pending *Op, objects []int32, format string, args ...any) error {
	e := &LawError{Law: l, Step: max(0, r.hb.Len()-1), Event: Op{G: -1}, Pending: Op{G: -1}, Objects: objects, Msg: fmt.Sprintf(format, args...)}
	if ev != nil {
		e.Event = *ev
	}
	if pending != nil {
		e.Pending = *pending
	}
	r.err = e
	return e
}

// judge checks the event of choice c, and the operations pending after it.
func (r *lawfulRun) judge(c Choice, ev *Event) error {
	n := r.hb.Len()
	i := slices.IndexFunc(r.ops, func(o Op) bool { return o.G == c.G })
	op := r.ops[i]
	if ev.G != c.G || ev.Alt != c.Alt || ev.Kind != op.Kind || !sameUses(&ev.Op, &op) || r.Len() != n+1 {
		return r.breaks(LawEvent, &ev.Op, nil, nil, "the choice was alternative %d of %s, and it is event %d; the event is alternative %d of %s, and Len is %d",
			c.Alt, op.text(), n, ev.Alt, ev.Op.text(), r.Len())
	}
	for _, o := range ev.Order {
		if o < 0 || int(o) >= n {
			return r.breaks(LawOrder, &ev.Op, nil, nil, "event %d of %s is to come after event %d; Order lists earlier events", n, ev.Op.text(), o)
		}
	}
	r.hb.Push(int32(ev.G), ev.Accesses(), ev.Order)
	if s := r.since[ev.G] - 1; s >= 0 && r.hb.G(s) != int32(ev.G) && !r.hb.Before(s, n) {
		return r.breaks(LawOrder, &ev.Op, nil, nil, "%s was made pending by event %d, of goroutine %d, and does not come after it; list that event in Order", ev.Op.text(), s, r.hb.G(s))
	}
	if err := r.repeats(n, ev); err != nil {
		return err
	}
	r.ops, r.before = r.before, r.ops
	if err := r.look(); err != nil {
		return err
	}
	return r.compare(n, ev)
}

// repeats checks that event n is the one to which the same choices led before.
func (r *lawfulRun) repeats(n int, ev *Event) error {
	is, l := lawEvent{ev.Op, ev.Alt}, r.program
	if r.same && n < len(l.before) {
		was := l.before[n]
		if was.op.G == is.op.G && was.alt == is.alt {
			if was.op.Kind != is.op.Kind || !sameUses(&was.op, &is.op) {
				return r.breaks(LawRepeat, &ev.Op, nil, nil, "it is %s, and was %s in the execution before, after the same choices; a program must not depend on anything else", is.op.text(), was.op.text())
			}
			return nil
		}
	}
	r.same = false
	l.before = append(l.before[:min(n, len(l.before))], is)
	return nil
}

// compare checks the changes that event n has made to the operations pending before it.
func (r *lawfulRun) compare(n int, ev *Event) error {
	for i := range r.ops {
		g := r.ops[i].G
		if g == ev.G || !slices.ContainsFunc(r.before, func(o Op) bool { return o.G == g }) {
			r.since[g] = n + 1
		}
	}
	if len(r.ops) == 0 {
		return nil // the execution is over, perhaps at a limit
	}
	for i := range r.before {
		was := &r.before[i]
		if was.G == ev.G {
			continue
		}
		j := slices.IndexFunc(r.ops, func(o Op) bool { return o.G == was.G })
		if j < 0 {
			return r.breaks(LawEnabled, &ev.Op, was, nil, "%s has ended the pending %s; a request stays until it is made, and waits if it cannot be granted", ev.Op.text(), was.text())
		}
		if err := r.changed(ev, was, &r.ops[j]); err != nil {
			return err
		}
	}
	return nil
}

// changed checks the change of one pending operation by an event.
func (r *lawfulRun) changed(ev *Event, was, is *Op) error {
	if was.Kind != is.Kind {
		return r.breaks(LawEnabled, &ev.Op, was, nil, "%s has made the pending %s another operation, %s", ev.Op.text(), was.text(), is.text())
	}
	if was.Alts == is.Alts && sameUses(was, is) {
		return nil
	}
	if ev.Quiet {
		return r.breaks(LawHonesty, &ev.Op, was, differing(was, is), "%s promises to be quiet and has changed the pending %s, with %d alternatives, to %s, with %d; do not set Quiet",
			ev.Op.text(), was.text(), was.Alts, is.text(), is.Alts)
	}
	if !Dependent(&ev.Op, was) || !Dependent(&ev.Op, is) {
		return r.breaks(LawHonesty, &ev.Op, was, differing(was, is), "%s has changed the pending %s, with %d alternatives, to %s, with %d; where an event changes an operation, they depend on each other as it was and as it is: say what it looks at",
			ev.Op.text(), was.text(), was.Alts, is.text(), is.Alts)
	}
	r.union = append(append(r.union[:0], ev.Accesses()...), is.Accesses()...)
	for _, a := range was.Accesses() {
		if !Dependence.Covered(a, r.union) {
			return r.breaks(LawFootprints, &ev.Op, was, []int32{a.Obj}, "%s takes the use of %s from the pending %s, which is %s then, and does not depend itself on all that this use depends on; let the event use %s in the same way, or the operation keep that",
				ev.Op.text(), accessText(a), was.text(), is.text(), accessText(a))
		}
	}
	return nil
}

// differing returns the objects that one of two operations uses and the other does not use in
// the same way.
func differing(a, b *Op) (objects []int32) {
	for _, x := range a.Accesses() {
		if !slices.Contains(b.Accesses(), x) {
			objects = append(objects, x.Obj)
		}
	}
	for _, x := range b.Accesses() {
		if !slices.Contains(a.Accesses(), x) && !slices.Contains(objects, x.Obj) {
			objects = append(objects, x.Obj)
		}
	}
	return objects
}

// sameUses reports whether two operations have the same accesses, in any order.
func sameUses(a, b *Op) bool {
	return slices.Equal(a.Accesses(), b.Accesses()) || len(differing(a, b)) == 0
}
