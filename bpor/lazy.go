package bpor

import (
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// Lazy is Lazy-BPOR (002, algorithm 10 and the last one): source-DPOR that prunes an execution
// when its *trace* is over the bound. That is so when all executions are that differ from it
// only in the order of independent events. So it needs no conservative branches, and never more
// executions than source-DPOR.
type Lazy struct {
	Bound Bound
	// Slack is by how much the explored traces may exceed the bound. A trace is found by
	// reversing a race in another one, which may be over the bound although the trace itself is
	// not. 0 is as printed, and may miss traces within the bound; [Enough] visits all of them.
	Slack Slack
	// Estimate counts compulsory switches in place of the exact minimum, as the first
	// approximation of the slides does. It takes less time for every event and explores traces
	// that are over the bound.
	Estimate bool
}

// Slack is an excess over a bound.
type Slack int

// Enough is the slack with which an engine visits every trace within the bound: two less than
// the number of goroutines that take part.
const Enough Slack = -1

// of returns the slack of a trace of n goroutines.
func (s Slack) of(n int) int {
	if s == Enough {
		return max(0, n-2)
	}
	return int(s)
}

// Name returns "lazy-bpor", or "lazy-bpor-slack" with [Enough] slack, and either with
// "-estimate".
func (e Lazy) Name() string {
	name := "lazy-bpor"
	if e.Slack == Enough {
		name += "-slack"
	}
	if e.Estimate {
		name += "-estimate"
	}
	return name
}

// Explore visits traces of p within the bound plus the slack, each at most once.
func (e Lazy) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	b, err := newBounded(p, visit, e.Bound)
	if err != nil {
		return trace.Stats{}, err
	}
	s := newLazy(b)
	if s.gauge = newLinear(e.Bound, e.Slack, &s.Trail); e.Estimate {
		s.gauge = &estimate{bound: e.Bound, slack: e.Slack, hb: b.HB}
	}
	stats, err := s.Finish(s.Trail.Explore(&s))
	e.Bound.claim(&stats, e.Slack == Enough, stats.Pruned == 0)
	return stats, err
}

// lazy is the search of Lazy.
type lazy struct {
	bounded
	gauge gauge
	// Frames below this number belong to a search within a smaller bound: see iterative.
	loaded int
}

// gauge tells whether a trace is within a bound. Event n is the latest one; it follows the
// first n events, and events pushed after those are dropped. The argument goroutines is the
// number of goroutines known to take part.
type gauge interface {
	push(n int, ev *trace.Event)
	within(goroutines int) bool
	// spent reports whether one more switch may exceed the bound, where left enabled goroutines
	// were left before.
	spent(goroutines, left int) bool
}

func newLazy(b bounded) lazy {
	b.limit = Bound{} // any schedule of a trace within the bound is allowed
	return lazy{bounded: b}
}

// Enter begins with the goroutine that comes first where nothing else decides.
func (s *lazy) Enter(k int, ops []*trace.Op) (trace.Choice, bool) {
	f := s.begin(k, ops)
	return s.cheapest(k, ops, s.heir(f, ops))
}

// grace is how many times its patience a search goes on with a goroutine that has used up the
// bound.
const grace = 16

// heir returns the goroutine to go on where nothing else decides. It prefers one that has
// waited for long, which costs a switch. If the bound has nothing left for the switch, the
// execution would be pruned without need, and so would every long one with a bound of 0. So the
// goroutine that moved last goes on. It does not do so forever, since it may wait in a loop for
// the others.
func (s *lazy) heir(f *frame, ops []*trace.Op) trace.ID {
	first, mover := s.First(ops, f.sleep), s.Mover()
	if first == mover || f.stretch >= grace*search.Patience() || !s.goesOn(mover, ops, f.sleep) {
		return first
	}
	left := 0 // the cost of leaving them shows when they move again
	for _, op := range ops {
		if op.G != mover && s.HB.Last(int32(op.G)) >= 0 {
			left++
		}
	}
	if s.gauge.spent(s.goroutines(f), left) {
		return mover
	}
	return first
}

// goesOn reports whether goroutine g has a pending operation that does not sleep.
func (s *lazy) goesOn(g trace.ID, ops []*trace.Op, sleep search.SleepSet) bool {
	for _, op := range ops {
		if op.G == g {
			return sleep.Awake(op, s.Turn()) >= 0
		}
	}
	return false
}

// Record reverses the races of ev. It returns false if the trace is over the bound.
func (s *lazy) Record(ev *trace.Event) bool {
	k, e := s.record(ev)
	for _, first := range s.HB.Races(k) {
		s.Stats.Races++
		s.reverse(int(first), k, s.sources(int(first), k))
	}
	f, next := s.frames.At(k), s.frames.At(k+1)
	if k+1 >= s.loaded {
		next.sleep = s.After(f.sleep[:f.asleep], next.sleep, e)
	}
	s.gauge.push(k, ev)
	return s.gauge.within(f.known)
}

// Next puts the explored choice to sleep.
func (s *lazy) Next(k int) (trace.Choice, bool) {
	f := s.frames.At(k)
	f.sleep = append(f.sleep, s.Sleeper(k))
	return s.next(k)
}
