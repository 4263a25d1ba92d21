package search

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopor/gopor/sched/trace"
)

// TestStateDependent draws executions: a step from one state to the next, a return to an earlier
// state, or a gap of states that nothing is told of. It compares with lists of all operations of each
// state.
func TestStateDependent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const goroutines, states = 6, 12
	draw := func(g trace.ID) *trace.Op {
		op := &trace.Op{G: g, Footprint: trace.Footprint(r.IntN(3))}
		op.TouchNothing()
		for range r.IntN(4) {
			op.TouchAlso(int32(r.IntN(2)), trace.ModeAll)
		}
		return op
	}
	for range 400 {
		var s stateDependent
		var noted [][]*trace.Op // by state, nil for one that is not known
		for range 60 {
			k := len(noted)
			if k > 1 && r.IntN(3) == 0 {
				k = 1 + r.IntN(k-1)
				s.forget(k - 1)
				noted = noted[:k]
			}
			if k > 0 && r.IntN(12) == 0 {
				k++
			}
			if k >= states {
				k = 0
			}
			noted = noted[:min(k, len(noted))]
			for len(noted) < k {
				noted = append(noted, nil)
			}
			ops, changed := []*trace.Op{}, []*trace.Op(nil)
			mover, before := trace.ID(-1), []*trace.Op(nil)
			if k > 0 {
				before = noted[k-1]
			}
			if len(before) > 0 {
				mover = before[r.IntN(len(before))].G
			}
			for g := range trace.ID(goroutines) {
				op := opOf(g, before)
				switch {
				case op == nil || g == mover:
					if r.IntN(3) == 0 {
						continue
					}
					op = draw(g)
					changed = append(changed, op)
				case r.IntN(2) == 0:
					op = draw(g)
					changed = append(changed, op)
				case r.IntN(4) == 0:
					changed = append(changed, op, op) // it has not changed
				}
				ops = append(ops, op)
			}
			if before == nil {
				changed = changed[:r.IntN(len(changed)+1)]
			}
			s.note(k, ops, changed, mover)
			noted = append(noted, ops)
			for j, want := range noted {
				for g := range trace.ID(goroutines + 1) {
					op, was := opOf(g, want), s.before(j, g)
					pending := op != nil && op.Footprint < trace.SteadyFootprint
					if (was != nil) != pending || pending && (was.footprint != op.Footprint || !slices.Equal(was.uses.List(), op.Accesses())) {
						t.Fatalf("state %d of %d: goroutine %d has %+v, want %+v", j, k, g, was, op)
					}
				}
			}
		}
	}
}
