package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// StateDependent has the operations pending in a state, with their uses there, if their
// accesses may depend on the state.
type StateDependent []Sleeper

// mostStateDependent is the largest number of pending operations for which a state keeps its
// state-dependent ones. Beyond it, memory would be quadratic in the number of goroutines.
// Without them UsesAfter runs the program once more.
const mostStateDependent = 128

// noted reports whether Note keeps any of the pending operations.
func noted(ops []*trace.Op) bool {
	if len(ops) <= mostStateDependent {
		for _, op := range ops {
			if op.Footprint < trace.SteadyFootprint {
				return true
			}
		}
	}
	return false
}

// Note sets f to the pending operations that are not steady.
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

// NoteLosers sets f to the pending operations that might lose a use against the law of
// footprints: open ones, and those of several objects that are not steady.
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

// UsesAfter returns the uses that the operation of event second has after the first k events
// and the events then. If stateDependent, the operations pending after the first k events, has
// the operation, and it depends on no event of then, its uses are known. Else UsesAfter runs
// the program.
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
			uses, _ = ev.usesOf(op, 0)
		}
	}
	return uses
}

// pendingAfter returns the uses of the operation of g in stateDependent. It returns nil if
// there is none, or if an event of then may change it.
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

// Takes reports whether an event that uses u takes an access from the operation of event
// second, against the law of footprints (see trace.Program). The state-dependent operations are
// those pending before the event, and second is the first event of its goroutine after them.
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

// KnownBelow returns the number below which objects have the same number in all executions that
// come to a state with the pending operations ops. That number is known for the state before.
// Operations that were pending there may be left out of ops.
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
