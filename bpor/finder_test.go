package bpor

import (
	"math/rand/v2"
	"testing"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// tangle starts goroutines that use a few numbers in different orders.
func tangle() {
	numbers := make([]sched.Int64, 8)
	for g := range 16 {
		sched.Go(func() {
			for i := range 12 {
				numbers[(g*i+i)%len(numbers)].Add(1)
			}
		})
	}
}

// TestMinimumEnds ends the search for the cheapest order of such a trace, which would take very long.
func TestMinimumEnds(t *testing.T) {
	p := exec.New(tangle, exec.Options{})
	defer p.Shutdown()
	var s trace.Schedule
	r := rand.New(rand.NewPCG(1, 2))
	run := p.Start()
	for ops := run.Pending(); len(ops) > 0; ops = run.Pending() {
		s = append(s, trace.Choice{G: ops[r.IntN(len(ops))].G})
		if _, err := run.Step(s[len(s)-1]); err != nil {
			t.Fatal(err)
		}
	}
	run.Close()
	for _, b := range []Bound{Delays(0), Preemptions(0)} {
		asked := 0
		n, err := Minimum(p, s, b, func() bool {
			asked++
			return asked == 3
		})
		if n != 0 || err != trace.ErrInterrupted || asked != 3 {
			t.Errorf("%v: %d, %v, asked %d times", b, n, err, asked)
		}
	}
}

// TestFinderEnds ends a search for a linearisation within a bound that would take very
// long, of a trace drawn at random.
func TestFinderEnds(t *testing.T) {
	for _, b := range []Bound{Delays(60), Preemptions(40)} {
		p := exec.New(tangle, exec.Options{})
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
