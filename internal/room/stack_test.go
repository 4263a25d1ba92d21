package room

import "testing"

// TestStack looks whether frames stay where they are and keep what they have, while the stack grows
// by one block, and by many.
func TestStack(t *testing.T) {
	var s Stack[[3]int]
	var at []*[3]int
	for k := range 400 * frameBlock / 3 {
		f := s.At(3 * k)
		if *f != [3]int{} {
			t.Fatalf("frame %d is that of another number", 3*k)
		}
		f[0] = k + 1
		at = append(at, f)
	}
	for k, f := range at {
		if s.At(3*k) != f || s.Get(3*k) != f || f[0] != k+1 {
			t.Fatalf("frame %d has moved, or has changed", 3*k)
		}
	}
}
