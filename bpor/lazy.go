package bpor

import (
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// Lazy is Lazy-BPOR (002, algorithm 10 and the last one): source-DPOR that gives
// an execution up when its *trace* is over the bound, that is when all executions
// that differ from it only in the order of independent events are. So there are no
// conservative branches, and never more executions than of source-DPOR.
type Lazy struct {
	Bound Bound
	// Slack is by how much the traces that are explored may exceed the bound. A
	// trace is found by reversing a race in another one, which may be over the bound
	// although the trace itself is not. 0 is as printed, and may miss traces within
	// the bound; [Enough] visits all of them.
	Slack Slack
	// Estimate lets compulsory switches be counted in place of the exact minimum,
	// as the first approximation of the slides does. It takes less time for every
	// event and explores traces that are over the bound.
	Estimate bool
}

// Slack is an excess over a bound.
type Slack int

// Enough is the slack that makes an engine visit every trace within the bound: two
// less than the number of goroutines that take part.
const Enough Slack = -1

// of returns the slack of a trace of n goroutines.
func (s Slack) of(n int) int {
	if s == Enough {
		return max(0, n-2)
	}
	return int(s)
}

// Name returns "lazy-bpor", "lazy-bpor-slack" if it has [Enough], and either with
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

// Explore visits traces of p within the bound, and within the slack, none twice.
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
	gauge  gauge
	loaded int // frames below this number are those of a search within a smaller bound: see iterative
}

// gauge tells whether a trace is within a bound. Event n is the latest one, and
// follows those before it whatever was pushed after them. So many goroutines are
// known to take part in the execution.
type gauge interface {
	push(n int, ev *trace.Event)
	within(goroutines int) bool
	// spent reports whether one switch more may be over the bound, where so many goroutines that
	// could go on were left before.
	spent(goroutines, left int) bool
}

func newLazy(b bounded) lazy {
	b.limit = Bound{} // any schedule of a trace within the bound will do
	return lazy{bounded: b}
}

// Enter begins with the goroutine that is the first to go on where nothing else
// decides.
func (s *lazy) Enter(k int, ops []*trace.Op) (trace.Choice, bool) {
	f := s.begin(k, ops)
	return s.cheapest(k, ops, s.heir(f, ops))
}

// grace is how many times its patience a search lets somebody go on who has used up the bound.
const grace = 16

// heir returns the goroutine to go on where nothing else decides. That may be one that had no turn
// for long, which costs a switch. Where nothing is left of the bound for it, an execution would be given up
// that need not be, and so would every long one with a bound of 0; so the one that has moved goes on. Not
// for ever, since it may wait in a loop for the others.
func (s *lazy) heir(f *frame, ops []*trace.Op) trace.ID {
	first, mover := s.First(ops, f.sleep), s.Mover()
	if first == mover || f.stretch >= grace*search.Patience() || !s.goesOn(mover, ops, f.sleep) {
		return first
	}
	left := 0 // what leaving them costs shows when they have a turn again
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

// goesOn reports whether goroutine g has something to do that does not sleep.
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

// Next puts to sleep what was explored.
func (s *lazy) Next(k int) (trace.Choice, bool) {
	f := s.frames.At(k)
	f.sleep = append(f.sleep, s.Sleeper(k))
	return s.next(k)
}
