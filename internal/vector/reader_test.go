package vector

import (
	"math/rand/v2"
	"testing"
)

// TestReader compares a Reader of random clocks with At, beyond the entries that the clocks have,
// too.
func TestReader(t *testing.T) {
	r, c := rand.New(rand.NewPCG(1, 2)), New()
	for _, goroutines := range []int32{1, 16, 17, 300} {
		var k Clock
		for n := range int32(100) {
			c.Mark(0, 0)
			k = c.Set(k, r.Int32N(goroutines), n+1)
			reader := c.Reader(k)
			for g := range 2 * goroutines {
				if got, want := reader.At(g), c.At(k, g); got != want {
					t.Fatalf("of %d goroutines: entry %d is %d, want %d", goroutines, g, got, want)
				}
			}
		}
	}
}
