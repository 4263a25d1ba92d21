package machine

import "testing"

// TestCreditsEnd: a goroutine that starts many others, each with an Add of its own, keeps no credit
// that was given away, nor one that it has used itself.
func TestCreditsEnd(t *testing.T) {
	m := NewMachine(Config{})
	wg, parent := new(WgState), m.Goroutines[MainID]
	for i := range 1000 {
		parent.earn(wg, 1)
		if i%2 == 0 {
			parent.spend(wg)
		} else {
			parent.endow(m.Child(parent))
		}
	}
	if n := len(parent.Waits.credits); n != 0 {
		t.Errorf("%d credits", n)
	}
	parent.earn(wg, 2)
	if parent.spend(wg); !parent.covered(wg) {
		t.Error("one Add of two is not covered any more")
	}
}
