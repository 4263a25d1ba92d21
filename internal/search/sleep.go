package search

import (
	"math"
	"slices"
	"unsafe"

	"github.com/gopor/gopor/internal/room"
	"github.com/gopor/gopor/sched/trace"
)

// Uses has the accesses of an operation, kept beyond the life of the trace.Op.
type Uses struct {
	few   [2]trace.Access
	n     int32
	marks uint32 // a bit for each object that is used: see mark
	// The first of n accesses, which replace few where there are more; shared, never written to.
	// Many uses are copied, so this is one word and not a slice.
	all *trace.Access
}

// mark returns the bit of an object. Operations without a common bit are independent. That is
// so for most pairs that an engine compares.
func mark(obj int32) uint32 {
	if obj == trace.Everything {
		return ^uint32(0)
	}
	return 1 << (uint32(obj) % 31)
}

// markOfNone is the bit of an operation without accesses, which depends on operations that use
// everything.
const markOfNone = 1 << 31

// Set makes u the uses of an operation with these accesses. It may keep as.
func (u *Uses) Set(as []trace.Access) {
	u.n, u.marks, u.all = int32(len(as)), 0, nil
	switch u.n {
	case 0:
		u.marks = markOfNone
	case 1:
		u.few[0] = as[0]
		u.marks = mark(as[0].Obj)
	case 2:
		u.few[0], u.few[1] = as[0], as[1]
		u.marks = mark(as[0].Obj) | mark(as[1].Obj)
	default:
		u.all = unsafe.SliceData(as)
		for i := range as {
			u.marks |= mark(as[i].Obj)
		}
	}
}

// Copy makes u a copy of v that the caller may change.
func (u *Uses) Copy(v *Uses) {
	u.few, u.n, u.marks = v.few, v.n, v.marks
	if v.all == nil {
		u.all = nil
		return
	}
	u.all = unsafe.SliceData(append([]trace.Access(nil), v.List()...))
}

// LazilyNumbered reports whether u has an object with a number that may differ in another
// execution: one without a lasting number, and not below known.
func (u *Uses) LazilyNumbered(known int32) bool {
	for i := range u.n {
		if isLazilyNumbered(u.Access(i).Obj, known) {
			return true
		}
	}
	return false
}

// isLazilyNumbered is LazilyNumbered for one object.
func isLazilyNumbered(obj, known int32) bool { return obj >= known && !trace.Lasting(obj) }

// Equal reports whether u and v have the same accesses.
func (u *Uses) Equal(v *Uses) bool { return slices.Equal(u.List(), v.List()) }

// OfBytes reports whether u is a use of memory that is known by address. The same operation
// touches the same bytes everywhere, all of them in one mode, but the bytes may be divided into
// objects in another way.
func (u *Uses) OfBytes() bool { return u.n > 0 && trace.Dependence.Masked(u.Access(0).Mode) }

// Like changes u, a use of memory that is known by address, to the objects of v, a use of the
// same memory in another execution. The mode of u stays.
func (u *Uses) Like(v *Uses) {
	mode := u.Access(0).Mode
	u.Copy(v)
	for i := range u.n {
		u.Access(i).Mode = mode
	}
}

// Access returns access i.
func (u *Uses) Access(i int32) *trace.Access {
	if u.all != nil {
		return &u.List()[i]
	}
	return &u.few[i]
}

// Rename changes the object of access i of u. The caller must own u.
func (u *Uses) Rename(i, obj int32) {
	u.Access(i).Obj = obj
	u.marks |= mark(obj)
}

// List returns all accesses. The caller must not change them.
func (u *Uses) List() []trace.Access {
	if u.all != nil {
		return unsafe.Slice(u.all, u.n)
	}
	return u.few[:u.n]
}

// Dependent is trace.Dependent for operations of two goroutines.
func (t *Trail) Dependent(a, b *Uses) bool {
	t.Stats.Checks++
	return a.marks&b.marks != 0 && dependent(a, b)
}

func dependent(a, b *Uses) bool {
	if a.n == 1 && b.n == 1 {
		return trace.Dependence.Conflict(a.few[0], b.few[0])
	}
	return trace.Dependence.Dependent(a.List(), b.List())
}

// Sleeper is a choice that sleeps: all its continuations were explored already.
type Sleeper struct {
	trace.Choice
	Event int32 // the engine's name of the event, if it names events
	Uses  Uses
}

// Sleeper returns the choice of event k as a sleeper.
func (t *Trail) Sleeper(k int) Sleeper {
	return Sleeper{Choice: t.Events[k].Choice, Uses: t.Events[k].Uses}
}

// SleepSet has choices that need not come next, since an execution explored before began with
// them (Godefroid 1996, section 5.2).
type SleepSet []Sleeper

// Has reports whether choice c sleeps.
func (s SleepSet) Has(c trace.Choice) bool {
	for i := range s {
		if s[i].Choice == c {
			return true
		}
	}
	return false
}

// Covers reports whether ev sleeps. The second event of a race may have other alternatives
// before the race, so all of them must sleep.
func (s SleepSet) Covers(ev *Performed, second bool, f Forks) bool {
	if !second {
		return s.Has(ev.Choice)
	}
	for alt := range f.Alts(ev.G) {
		if !s.Has(trace.Choice{G: ev.G, Alt: alt}) {
			return false
		}
	}
	return true
}

// Awake returns an alternative of op that does not sleep, or -1. It tries number turn first,
// modulo the number of alternatives, and then the following ones.
func (s SleepSet) Awake(op *trace.Op, turn int) int32 {
	if op.Alts == 1 { // as most are: a division costs as much as the rest
		if s.Has(trace.Choice{G: op.G}) {
			return -1
		}
		return 0
	}
	for i := range op.Alts {
		alt := int32(turn+int(i)) % op.Alts
		if !s.Has(trace.Choice{G: op.G, Alt: alt}) {
			return alt
		}
	}
	return -1
}

// Pick returns the choice to go on with when nothing else decides: goroutine first if it is
// enabled and awake, else the lowest goroutine that is. An operation that is less idle comes before
// these (see [trace.Op]). It prefers the alternative given by turn. It returns false if all sleep.
func (s SleepSet) Pick(ops []*trace.Op, first trace.ID, turn int) (best trace.Choice, ok bool) {
	best.G = -1
	idle := math.MaxInt
	if op := opOf(first, ops); op != nil {
		if alt := s.Awake(op, turn); alt >= 0 {
			best, idle = trace.Choice{G: op.G, Alt: alt}, int(op.Idle)
		}
	}
	for i := 0; i < len(ops) && idle > 0; i++ {
		if op := ops[i]; int(op.Idle) < idle {
			if alt := s.Awake(op, turn); alt >= 0 {
				best, idle = trace.Choice{G: op.G, Alt: alt}, int(op.Idle)
			}
		}
	}
	return best, best.G >= 0
}

// opOf returns the pending operation of goroutine g, or nil if it has none. The operations are
// in order of goroutines.
func opOf(g trace.ID, ops []*trace.Op) *trace.Op {
	low, high := 0, len(ops)
	for low < high {
		if mid := int(uint(low+high) >> 1); ops[mid].G < g {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < len(ops) && ops[low].G == g {
		return ops[low]
	}
	return nil
}

// After computes in dst what still sleeps after ev.
func (t *Trail) After(s, dst SleepSet, ev *Performed) SleepSet {
	dst = dst[:0]
	for i := range s {
		if z := &s[i]; z.G != ev.G && !t.Dependent(&z.Uses, &ev.Uses) {
			dst = append(dst, *z)
		}
	}
	return dst
}

// Forks has the number of alternatives of the goroutines that have several.
type Forks []trace.Choice

// Note sets f to the forks of the pending operations.
func (f *Forks) Note(ops []*trace.Op) {
	*f = (*f)[:0]
	for _, op := range ops {
		if op.Alts > 1 {
			*f = append(*f, trace.Choice{G: op.G, Alt: op.Alts})
		}
	}
}

// Follow is Note for a state after one with the forks before. It looks only at the pending
// operations that have changed in between.
func (f *Forks) Follow(before Forks, ops, changed []*trace.Op) {
	*f = (*f)[:0]
	for _, c := range before {
		if op := opOf(c.G, ops); op != nil && op.Alts > 1 {
			*f = append(*f, trace.Choice{G: op.G, Alt: op.Alts})
		}
	}
	for _, op := range changed {
		if op.Alts > 1 && f.Alts(op.G) == 1 {
			*f = append(*f, trace.Choice{G: op.G, Alt: op.Alts})
		}
	}
}

// Alts returns the number of alternatives of goroutine g.
func (f Forks) Alts(g trace.ID) int32 {
	for _, c := range f {
		if c.G == g {
			return c.Alt
		}
	}
	return 1
}

// Next returns the alternative of goroutine g to try after alt, round robin, where begun was
// the first. It returns false if all were tried.
func (f Forks) Next(g trace.ID, alt, begun int32) (int32, bool) {
	alt = (alt + 1) % f.Alts(g)
	return alt, alt != begun
}

// IDSet is a set of goroutines that keeps the order of insertion.
type IDSet struct {
	IDs  []trace.ID
	bits []uint64
}

// Clear empties the set.
func (s *IDSet) Clear() {
	for _, g := range s.IDs {
		s.bits[uint32(g)/64] = 0
	}
	s.IDs = s.IDs[:0]
}

// Has reports whether g is in the set.
func (s *IDSet) Has(g trace.ID) bool {
	w := int(uint32(g) / 64)
	return w < len(s.bits) && s.bits[w]>>(uint32(g)%64)&1 == 1
}

// Add adds g, unless the set has it.
func (s *IDSet) Add(g trace.ID) {
	if s.Has(g) {
		return
	}
	if n := int(g/64) + 1; n > len(s.bits) {
		s.bits = append(s.bits, make([]uint64, n-len(s.bits))...)
	}
	s.bits[uint32(g)/64] |= 1 << (uint32(g) % 64)
	s.IDs = append(s.IDs, g)
}

// Stack is a stack of frames, one for each state on the way.
type Stack[F any] = room.Stack[F]
