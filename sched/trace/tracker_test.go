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

// TestLooks has a few goroutines look at an object ten thousand times, and one that would write to
// it at each moment. The write is compared with a look of each goroutine, and with those of the first
// events, but not with all looks.
func TestLooks(t *testing.T) {
	looks, write := []Access{{Obj: 1, Mode: ModeRead}}, []Access{{Obj: 1, Mode: ModeWrite}}
	for _, readers := range []int32{1, 2, nearby} {
		hb := NewTracker(Dependence)
		for g := range readers + 1 {
			hb.Push(g, nil, nil)
		}
		const n = 10_000
		for i := range int32(n) {
			hb.Push(i%readers, looks, nil)
			hb.Push(readers, write, nil)
			if got := int32(len(hb.Races(hb.Len() - 1))); got != min(i+1, readers) {
				t.Fatalf("%d goroutines look: a write after %d looks races with %d", readers, i+1, got)
			}
			hb.Pop(hb.Len() - 1)
		}
		if most := int64(n * (readers + 1 + shortTrace)); hb.Checks > most {
			t.Errorf("%d goroutines look: %d checks, want at most %d", readers, hb.Checks, most)
		}
	}
}
