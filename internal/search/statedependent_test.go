package search

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopor/gopor/sched/trace"
)

// TestStateDependent notes operations that are drawn, in states that are drawn: the next one, one
// that was there before, or one after a gap. It compares with lists of all operations of each state.
func TestStateDependent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var s StateDependent
		const goroutines, states = 6, 12
		states0 := make([]map[trace.ID][]trace.Access, states) // nil: not known
		last := -1
		for range 60 {
			k := last + 1
			if last > 0 && r.IntN(3) == 0 {
				k = r.IntN(last + 1)
			} else if r.IntN(12) == 0 {
				k++
			}
			if k >= states {
				k = 0
			}
			for j := min(last+1, k); j < states; j++ {
				states0[j] = nil
			}
			states0[k] = make(map[trace.ID][]trace.Access)
			var ops []*trace.Op
			for g := range trace.ID(goroutines) {
				op := &trace.Op{G: g, Footprint: trace.Footprint(r.IntN(3))}
				op.TouchNothing()
				for range r.IntN(4) {
					op.TouchAlso(int32(r.IntN(2)), trace.ModeAll)
				}
				if r.IntN(3) == 0 {
					continue
				}
				ops = append(ops, op)
				if op.Footprint < trace.SteadyFootprint {
					states0[k][g] = op.Accesses()
				}
			}
			s.Note(k, ops)
			last = k
			for j, want := range states0[:k+1] {
				for g := range trace.ID(goroutines + 1) {
					as, pending := want[g]
					if u := s.Before(j, g); (u != nil) != pending || pending && !slices.Equal(u.List(), as) {
						t.Fatalf("state %d of %d: goroutine %d uses %v, want %v, %v", j, k, g, u, as, pending)
					}
				}
			}
		}
	}
}

// TestManyPending notes more operations than are kept.
func TestManyPending(t *testing.T) {
	var ops []*trace.Op
	for g := range trace.ID(mostPending + 1) {
		op := &trace.Op{G: g}
		op.Touch(0, trace.ModeAll)
		ops = append(ops, op)
	}
	var s StateDependent
	s.Note(0, ops[1:])
	s.Note(1, ops)
	if s.Before(0, 1) == nil || s.Before(1, 1) != nil {
		t.Error("the operation is not known in the state with as many as are kept, or known in that with one more")
	}
}
