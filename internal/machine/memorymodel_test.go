package machine

import (
	"math/rand/v2"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/vector"
	"github.com/gopor/gopor/sched/trace"
)

// TestMemoryModelByEntries compares what goroutines know of each other with vector clocks
// that are joined entry by entry, on random sequences of publishing and learning.
func TestMemoryModelByEntries(t *testing.T) {
	effort.Computes(t)
	for seed := range uint64(240) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := NewMachine(Config{})
		mm := NewMemoryModel(m)
		n := 2 + r.IntN(40)
		if seed >= 200 { // clocks are trees of three storeys
			n = 260 + r.IntN(300)
		}
		m.goroutineOf(trace.ID(n))
		dense := make([][]int32, len(m.Goroutines))
		for g := range dense {
			dense[g] = make([]int32, len(m.Goroutines))
		}
		type published struct {
			s snapshot
			d []int32
		}
		var snaps []published
		merged, denseMerged := vector.Clock{}, make([]int32, len(m.Goroutines))
		join := func(to, from []int32) {
			for i := range to {
				to[i] = max(to[i], from[i])
			}
		}
		busy := 1 + r.IntN(len(m.Goroutines)) // goroutines of which there is much to know
		for range max(400, 4*len(m.Goroutines)) {
			g := m.Goroutines[r.IntN(len(m.Goroutines))]
			if r.IntN(2) == 0 {
				g = m.Goroutines[r.IntN(busy)]
			}
			d := dense[g.ID]
			switch x := r.IntN(10); {
			case x < 3:
				s := mm.publish(g)
				d[g.ID]++
				snaps = append(snaps, published{s, append([]int32(nil), d...)})
			case x < 5:
				merged = mm.merge(merged, g)
				d[g.ID]++
				join(denseMerged, d)
			case x == 5:
				mm.learnAll(g, merged)
				join(d, denseMerged)
			case len(snaps) > 0:
				p := snaps[max(0, len(snaps)-1-r.IntN(30))]
				mm.learn(g, p.s)
				join(d, p.d)
			}
			for h, n := range d {
				id := trace.ID(h)
				if id != g.ID && (n > 0 && !mm.knows(g, id, n-1) || mm.knows(g, id, n)) {
					t.Fatalf("seed %d: goroutine %d is to know %d of goroutine %d", seed, g.ID, n, h)
				}
			}
			if d[g.ID] != g.view.time {
				t.Fatalf("seed %d: goroutine %d is at %d, not at %d", seed, g.ID, g.view.time, d[g.ID])
			}
		}
	}
}
