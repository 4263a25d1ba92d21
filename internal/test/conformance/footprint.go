package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// pending is an operation that was published and not performed yet.
type pending struct {
	g        trace.ID
	kind     trace.Kind
	alts     int32
	accesses []trace.Access
}

// snapshot copies ops into list, which is used again.
func snapshot(list []pending, ops []*trace.Op) []pending {
	for i, op := range ops {
		if i == cap(list) {
			list = append(list[:i], pending{})
		}
		list = list[:max(len(list), i+1)]
		list[i] = pending{op.G, op.Kind, op.Alts, append(list[i].accesses[:0], op.Accesses()...)}
	}
	return list[:len(ops)]
}

// A Violation says that an event has taken an access from a pending operation, and
// does not account for it.
type Violation struct {
	Event, Pending trace.Kind
	text           string
}

func (v *Violation) Error() string { return v.text }

// Covered performs a random execution of p and holds every event to the law of
// footprints: an event that takes an access away from a pending operation itself
// depends on whatever that access depends on, unless the operation still does.
// Otherwise two events that depend on each other would no longer do so when an
// event that is independent of one of them is moved before it.
func Covered(p trace.Program, r *rand.Rand) error {
	run := p.Start()
	defer run.Close()
	var before []pending
	for ops := run.Pending(); len(ops) > 0; {
		before = snapshot(before, ops)
		op := ops[r.IntN(len(ops))]
		ev, err := run.Step(trace.Choice{G: op.G, Alt: r.Int32N(op.Alts)})
		if err != nil {
			return err
		}
		at, mover, kind, uses := run.Len()-1, ev.G, ev.Kind, slices.Clone(ev.Accesses())
		if ops = run.Pending(); len(ops) == 0 && at+1 >= mostSteps {
			return nil // the limit is no event
		}
		for _, b := range before {
			if b.g == mover {
				continue
			}
			i := slices.IndexFunc(ops, func(op *trace.Op) bool { return op.G == b.g })
			if i < 0 {
				return fmt.Errorf("event %d, %v of g%d, keeps a pending %v of g%d from moving", at, kind, mover, b.kind, b.g)
			}
			rest := ops[i].Accesses()
			for _, a := range b.accesses {
				if x, lost := loses(a, slices.Concat(uses, rest)); lost {
					return &Violation{kind, b.kind, fmt.Sprintf("event %d, %v of g%d with %v, takes %v away from a pending %v of g%d, which is left with %v: none of them depends on %v",
						at, kind, mover, uses, a, b.kind, b.g, rest, x)}
				}
			}
		}
	}
	return nil
}

// loses looks for an access that a depends on, and none of the others does.
func loses(a trace.Access, others []trace.Access) (trace.Access, bool) {
	if slices.Contains(others, a) {
		return a, false
	}
	if a.Obj == trace.Everything {
		return a, !slices.ContainsFunc(others, func(b trace.Access) bool { return b.Obj == trace.Everything })
	}
	for mode := range trace.Mode(trace.MaxModes) {
		for _, idx := range indexes(a, others) {
			x := trace.Access{Obj: a.Obj, Mode: mode, Idx: idx}
			conflicts := func(b trace.Access) bool { return trace.Dependence.Conflict(b, x) }
			if conflicts(a) && !slices.ContainsFunc(others, conflicts) {
				return x, true
			}
		}
	}
	return trace.Access{}, false
}

// indexes returns indexes that may tell accesses from each other: those near
// theirs, where an order matters, and all sets of one, where they are sets.
func indexes(a trace.Access, others []trace.Access) []int32 {
	var buf [64]int32
	list := append(buf[:0], 0, -1, a.Idx-1, a.Idx, a.Idx+1)
	for _, b := range others {
		if b.Obj == a.Obj {
			list = append(list, b.Idx-1, b.Idx, b.Idx+1)
		}
	}
	for i := range 31 {
		list = append(list, 1<<i)
	}
	return list
}
