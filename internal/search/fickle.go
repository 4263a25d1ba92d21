package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// Fickle holds the operations pending in a state that may use their objects in
// another way later.
type Fickle []Sleeper

// mostFickle is how many pending operations a state keeps some of. To keep more
// takes memory quadratic in the number of goroutines; without, UsesAfter runs the
// program once more.
const mostFickle = 128

// Note makes f those of the pending operations that are not steady.
func (f *Fickle) Note(ops []*trace.Op) {
	*f = (*f)[:0]
	if len(ops) > mostFickle {
		return
	}
	for _, op := range ops {
		if op.Footprint != trace.SteadyFootprint {
			f.add(op)
		}
	}
}

// NoteLosers makes f those of the pending operations that might lose a use against the
// law of footprints: open ones, and those of several objects that are not steady.
func (f *Fickle) NoteLosers(ops []*trace.Op) {
	*f = (*f)[:0]
	if len(ops) > mostFickle {
		return
	}
	for _, op := range ops {
		if op.Footprint == trace.OpenFootprint || op.Footprint == trace.LawfulFootprint && len(op.Accesses()) > 1 {
			f.add(op)
		}
	}
}

func (f *Fickle) add(op *trace.Op) {
	z := Sleeper{Choice: trace.Choice{G: op.G}}
	z.Uses.Set(op.Accesses())
	*f = append(*f, z)
}

// UsesAfter returns what the operation of event second uses when it comes after the
// first k events and the events then, in the place of where it is. Fickle are the
// operations pending after the first k events: if it was among them, and nothing in
// then touches upon it, it is known; else the program is asked.
func (t *Trail) UsesAfter(k int, then []int32, fickle Fickle, second int) Uses {
	ev := &t.Events[second]
	if u := t.pendingAfter(then, fickle, ev.G); u != nil {
		return *u
	}
	probe := append(trace.Schedule(nil), t.Schedule[:k]...)
	for _, j := range then {
		probe = append(probe, t.Events[j].Choice)
	}
	uses := ev.Uses
	for _, op := range t.PendingAfter(probe) {
		if op.G == ev.G {
			uses.Set(slices.Clone(op.Accesses()))
		}
	}
	if uses.OfBytes() {
		uses.Like(&ev.Uses)
	} else if uses.n == ev.Uses.n { // the same objects, which may have had other numbers there
		for i, a := range ev.Uses.List() {
			uses.Access(i).Obj = a.Obj
		}
	}
	return uses
}

// pendingAfter returns what the operation of g uses that is among fickle, if it
// stays as it is during then.
func (t *Trail) pendingAfter(then []int32, fickle Fickle, g trace.ID) *Uses {
	for i := range fickle {
		p := &fickle[i]
		if p.G != g {
			continue
		}
		for _, j := range then {
			if x := &t.Events[j]; x.G == g || t.Dependent(&p.Uses, &x.Uses) {
				return nil
			}
		}
		return &p.Uses
	}
	return nil
}

// Takes reports whether an event that uses u takes an access from the operation of
// event second, against the law of footprints (see trace.Program). Fickle are the
// operations pending before it, and second is the first event of its goroutine
// after them.
func (t *Trail) Takes(u *Uses, fickle Fickle, second *Performed) bool {
	for i := range fickle {
		was := &fickle[i]
		if was.G != second.G || was.Uses.Equal(&second.Uses) {
			continue
		}
		left := append(slices.Clone(u.List()), second.Uses.List()...)
		for _, a := range was.Uses.List() {
			if !trace.Dependence.Covered(a, left) {
				return true
			}
		}
	}
	return false
}

// LateFrom returns the number below which objects are known in a state with these
// pending operations, known being that number before.
func LateFrom(known int32, ops []*trace.Op) int32 {
	for _, op := range ops {
		for _, a := range op.Accesses() {
			if isLate(a.Obj, known) {
				known = a.Obj + 1
			}
		}
	}
	return known
}
