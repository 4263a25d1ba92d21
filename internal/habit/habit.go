// Package habit lets a goroutine choose differently where it has chosen the same for long.
//
// In a part of an execution that is not explored there is one alternative to take an operation, and
// engines cannot take turns as they do elsewhere. A loop that ends only if its select does not
// always go the same way would go on for ever. So the alternatives change their places after a
// goroutine has chosen the same one for long. What it has chosen so far is part of every trace, so
// numbers mean the same however often a schedule is performed, whichever part is explored then.
package habit

// Habit is what a goroutine has chosen lately where there was a choice.
type Habit struct {
	shift  int32 // which alternative comes first
	latest int32
	same   int32 // how often it has chosen the latest one in a row
}

// mostSame is how often a goroutine chooses the same alternative in a row. It is more than the
// number of steps after which engines take another one, so as not to get in the way of each other.
const mostSame = 300

// InTurn returns which of n alternatives is number alt, and notes that it is chosen.
func (h *Habit) InTurn(alt, n int32) int32 {
	alt = (alt + h.shift) % n
	if alt != h.latest {
		h.latest, h.same = alt, 0
	}
	if h.same++; h.same == mostSame {
		h.shift, h.same = h.shift+1, 0
	}
	return alt
}
