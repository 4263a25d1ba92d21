package irs

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gopor/gopor/sched/trace"
)

// measured is the number of executions of a candidate.
const measured = 30

// fastest tries first executions of f; p is f under control. It enforces all of each execution,
// and returns the schedule with the least median time. It returns nil if none is correct, or
// none can be enforced.
//
// The paper chooses by hand (section 5, "Structure of scheduling constraints"): a trace is fast
// if few goroutines wait often, and before their first event. So the candidates run goroutines
// to their ends, one after the other, in several orders. The first candidate takes turns.
func fastest(ctx context.Context, p trace.Program, o Options, f func()) (best trace.Schedule) {
	var least time.Duration
	for k := range o.Candidates {
		if ctx.Err() != nil {
			break
		}
		s := candidate(p, k)
		one := Options{Sched: o.Sched, MaxExecutions: 1, First: s, Barrier: o.Barrier}
		r, err := verify(ctx, p, one, f)
		if err != nil || !slices.Equal(r.First, s) {
			continue
		}
		t, ok := measure(r.Prefix, f)
		if ok && (best == nil || t < least) {
			best, least = s, t
		}
	}
	return best
}

// candidate returns the schedule of an execution. In number 0 goroutines take turns. In the
// others they run to their ends, by precedence: first started first, last started first, and at
// random.
func candidate(p trace.Program, k int) (s trace.Schedule) {
	r := rand.New(rand.NewPCG(uint64(k), 1))
	var ranks []int
	rank := func(g, last trace.ID) int { // the least comes first
		switch {
		case k == 0 && g <= last:
			return int(g) + 1<<30
		case k <= 1:
			return int(g)
		case k == 2:
			return -int(g)
		}
		for int(g) >= len(ranks) {
			ranks = append(ranks, r.Int())
		}
		return ranks[g]
	}
	run := p.Start()
	defer run.Close()
	last := trace.ID(-1)
	for ops := run.Pending(); len(ops) > 0; ops = run.Pending() {
		g := ops[0].G
		for _, op := range ops[1:] {
			if rank(op.G, last) < rank(g, last) {
				g = op.G
			}
		}
		c := trace.Choice{G: g}
		if _, err := run.Step(c); err != nil {
			return nil
		}
		s, last = append(s, c), g
	}
	return s
}

// measure returns the median time of an execution under a prefix.
func measure(p *Prefix, f func()) (time.Duration, bool) {
	var times []time.Duration
	for range measured {
		r, err := Execute(context.Background(), p, f)
		if err != nil {
			return 0, false
		}
		times = append(times, r.Time)
	}
	slices.Sort(times)
	return times[len(times)/2], true
}

// fewest verifies from each of the candidates on. It returns the result with the fewest
// constraints in its prefix, and of those with as many the one with the fewest events. The
// result r takes part.
func fewest(ctx context.Context, p trace.Program, o Options, f func(), r *Result) *Result {
	less := func(p, q *Prefix) bool {
		return cmp.Or(cmp.Compare(len(p.Constraints), len(q.Constraints)), cmp.Compare(len(p.Events), len(q.Events))) < 0
	}
	best := r
	for k := range o.Candidates {
		other := o
		other.First, other.Relaxed = candidate(p, k), nil
		s, err := verify(ctx, p, other, f)
		if err == nil && less(s.Prefix, best.Prefix) {
			best = s
		}
		if ctx.Err() != nil {
			break
		}
	}
	if best != r && o.Relaxed != nil {
		o.Relaxed(best.Prefix)
	}
	return best
}
