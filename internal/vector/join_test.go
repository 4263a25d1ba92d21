package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestJoin compares joins of random clocks with the maxima of their entries. The clocks of one
// round know little, or everything, of each other.
func TestJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, goroutines := range []int32{1, 2, 15, 16, 17, 300} {
		for _, most := range []int32{2, 3, math.MaxInt32} {
			c := New()
			for range 300 {
				c.Mark(0, 0)
				var clocks [2]Clock
				var lists [2][]int32
				for k := range clocks {
					for range r.IntN(20) {
						clocks[k] = c.Set(clocks[k], r.Int32N(goroutines), most-r.Int32N(min(most, 1000)))
					}
					c.Mark(0, 0)
					lists[k] = entries(&c, clocks[k], goroutines)
				}
				want := make([]int32, goroutines)
				for g := range want {
					want[g] = max(lists[0][g], lists[1][g])
				}
				joined := c.Join(clocks[0], clocks[1])
				if got := entries(&c, joined, goroutines); !slices.Equal(got, want) {
					t.Fatalf("%v joined with %v is %v, want %v", lists[0], lists[1], got, want)
				}
				for k := range clocks {
					if slices.Equal(want, lists[k]) && goroutines <= 16 && joined != clocks[0] && joined != clocks[1] {
						t.Fatalf("%v joined with %v is a new clock", lists[0], lists[1])
					}
				}
			}
		}
	}
}

// entries returns the first n entries of a clock.
func entries(c *Clocks, k Clock, n int32) []int32 {
	list := make([]int32, n)
	for g := range n {
		list[g] = c.At(k, g)
	}
	return list
}
