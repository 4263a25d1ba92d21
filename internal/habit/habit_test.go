package habit

import "testing"

// TestInTurn chooses the first of three alternatives again and again, and one of two now and then.
func TestInTurn(t *testing.T) {
	var h Habit
	var chosen [3]int
	for range 3 * mostSame {
		chosen[h.InTurn(0, 3)]++
	}
	if chosen != [3]int{mostSame, mostSame, mostSame} {
		t.Errorf("chosen: %v", chosen)
	}
	h = Habit{}
	for i := range int32(10 * mostSame) {
		if got := h.InTurn(i%2, 2); got != i%2 {
			t.Fatalf("alternative %d is %d: none was chosen twice in a row", i%2, got)
		}
	}
}
