package trace

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortDown sorts runs of events, as they come from chains, and others.
func TestSortDown(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var events, want []int32
		for range r.IntN(4) {
			run := make([]int32, r.IntN(20))
			for i := range run {
				run[i] = r.Int32N(100)
			}
			if r.IntN(3) > 0 {
				slices.Sort(run)
				slices.Reverse(run)
			}
			events = append(events, run...)
		}
		want = slices.Clone(events)
		slices.Sort(want)
		slices.Reverse(want)
		if sortDown(events); !slices.Equal(events, want) {
			t.Fatalf("%v, want %v", events, want)
		}
	}
}
