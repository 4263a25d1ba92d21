package por

import (
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/estimate"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// Auto is the engine of searches with a limit of time, unless an option names another one:
// it covers everything if the time suffices, and looks for failures where it does not.
//
// [Optimal] begins. If it has not come to its end after so many steps, and an estimate of
// the number of traces does not say that it will in time, then it goes on in turns with two
// others, which get a quarter of the steps each: one that goes bound by bound (0
// preemptions, 1, 2, ...; [bpor.Source]), since most bugs need few, and one that draws
// executions at random ([SURW], [PCT], [POS] and [Random] in turn). So a failure that Optimal would
// find is found after twice its steps at the latest. Turns are measured in steps: the
// executions are the same every time, as far as the estimate says the same. If Optimal has not completed an
// execution in half of the time, and in three seconds, that is given up, so that there is time for the others.
//
// A program that is no Go closure is left to Optimal as well.
//
// The verdict counts the executions of all three; what was covered bound by bound it says.
type Auto struct {
	Time time.Duration // the limit of the search; 0 means none, and leaves everything to Optimal
	Seed uint64        // of what is drawn at random
	// Alone is how many steps Optimal makes before there is anything else. 0 means 50,000,
	// which take a small part of a second.
	Alone int64
}

// Name returns "auto".
func (Auto) Name() string { return "auto" }

// About implements [trace.About].
func (a Auto) About() trace.About {
	about := trace.Describe(Optimal{})
	about.WithTime = func(d time.Duration) trace.Engine { a.Time = d; return a }
	about.WithSeed = func(seed uint64) trace.Engine { a.Seed = seed; return a }
	return about
}

// Explore visits every Mazurkiewicz trace of p, or executions of p until visit returns false.
func (a Auto) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	c, ok := p.(*sched.Closure)
	if !ok || a.Time <= 0 {
		return Optimal{}.Explore(p, visit)
	}
	s := auto{Auto: a, program: c, visit: visit, begin: time.Now()}
	s.whole = newTurns(p, Optimal{})
	s.bounded = newTurns(p, &ascending{})
	s.drawn = newTurns(p, drawing{a.Seed})
	defer func() {
		for _, t := range s.all() {
			t.stop()
		}
	}()
	err := s.explore()
	s.sum()
	s.stats.Exhaustive = s.whole.covered()
	return s.stats, err
}

// auto is an Auto under way.
type auto struct {
	Auto
	program               *sched.Closure
	visit                 func(*trace.Execution) bool
	begin                 time.Time
	whole, bounded, drawn *turns
	estimator             *estimate.Estimator // nil if there is none yet
	refused               bool                // by the visitor
	stats                 trace.Stats         // of all
}

func (s *auto) all() []*turns { return []*turns{s.whole, s.bounded, s.drawn} }

// explore gives turns until everything is covered or the visitor has had enough.
func (s *auto) explore() error {
	steps := s.Alone
	if steps <= 0 {
		steps = 50_000
	}
	for ; ; steps *= 2 {
		if err := s.give(s.whole, steps, max(s.left()/2, firstTime)); err != nil || s.whole.covered() || s.refused {
			return err
		}
		if !s.whole.over && s.inTime() {
			continue
		}
		if err := s.give(s.bounded, steps/2, max(s.left()/2, firstTime)); err != nil || s.refused {
			return err
		}
		if err := s.give(s.drawn, steps/2, 0); err != nil || s.refused || s.drawn.over {
			return err
		}
	}
}

func (s *auto) left() time.Duration { return s.Time - time.Since(s.begin) }

// give lets t explore for so many steps. If it has not completed a single execution in
// that time, unless that is 0, it is given up.
func (s *auto) give(t *turns, steps int64, most time.Duration) error {
	var d deadline
	if t.stats.Executions == 0 && most > 0 {
		d.end = time.Now().Add(most)
		d.program = s.program
		d.arm()
	}
	for goal := t.steps() + steps; !t.over && t.steps() < goal && !s.refused; {
		x := t.next()
		if x == nil {
			break
		}
		d.hold(true)
		s.sum()
		x.Stats = &s.stats
		s.refused = !s.visit(x)
		d.hold(false)
		if t.stats.Executions > 0 {
			d.disarm()
		}
	}
	if d.disarm() && errors.Is(t.err, trace.ErrInterrupted) {
		t.err = nil
	}
	t.rest()
	return t.err
}

// sum adds up what all have done.
func (s *auto) sum() {
	s.stats = s.whole.stats
	if !s.bounded.begun {
		return
	}
	s.stats.By = "optimal DPOR and hunt"
	var fruitless []string
	for _, t := range s.all() {
		if t != s.whole {
			s.stats = plus(s.stats, &t.stats)
			s.stats.Again += t.stats.Executions
		}
		if t.begun && t.stats.Executions == 0 && !t.stats.Exhaustive {
			fruitless = append(fruitless, t.engine.Name())
		}
	}
	s.stats.Exhaustive, s.stats.Elapsed = false, time.Since(s.begin)
	s.stats.Drawn = s.drawn.stats.Executions
	s.stats.Claim = s.bounded.stats.Claim
	s.stats.Fruitless = strings.Join(fruitless, ", ")
}

// inTime estimates whether Optimal comes to its end in the time that is left.
func (s *auto) inTime() bool {
	if s.estimator == nil {
		s.estimator = estimate.New(s.program, true, s.Seed+1)
	}
	for begin := time.Now(); time.Since(begin) < min(estimateTime, s.Time/20); {
		if err := s.estimator.Probe(); err != nil {
			return false
		}
	}
	count, deviation := s.estimator.Mean()
	n := float64(s.whole.stats.Executions)
	return count-deviation > n && (count-n)*time.Since(s.begin).Seconds() < n*s.left().Seconds()
}

// turns is an engine that explores in turns with others.
type turns struct {
	engine trace.Engine
	pull   func() (*trace.Execution, bool)
	stop   func()
	run    trace.Run // of the execution that was shown last
	begun  bool
	over   bool
	stats  trace.Stats
	err    error
}

func newTurns(p trace.Program, e trace.Engine) *turns {
	t := &turns{engine: e}
	t.pull, t.stop = iter.Pull(func(yield func(*trace.Execution) bool) {
		t.stats, t.err = e.Explore(p, yield)
		t.over = true
	})
	return t
}

// next returns the next execution, nil if there is none.
func (t *turns) next() *trace.Execution {
	t.begun = true
	x, ok := t.pull()
	if !ok {
		return nil
	}
	t.stats, t.run = *x.Stats, x.Run
	return x
}

// rest closes the execution that was shown last, so that another engine can start one.
func (t *turns) rest() {
	if t.run != nil {
		t.run.Close()
		t.run = nil
	}
}

func (t *turns) steps() int64 { return t.stats.Steps + t.stats.Replayed }

// covered reports whether everything was covered.
func (t *turns) covered() bool { return t.over && t.stats.Exhaustive }

// ascending is an engine that goes bound by bound. What a smaller bound allows is explored
// again.
type ascending struct{ before trace.Stats }

// Name returns "source-bpor-complete".
func (*ascending) Name() string { return bpor.Source{Complete: true}.Name() }

// Explore implements [trace.Engine].
func (e *ascending) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	for n := 0; ; n++ {
		claim, refused := e.before.Claim, false
		stats, err := bpor.Source{Bound: bpor.Preemptions(n), Complete: true}.Explore(p, func(x *trace.Execution) bool {
			sum := plus(e.before, x.Stats)
			sum.Claim = claim
			x.Stats = &sum
			refused = !visit(x)
			return !refused
		})
		e.before = plus(e.before, &stats)
		if err != nil || refused || !stats.Exhaustive {
			e.before.Claim = claim
			return e.before, err
		}
	}
}

// drawing is an engine that draws executions at random, in several ways.
type drawing struct{ seed uint64 }

// Name returns "random".
func (drawing) Name() string { return Random{}.Name() }

// Explore implements [trace.Engine].
func (e drawing) Explore(p trace.Program, visit func(*trace.Execution) bool) (sum trace.Stats, err error) {
	refused := false
	for n, seed := int64(1), e.seed; !refused && err == nil; n, seed = bunch, seed+1 {
		for _, e := range []trace.Engine{SURW{seed, n}, PCT{Seed: seed, Executions: n}, POS{seed, n}, Random{seed, n}} {
			var stats trace.Stats
			before := sum
			stats, err = e.Explore(p, func(x *trace.Execution) bool {
				sum = plus(before, x.Stats)
				x.Stats = &sum
				refused = !visit(x)
				return !refused
			})
			if sum = plus(before, &stats); refused || err != nil {
				break
			}
		}
	}
	return sum, err
}
