package por

import (
	"slices"

	"github.com/gopor/gopor/sched"
)

// uses is what an operation touches, kept beyond the life of the sched.Op.
type uses struct {
	few [2]sched.Access
	n   int
	all []sched.Access // in the place of few where there are more; shared, never written to
}

func (u *uses) set(as []sched.Access) {
	u.n, u.all = len(as), nil
	switch u.n {
	case 0:
	case 1:
		u.few[0] = as[0]
	case 2:
		u.few[0], u.few[1] = as[0], as[1]
	default:
		u.all = as
	}
}

// copy makes u a copy of v that may be changed.
func (u *uses) copy(v *uses) {
	u.few, u.n = v.few, v.n
	if v.all == nil {
		u.all = nil
		return
	}
	u.all = append([]sched.Access(nil), v.all...)
}

// late reports whether an object is used that may have another number in another
// execution: a late one.
func (u *uses) late(known int32) bool {
	for i := range u.n {
		if isLate(u.access(i).Obj, known) {
			return true
		}
	}
	return false
}

// isLate reports whether an object has no lasting number, and not one that was
// given before number known either.
func isLate(obj, known int32) bool { return obj >= known && !sched.Lasting(obj) }

// equal reports whether u and v are the same.
func (u *uses) equal(v *uses) bool { return slices.Equal(u.list(), v.list()) }

// access returns access i.
func (u *uses) access(i int) *sched.Access {
	if u.all != nil {
		return &u.all[i]
	}
	return &u.few[i]
}

func (u *uses) list() []sched.Access {
	if u.all != nil {
		return u.all
	}
	return u.few[:u.n]
}

// dependent is sched.Dependent for operations of two goroutines.
func (t *trail) dependent(a, b *uses) bool {
	t.stats.Checks++
	if a.n == 1 && b.n == 1 {
		return sched.Relation.Conflict(a.few[0], b.few[0])
	}
	return sched.Relation.Dependent(a.list(), b.list())
}

// sleeper is a choice whose continuations were all explored already.
type sleeper struct {
	sched.Choice
	uses uses
}

// sleepSet holds what need not be done next, since it was done first in an
// execution explored before (Godefroid 1996, section 5.2).
type sleepSet []sleeper

func (s sleepSet) has(c sched.Choice) bool {
	for i := range s {
		if s[i].Choice == c {
			return true
		}
	}
	return false
}

// covers reports whether ev sleeps. If ev is the second event of a race, it may
// have other alternatives before the race, and all of them must sleep.
func (s sleepSet) covers(ev *performed, second bool, f forks) bool {
	if !second {
		return s.has(ev.Choice)
	}
	for alt := range f.alts(ev.G) {
		if !s.has(sched.Choice{G: ev.G, Alt: alt}) {
			return false
		}
	}
	return true
}

// awake returns an alternative of op that does not sleep, or -1.
func (s sleepSet) awake(op *sched.Op) int32 {
	for alt := range op.Alts {
		if !s.has(sched.Choice{G: op.G, Alt: alt}) {
			return alt
		}
	}
	return -1
}

// pick returns the choice to go on with when nothing else decides: goroutine
// first if it is ready and awake, else the one of lowest number that is. There is
// none if all of them sleep.
func (s sleepSet) pick(ops []*sched.Op, first sched.ID) (sched.Choice, bool) {
	picked := sched.Choice{G: -1}
	for _, op := range ops {
		if picked.G < 0 || op.G == first {
			if alt := s.awake(op); alt >= 0 {
				picked = sched.Choice{G: op.G, Alt: alt}
			}
		}
		if op.G >= first && picked.G >= 0 {
			break
		}
	}
	return picked, picked.G >= 0
}

// after computes in dst what still sleeps when ev was performed.
func (t *trail) after(s, dst sleepSet, ev *performed) sleepSet {
	dst = dst[:0]
	for i := range s {
		if z := &s[i]; z.G != ev.G && !t.dependent(&z.uses, &ev.uses) {
			dst = append(dst, *z)
		}
	}
	return dst
}

// forks holds the number of alternatives of the goroutines that have several.
type forks []sched.Choice

func (f *forks) note(ops []*sched.Op) {
	*f = (*f)[:0]
	for _, op := range ops {
		if op.Alts > 1 {
			*f = append(*f, sched.Choice{G: op.G, Alt: op.Alts})
		}
	}
}

// alts returns the number of alternatives of goroutine g.
func (f forks) alts(g sched.ID) int32 {
	for _, c := range f {
		if c.G == g {
			return c.Alt
		}
	}
	return 1
}

// idSet is a set of goroutines that remembers the order in which they came.
type idSet struct {
	ids  []sched.ID
	bits []uint64
}

func (s *idSet) clear() {
	for _, g := range s.ids {
		s.bits[g/64] = 0
	}
	s.ids = s.ids[:0]
}

func (s *idSet) has(g sched.ID) bool {
	w := int(uint32(g) / 64)
	return w < len(s.bits) && s.bits[w]>>(uint32(g)%64)&1 == 1
}

func (s *idSet) add(g sched.ID) {
	if s.has(g) {
		return
	}
	if n := int(g/64) + 1; n > len(s.bits) {
		s.bits = append(s.bits, make([]uint64, n-len(s.bits))...)
	}
	s.bits[g/64] |= 1 << (uint32(g) % 64)
	s.ids = append(s.ids, g)
}

// stack is a stack of frames that are used again.
type stack[F any] []*F

// at returns frame k.
func (s *stack[F]) at(k int) *F {
	for k >= len(*s) {
		*s = append(*s, new(F))
	}
	return (*s)[k]
}
