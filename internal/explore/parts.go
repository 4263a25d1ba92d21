package explore

import (
	"math"
	"time"

	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

// Parted is a program with parts, such as the subtests of a test.
type Parted interface {
	Parts() []string
	Focus(part int)
}

// byParts lets an engine explore the parts of a program one at a time, the others under
// one schedule each, and then all of it together if that is likely to come to an end.
// Subtests hardly ever have to do with each other; those that do not would multiply the
// executions of each other.
type byParts struct {
	engine trace.Engine
	limit  time.Duration // 0: none
	state  *partsState
	over   func() bool // the search was stopped
}

// partsState is how far it is.
type partsState struct {
	n        int  // parts, 1 if it is all the same
	together bool // they were explored together, to the end
	late     bool // the time was over for one of them
}

// onePart is what was covered where subtests were not explored together.
const onePart = "every trace of each subtest, with one schedule of the others,"

// withParts returns the engine that searches in the place of e.
func (s *Session) withParts(e trace.Engine) trace.Engine {
	switch e.(type) {
	case engine.Auto, engine.Optimal, engine.Reverse, engine.Source, engine.DPOR, divisible[trace.Engine]:
	default:
		return e
	}
	if s.Findings.Tally == nil {
		return e
	}
	return byParts{engine: e, state: &s.State.parts, over: s.Over}
}

// Name implements [trace.Engine].
func (e byParts) Name() string { return e.engine.Name() }

// About implements [trace.About].
func (e byParts) About() trace.About {
	about := trace.Describe(e.engine)
	about.WithTime = func(d time.Duration) trace.Engine { e.limit = d; return e }
	return about
}

// Explore implements [trace.Engine].
func (e byParts) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	q, ok := p.(Parted)
	if !ok {
		return e.timed(e.limit).Explore(p, visit)
	}
	defer q.Focus(-1)
	r := &partsRun{byParts: e, p: p, q: q, visit: visit, begin: time.Now()}
	return r.explore()
}

// timed returns the engine that explores for so long, if there is a limit.
func (e byParts) timed(d time.Duration) trace.Engine {
	if with := trace.Describe(e.engine).WithTime; with != nil && e.limit > 0 {
		return with(d)
	}
	return e.engine
}

// partsRun is a search of byParts.
type partsRun struct {
	byParts
	p       trace.Program
	q       Parted
	visit   func(*trace.Execution) bool
	begin   time.Time
	before  trace.Stats // of the parts that are done with
	stats   trace.Stats // of all
	stopped bool        // by visit
}

func (r *partsRun) explore() (trace.Stats, error) {
	product, all := 1.0, true
	for k := 0; k < len(r.q.Parts()); k++ {
		n := r.before.Executions
		exhaustive, err := r.part(k)
		if err != nil || r.stopped {
			return r.stats, err
		}
		product *= float64(r.before.Executions - n)
		all = all && exhaustive
	}
	r.state.n = len(r.q.Parts())
	if r.state.n == 1 {
		r.stats.Exhaustive = all
		return r.stats, nil
	}
	if all {
		r.stats.Claim = onePart
		r.before.Claim = onePart
	}
	if all && r.worthwhile(product) {
		exhaustive, err := r.part(-1)
		r.state.together = exhaustive
		if exhaustive {
			r.stats.Exhaustive, r.stats.Claim = true, ""
		}
		return r.stats, err
	}
	return r.stats, nil
}

// part explores a part, or all of them together if it is negative.
func (r *partsRun) part(k int) (exhaustive bool, err error) {
	r.q.Focus(k)
	begin := time.Now()
	e := r.timed(r.share(k, begin))
	part := ""
	if k >= 0 {
		part = r.q.Parts()[k]
	}
	by, shared := e.(divisible[trace.Engine])
	if shared {
		e = by.OfPart(r.share(k, begin), k >= 0, part)
	}
	if auto, ok := e.(engine.Auto); ok {
		if h, ok := auto.Helper().(divisible[engine.Helper]); ok {
			e = auto.With(h.OfPart(0, k >= 0, part), auto.Only())
		}
	}
	stats, err := e.Explore(r.p, func(x *trace.Execution) bool {
		r.stats = r.before.Then(x.Stats)
		x.Stats = &r.stats
		r.stopped = !r.visit(x)
		late := time.Since(begin) >= r.share(k, begin)
		r.state.late = r.state.late || late
		return !r.stopped && !late
	})
	r.stopped = r.stopped || r.over()
	r.state.late = r.state.late || shared && err == nil && !stats.Exhaustive && !r.stopped
	r.before = r.before.Then(&stats)
	r.stats = r.before
	r.stats.Exhaustive = false
	return stats.Exhaustive, err
}

// share returns how long a part may be explored that was begun at a time: those that are
// left get as long each. It is for ever if there is no limit.
func (r *partsRun) share(k int, begin time.Time) time.Duration {
	if r.limit == 0 {
		return math.MaxInt64
	}
	left := r.limit - begin.Sub(r.begin)
	if k < 0 {
		return left
	}
	return left / time.Duration(len(r.q.Parts())-k)
}

// worthwhile reports whether n executions, of all parts together, are likely to come to an
// end in half of the time that is left.
func (r *partsRun) worthwhile(n float64) bool {
	took := time.Since(r.begin)
	left := math.Inf(1)
	if r.limit > 0 {
		left = (r.limit - took).Seconds()
	}
	return n <= mostTogether && n*took.Seconds()/float64(r.before.Executions) <= left/2
}

// mostTogether is how many executions, of all parts together, are worth the time.
const mostTogether = 100_000
