// Package shrink makes random programs that fail small.
package shrink

import "iter"

// Program returns a program that fails as p does, and of which no smaller one fails.
// Smaller yields what lacks a little of a program, the most first; what is no program at
// all must not fail.
func Program[P any](p P, smaller func(P) iter.Seq[P], fails func(P) bool) P {
	for {
		q, ok := first(smaller(p), fails)
		if !ok {
			return p
		}
		p = q
	}
}

func first[P any](all iter.Seq[P], fails func(P) bool) (p P, ok bool) {
	for p := range all {
		if fails(p) {
			return p, true
		}
	}
	return p, false
}
