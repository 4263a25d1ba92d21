package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// stateDependent has what pending operations use in the states of the present execution, where
// that may depend on the state. It keeps changes only: while many goroutines wait, all that they
// would use in each state would take memory that is quadratic in their number.
type stateDependent struct {
	of    []versions // by goroutine
	known []bool     // by state, up to the latest one: note was told of it
}

// versions has what the operations of one goroutine use, in the order of states.
type versions []version

// A version holds from one state on, up to the next version.
type version struct {
	from      int32
	pending   bool // an operation is pending that is not steady
	footprint trace.Footprint
	uses      Uses
}

// note notes the operations that are pending in state k. It forgets all later states. Other
// operations than the changed ones are as in the state before, but for that of mover, which made
// the event between the two.
func (s *stateDependent) note(k int, ops, changed []*trace.Op, mover trace.ID) {
	s.cut(k)
	if k == 0 || !s.known[k-1] {
		changed = ops
	}
	s.known = append(s.known, true)
	for _, op := range changed {
		if op.Footprint < trace.SteadyFootprint {
			s.begin(k, op)
		} else if int(op.G) < len(s.of) {
			s.end(k, op.G)
		}
	}
	if mover >= 0 && int(mover) < len(s.of) && s.startsBefore(k, mover) && opOf(mover, ops) == nil {
		s.end(k, mover)
	}
}

// startsBefore reports whether the latest version of a goroutine is of a state before k.
func (s *stateDependent) startsBefore(k int, g trace.ID) bool {
	v := s.of[g]
	return len(v) > 0 && int(v[len(v)-1].from) < k
}

// cut forgets state k and all later ones. The states between the latest one and k are not known.
func (s *stateDependent) cut(k int) {
	at := len(s.known)
	if k == at {
		return
	}
	for g := range s.of {
		v := s.of[g]
		n := len(v)
		for n > 0 && int(v[n-1].from) >= k {
			n--
		}
		s.of[g] = v[:n]
		if k > at {
			s.end(at, trace.ID(g))
		}
	}
	for len(s.known) < k {
		s.known = append(s.known, false)
	}
	s.known = s.known[:k]
}

// forget forgets all states after state k.
func (s *stateDependent) forget(k int) {
	if k+1 < len(s.known) {
		s.cut(k + 1)
	}
}

// begin notes that op is pending from state k on, and not steady.
func (s *stateDependent) begin(k int, op *trace.Op) {
	for int(op.G) >= len(s.of) {
		s.of = append(s.of, nil)
	}
	v, uses := s.of[op.G], op.Accesses()
	n := len(v)
	if n > 0 {
		last := &v[n-1]
		if last.pending && last.footprint == op.Footprint && last.uses.n == int32(len(uses)) && slices.Equal(last.uses.List(), uses) {
			return
		}
	}
	if n == cap(v) {
		v = append(v, version{})
	}
	v = v[:n+1]
	last := &v[n]
	last.from, last.pending, last.footprint = int32(k), true, op.Footprint
	last.uses.Set(uses)
	s.of[op.G] = v
}

// end notes that a goroutine has no such operation from state k on.
func (s *stateDependent) end(k int, g trace.ID) {
	if v := s.of[g]; len(v) > 0 && v[len(v)-1].pending {
		s.of[g] = append(v, version{from: int32(k)})
	}
}

// before returns what the operation of a goroutine uses in state k. It returns nil if there is
// none, if it is steady, or if that is not known.
func (s *stateDependent) before(k int, g trace.ID) *version {
	if int(g) >= len(s.of) {
		return nil
	}
	v := s.of[g]
	n, high := 0, len(v) // the versions up to state k are n in number
	for n < high {
		if mid := int(uint(n+high) >> 1); int(v[mid].from) <= k {
			n = mid + 1
		} else {
			high = mid
		}
	}
	if n == 0 || !v[n-1].pending {
		return nil
	}
	return &v[n-1]
}

// NotePending notes what the pending operations use in state k, which the execution has come to.
func (t *Trail) NotePending(k int, ops []*trace.Op) {
	t.pending.note(k, ops, t.Changed(ops), t.Mover())
}

// UsesAfter returns the uses that the operation of event second has after the first k events
// and the events then. If the uses after the first k events are known, and depend on no event of
// then, these are they. Else UsesAfter runs the program.
func (t *Trail) UsesAfter(k int, then []int32, second int) Uses {
	ev := &t.Events[second]
	if was := t.pending.before(k, ev.G); was != nil && t.lasts(&was.uses, ev.G, then) {
		return was.uses
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

// lasts reports whether no event of then can change what the operation of g uses.
func (t *Trail) lasts(uses *Uses, g trace.ID, then []int32) bool {
	for _, j := range then {
		if x := &t.Events[j]; x.G == g || t.Dependent(uses, &x.Uses) {
			return false
		}
	}
	return true
}

// mayLose reports whether an operation of n accesses might lose a use.
func mayLose(f trace.Footprint, n int32) bool {
	return f == trace.OpenFootprint || f == trace.LawfulFootprint && n > 1
}

// Takes reports whether event e takes an access from the operation of event second, against the
// law of footprints (see trace.Program). Event second is the first one of its goroutine after e.
// If what is pending before e is not known, the result is false.
func (t *Trail) Takes(e int, second *Performed) bool {
	was := t.pending.before(e, second.G)
	if was == nil || !mayLose(was.footprint, was.uses.n) || was.uses.Equal(&second.Uses) {
		return false
	}
	left := append(slices.Clone(t.Events[e].Uses.List()), second.Uses.List()...)
	for _, a := range was.uses.List() {
		if !trace.Dependence.Covered(a, left) {
			return true
		}
	}
	return false
}

// mayLose reports whether the operation of e might lose a use, as it was performed.
func (e *Performed) mayLose() bool { return mayLose(e.Footprint, e.Uses.n) }

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
