package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// mostPending is the largest number of pending operations of which an engine keeps what they use
// in a state. With more of them each step would take long. UsesAfter then runs the program once
// more.
const mostPending = 256

// StateDependent has what pending operations use in the states of the present execution, where
// that may depend on the state. It keeps changes only: while many goroutines wait, all that they
// would use in each state would take memory that is quadratic in their number.
type StateDependent struct {
	of  []versions // by goroutine
	now []trace.ID // the goroutines with such an operation in the latest state
	at  int        // the latest state, plus 1
}

// versions has what the operations of one goroutine use, in the order of states.
type versions struct {
	list []version
	seen int // the latest state with such an operation, plus 1
}

// A version holds from one state on, up to the next version.
type version struct {
	from    int32
	pending bool // an operation is pending that is not steady
	uses    Uses
}

// Note notes the operations that are pending in state k, and forgets all later states.
func (s *StateDependent) Note(k int, ops []*trace.Op) {
	s.cut(k)
	s.at = k + 1
	if len(ops) > mostPending {
		ops = nil
	}
	before := len(s.now)
	for _, op := range ops {
		if op.Footprint < trace.SteadyFootprint {
			s.note(k, op)
			s.now = append(s.now, op.G)
		}
	}
	for _, g := range s.now[:before] {
		if v := &s.of[g]; v.seen != s.at {
			v.list = append(v.list, version{from: int32(k)})
		}
	}
	s.now = s.now[:copy(s.now, s.now[before:])]
}

// cut forgets state k and all later ones. What no Note was told of is not known.
func (s *StateDependent) cut(k int) {
	if k == s.at {
		return
	}
	s.now = s.now[:0]
	for g := range s.of {
		v := &s.of[g]
		n := len(v.list)
		for n > 0 && int(v.list[n-1].from) >= k {
			n--
		}
		v.list, v.seen = v.list[:n], 0
		switch pending := n > 0 && v.list[n-1].pending; {
		case pending && k > s.at:
			v.list = append(v.list, version{from: int32(s.at)})
		case pending:
			s.now = append(s.now, trace.ID(g))
		}
	}
}

// note notes that op is pending in state k, and not steady.
func (s *StateDependent) note(k int, op *trace.Op) {
	for int(op.G) >= len(s.of) {
		s.of = append(s.of, versions{})
	}
	v, uses := &s.of[op.G], op.Accesses()
	v.seen = s.at
	n := len(v.list)
	if n > 0 {
		if last := &v.list[n-1]; last.pending && last.uses.n == int32(len(uses)) && slices.Equal(last.uses.List(), uses) {
			return
		}
	}
	v.list = append(v.list, version{from: int32(k), pending: true})
	v.list[n].uses.Set(uses)
}

// Before returns what the operation of a goroutine uses in state k. It returns nil if there is
// none, if it is steady, or if that is not known.
func (s *StateDependent) Before(k int, g trace.ID) *Uses {
	if int(g) >= len(s.of) {
		return nil
	}
	list := s.of[g].list
	n, high := 0, len(list) // the versions up to state k are n in number
	for n < high {
		if mid := int(uint(n+high) >> 1); int(list[mid].from) <= k {
			n = mid + 1
		} else {
			high = mid
		}
	}
	if n == 0 || !list[n-1].pending {
		return nil
	}
	return &list[n-1].uses
}

// UsesAfter returns the uses that the operation of event second has after the first k events
// and the events then. If pending, the uses after the first k events, is not nil and depends on no
// event of then, these are they. Else UsesAfter runs the program.
func (t *Trail) UsesAfter(k int, then []int32, pending *Uses, second int) Uses {
	ev := &t.Events[second]
	if pending != nil && t.lasts(pending, ev.G, then) {
		return *pending
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

// Losing has the operations pending in a state that might lose a use against the law of
// footprints, with their uses there: open ones, and those of several objects that are not steady.
type Losing struct {
	list    []Sleeper
	unknown bool // there are so many that keeping them would take much memory
}

// mostLosing is the largest number of pending operations among which a state keeps those that might
// lose a use. Beyond it, memory would be quadratic in the number of goroutines.
const mostLosing = 128

// Note sets l to the operations of ops that might lose a use.
func (l *Losing) Note(ops []*trace.Op) {
	l.Clear()
	if l.unknown = len(ops) > mostLosing; l.unknown {
		return
	}
	for _, op := range ops {
		if mayLose(op.Footprint, int32(len(op.Accesses()))) {
			z := Sleeper{Choice: trace.Choice{G: op.G}}
			z.Uses.Set(op.Accesses())
			l.list = append(l.list, z)
		}
	}
}

// Clear makes l empty.
func (l *Losing) Clear() { l.list, l.unknown = l.list[:0], false }

// Set makes l a copy of m.
func (l *Losing) Set(m *Losing) { l.list, l.unknown = append(l.list[:0], m.list...), m.unknown }

// mayLose reports whether an operation of n accesses might lose a use.
func mayLose(f trace.Footprint, n int32) bool {
	return f == trace.OpenFootprint || f == trace.LawfulFootprint && n > 1
}

// Takes reports whether an event that uses u takes an access from the operation of event
// second, against the law of footprints (see trace.Program), or might do so and that is not known.
// The operations of losing are pending before the event, and second is the first event of its
// goroutine after them.
func (t *Trail) Takes(u *Uses, losing *Losing, second *Performed) bool {
	if losing.unknown {
		return second.mayLose()
	}
	for i := range losing.list {
		was := &losing.list[i]
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
