package trace

import (
	"cmp"
	"slices"
)

// Mode is the way in which an event uses an object. Modes are small numbers that index a
// [Relation]. Their meaning is up to the caller.
type Mode uint8

// MaxModes is the number of modes that a Relation can have.
const MaxModes = 32

// Everything is the object of an access that depends on every event of every other goroutine,
// whatever its accesses.
const Everything int32 = -1

// Access is one use of one object by an operation.
//
// An object with an even number has that number in every execution that makes it: its name
// contains the goroutine that made it. Odd numbers are given in the order of appearance, to
// objects that no operation makes, such as a Mutex in a struct. So they mean the same object in
// two executions only if the object was numbered before the two part. The operations pending
// after a schedule have the same numbers in every execution that begins with the schedule.
type Access struct {
	Obj int32 // number of the object, or Everything
	// The index or mask that an indexed or masked dependence compares, else 0.
	Idx  int32
	Mode Mode
}

// Relation says which modes depend on each other when they meet on one object. It is symmetric.
// Build it with [Relation.Add], [Relation.AddIndexed] and [Relation.AddMasked].
type Relation struct {
	conflict [MaxModes]uint32 // conflict[a] has bit b: a and b depend
	indexed  [MaxModes]uint32 // indexed[a] has bit b: whether they depend is up to their Idx
	low      [MaxModes]uint32 // low[a] has bit b: they depend if the Idx of a <= that of b
	masked   [MaxModes]uint32 // masked[a] has bit b: they depend if their Idx have a common bit
	masks    uint32           // the modes with a mask as their Idx
	// covers[b] has bit a: a and b depend, and everything that depends on b depends on a as
	// well.
	covers [MaxModes]uint32
}

// Add declares that mode a depends on each of the modes bs.
func (r *Relation) Add(a Mode, bs ...Mode) {
	for _, b := range bs {
		r.conflict[a] |= 1 << b
		r.conflict[b] |= 1 << a
	}
	r.close()
}

// AddIndexed declares that an access of mode low depends on one of mode high exactly if the
// index of the first is at most that of the second.
func (r *Relation) AddIndexed(low, high Mode) {
	r.Add(low, high)
	r.indexed[low] |= 1 << high
	r.indexed[high] |= 1 << low
	r.low[low] |= 1 << high
	r.close()
}

// AddMasked declares that the Idx of mode a and of the modes bs are masks, and that accesses
// depend on each other exactly if their masks have a common bit. It does not change the pairs
// declared by Add.
func (r *Relation) AddMasked(a Mode, bs ...Mode) {
	r.Add(a, bs...)
	r.masks |= 1 << a
	for _, b := range bs {
		r.indexed[a] |= 1 << b
		r.indexed[b] |= 1 << a
		r.masked[a] |= 1 << b
		r.masked[b] |= 1 << a
		r.masks |= 1 << b
	}
	r.close()
}

func (r *Relation) close() {
	for b := range MaxModes {
		r.covers[b] = 0
		for a := range MaxModes {
			if r.conflict[b]>>a&1 == 1 && r.conflict[b]&^r.conflict[a] == 0 && r.indexed[a]|r.indexed[b] == 0 {
				r.covers[b] |= 1 << a
			}
		}
	}
}

// Conflict reports whether accesses a and b of different goroutines depend on each other.
func (r *Relation) Conflict(a, b Access) bool {
	if a.Obj != b.Obj {
		return a.Obj == Everything || b.Obj == Everything
	}
	return r.sameObject(a, b)
}

// sameObject is Conflict for two accesses of one object. Most pairs are of two objects. Without
// this code, Conflict is inlined.
//
//go:noinline
func (r *Relation) sameObject(a, b Access) bool {
	switch bit := uint32(1) << b.Mode; {
	case a.Obj == Everything:
		return true
	case r.conflict[a.Mode]&bit == 0:
		return false
	case r.indexed[a.Mode]&bit == 0:
		return true
	case r.masked[a.Mode]&bit != 0:
		return a.Idx&b.Idx != 0
	case r.low[a.Mode]&bit != 0:
		return a.Idx <= b.Idx
	}
	return b.Idx <= a.Idx
}

// Dependent reports whether two events of different goroutines with these accesses depend on
// each other. An access of Everything also depends on an event without accesses.
func (r *Relation) Dependent(as, bs []Access) bool {
	if len(as) == 0 {
		as, bs = bs, as
	}
	if len(as) > many && len(bs) > many && !slices.ContainsFunc(as, ofEverything) && !slices.ContainsFunc(bs, ofEverything) {
		return r.dependentMany(as, bs)
	}
	for _, a := range as {
		if a.Obj == Everything {
			return true
		}
		for _, b := range bs {
			if r.Conflict(a, b) {
				return true
			}
		}
	}
	return false
}

func ofEverything(a Access) bool { return a.Obj == Everything }

// many is the number of accesses from which on two events are compared object by object.
const many = 32

// dependentMany is Dependent in time n log n, for accesses none of which is of Everything.
func (r *Relation) dependentMany(as, bs []Access) bool {
	byObject := func(a, b Access) int { return cmp.Compare(a.Obj, b.Obj) }
	as, bs = slices.Clone(as), slices.Clone(bs)
	slices.SortFunc(as, byObject)
	slices.SortFunc(bs, byObject)
	for _, a := range as {
		for len(bs) > 0 && bs[0].Obj < a.Obj {
			bs = bs[1:]
		}
		for i := 0; i < len(bs) && bs[i].Obj == a.Obj; i++ {
			if r.Conflict(a, bs[i]) {
				return true
			}
		}
	}
	return false
}

// Masked reports whether the Idx of accesses in mode a is a mask.
func (r *Relation) Masked(a Mode) bool { return r.masks>>a&1 == 1 }

// May reports whether accesses of one object in modes a and b depend on each other for at least
// some indexes or masks.
func (r *Relation) May(a, b Mode) bool { return r.conflict[a]>>b&1 == 1 }

// Possible returns the modes that an access in mode a may depend on, if both are of one object:
// bit m is set for mode m.
func (r *Relation) Possible(a Mode) uint32 { return r.conflict[a] }

// Always returns the modes that an access in mode a depends on with all indexes and masks.
func (r *Relation) Always(a Mode) uint32 { return r.conflict[a] &^ r.indexed[a] }

// Covered reports whether everything that depends on access a also depends on one of the
// accesses by.
func (r *Relation) Covered(a Access, by []Access) bool {
	if a.Obj == Everything {
		for _, b := range by {
			if b.Obj == Everything {
				return true
			}
		}
		return false
	}
	left := r.conflict[a.Mode] // the modes that no access covers yet
	for _, b := range by {
		switch {
		case b.Obj == Everything:
			return true
		case b.Obj != a.Obj:
			continue
		}
		// An indexed dependence, of a or b, is covered by the same dependence from an index
		// that leaves no less.
		left &^= r.conflict[b.Mode] &^ r.indexed[b.Mode]
		same := r.indexed[a.Mode] & r.indexed[b.Mode]
		if b.Idx <= a.Idx {
			left &^= same & r.low[a.Mode] & r.low[b.Mode]
		}
		if b.Idx >= a.Idx {
			left &^= same &^ r.low[a.Mode] &^ r.low[b.Mode]
		}
	}
	return left == 0
}
