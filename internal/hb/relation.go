// Package hb computes happens-before: which events of an execution are ordered,
// which of them race, and a fingerprint of the trace (the class of executions
// that differ only in the order of independent events).
//
// The package knows events as a goroutine number, a list of accesses and a list
// of earlier events that come first for other reasons. Which accesses depend on
// each other is data, a [Relation], and belongs to the caller.
package hb

// Mode is the way in which an event uses an object. Modes are small numbers
// that index a [Relation]; what they mean is the caller's business.
type Mode uint8

// MaxModes is the number of modes that a Relation can tell apart.
const MaxModes = 24

// Everything is the object of an access that depends on every event of every
// other goroutine, whatever that event touches.
const Everything int32 = -1

// Access is one use of one object by an event.
type Access struct {
	Obj  int32 // number of the object, or Everything
	Idx  int32 // the index that an indexed dependence compares, else 0
	Mode Mode
}

// Relation says which modes depend on each other when they meet on one object.
// It is symmetric: build it with [Relation.Add] and [Relation.AddIndexed].
type Relation struct {
	conflict [MaxModes]uint32 // conflict[a] has bit b: a and b depend
	indexed  [MaxModes]uint32 // conflict[a] has bit b only if Idx of the low mode <= Idx of the high one
	low      [MaxModes]uint32 // low[a] has bit b: of the indexed pair a, b, a is the low one
	covers   [MaxModes]uint32 // covers[b] has bit a: a and b depend, and whatever depends on b depends on a as well
}

// Add declares that mode a depends on each of the modes bs.
func (r *Relation) Add(a Mode, bs ...Mode) {
	for _, b := range bs {
		r.conflict[a] |= 1 << b
		r.conflict[b] |= 1 << a
	}
	r.close()
}

// AddIndexed declares that an access of mode low depends on one of mode high
// exactly if the index of the first is at most the index of the second.
func (r *Relation) AddIndexed(low, high Mode) {
	r.Add(low, high)
	r.indexed[low] |= 1 << high
	r.indexed[high] |= 1 << low
	r.low[low] |= 1 << high
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

// Conflict reports whether accesses a and b of different goroutines depend on
// each other.
func (r *Relation) Conflict(a, b Access) bool {
	if a.Obj == Everything || b.Obj == Everything {
		return true
	}
	if a.Obj != b.Obj || r.conflict[a.Mode]>>b.Mode&1 == 0 {
		return false
	}
	if r.indexed[a.Mode]>>b.Mode&1 == 0 {
		return true
	}
	if r.low[a.Mode]>>b.Mode&1 == 1 {
		return a.Idx <= b.Idx
	}
	return b.Idx <= a.Idx
}

// Dependent reports whether two events of different goroutines with these
// accesses depend on each other. An access of Everything depends on an event
// that touches nothing, too.
func (r *Relation) Dependent(as, bs []Access) bool {
	if len(as) == 0 {
		as, bs = bs, as
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

// May reports whether accesses of one object in modes a and b depend on each other
// for some indexes at least.
func (r *Relation) May(a, b Mode) bool { return r.conflict[a]>>b&1 == 1 }

// Covered reports whether whatever depends on access a depends on one of the
// accesses by as well.
func (r *Relation) Covered(a Access, by []Access) bool {
	if a.Obj == Everything {
		for _, b := range by {
			if b.Obj == Everything {
				return true
			}
		}
		return false
	}
	left := r.conflict[a.Mode] // the modes that nothing depends on yet
	for _, b := range by {
		switch {
		case b.Obj == Everything:
			return true
		case b.Obj != a.Obj:
			continue
		}
		// Of an indexed dependence, a's or b's, it takes the same, from an index
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
