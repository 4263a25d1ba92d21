package bpor

import (
	"math/rand/v2"
	"testing"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// TestFinderEnds ends a search for a linearisation within a bound that would take very
// long, of a trace drawn at random of goroutines that use a few numbers in different
// orders.
func TestFinderEnds(t *testing.T) {
	for _, b := range []Bound{Delays(60), Preemptions(40)} {
		p := sched.New(func() {
			numbers := make([]sched.Int64, 8)
			for g := range 16 {
				sched.Go(func() {
					for i := range 12 {
						numbers[(g*i+i)%len(numbers)].Add(1)
					}
				})
			}
		}, sched.Options{})
		trail := search.NewTrail(p, func(*trace.Execution) bool { return true })
		l := newLinear(b, 0, &trail)
		asked := 0
		l.finder.over = func() bool {
			asked++
			return true
		}
		r := rand.New(rand.NewPCG(1, 2))
		for ops := trail.Pending(); len(ops) > 0; ops = trail.Pending() {
			ev := trail.Step(trace.Choice{G: ops[r.IntN(len(ops))].G})
			trail.Track(ev)
			l.push(len(trail.Events)-1, ev)
		}
		if l.within(16) || asked != 1 || trail.Err != trace.ErrInterrupted {
			t.Errorf("%v: asked %d times, %v", b, asked, trail.Err)
		}
		p.Shutdown()
	}
}
