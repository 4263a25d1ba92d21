package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// StateDependent holds the operations pending in a state whose accesses may depend on the
// state, with what they use there.
type StateDependent []Sleeper

// mostStateDependent is how many pending operations a state keeps some of. To keep more
// takes memory quadratic in the number of goroutines; without, UsesAfter runs the
// program once more.
const mostStateDependent = 128

// Note makes f those of the pending operations that are not steady.
func (f *StateDependent) Note(ops []*trace.Op) {
	*f = (*f)[:0]
	if len(ops) > mostStateDependent {
		return
	}
	for _, op := range ops {
		if op.Footprint < trace.SteadyFootprint {
			f.add(op)
		}
	}
}

// NoteLosers makes f those of the pending operations that might lose a use against the
// law of footprints: open ones, and those of several objects that are not steady.
func (f *StateDependent) NoteLosers(ops []*trace.Op) {
	*f = (*f)[:0]
	if len(ops) > mostStateDependent {
		return
	}
	for _, op := range ops {
		if op.Footprint == trace.OpenFootprint || op.Footprint == trace.LawfulFootprint && len(op.Accesses()) > 1 {
			f.add(op)
		}
	}
}

func (f *StateDependent) add(op *trace.Op) {
	z := Sleeper{Choice: trace.Choice{G: op.G}}
	z.Uses.Set(op.Accesses())
	*f = append(*f, z)
}

// UsesAfter returns what the operation of event second uses when it comes after the
// first k events and the events then, in the place of where it is. It is known if it was
// among the state-dependent operations that were pending after the first k events, which
// are given, and depends on nothing in then; else the program is run.
func (t *Trail) UsesAfter(k int, then []int32, stateDependent StateDependent, second int) Uses {
	ev := &t.Events[second]
	if u := t.pendingAfter(then, stateDependent, ev.G); u != nil {
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
			uses.Rename(int32(i), a.Obj)
		}
	}
	return uses
}

// pendingAfter returns what the operation of g uses that is among stateDependent, if it
// stays as it is during then.
func (t *Trail) pendingAfter(then []int32, stateDependent StateDependent, g trace.ID) *Uses {
	for i := range stateDependent {
		p := &stateDependent[i]
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
// event second, against the law of footprints (see trace.Program). The state-dependent
// operations that were pending before it are given, and second is the first event of its
// goroutine after them.
func (t *Trail) Takes(u *Uses, stateDependent StateDependent, second *Performed) bool {
	for i := range stateDependent {
		was := &stateDependent[i]
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

// KnownBelow returns the number below which objects have the same number in all
// executions that come to a state with these pending operations, known being that of the
// state before. Those that were pending there as well need not be among them.
func KnownBelow(known int32, ops []*trace.Op) int32 {
	for _, op := range ops {
		for _, a := range op.Accesses() {
			if isLazilyNumbered(a.Obj, known) {
				known = a.Obj + 1
			}
		}
	}
	return known
}
