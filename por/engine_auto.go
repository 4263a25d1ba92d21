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
// others, which get a sixth of the steps each: one that goes bound by bound (0
// preemptions, 1, 2, ...; [bpor.Source]), since most bugs need few, and one that draws
// executions at random ([SURW], [PCT], [POS] and [Random] in turn). So a failure that Optimal would
// find is found after one and a half times its steps at the latest. Turns are measured in steps: the
// executions are the same every time, as far as the estimate says the same. If Optimal has not completed an
// execution in half of the time, and in three seconds, that is given up, so that there is time for the others.
//
// A program that is no Go closure is left to Optimal as well.
//
// The verdict counts the executions of all three; what was covered bound by bound it says.
type Auto struct {
	Time time.Duration // the limit of the search; 0 means none, and leaves everything to Optimal
	Seed uint64        // of what is drawn at random
	// Alone is how many steps Optimal makes before there is anything else. 0 means 200,000,
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
	s := &auto{Auto: a, program: c, visit: visit, begin: time.Now()}
	s.whole = &turns{engine: Optimal{}, begun: true}
	s.bounded = s.newTurns(&ascending{})
	s.drawn = s.newTurns(drawing{a.Seed})
	defer s.bounded.stop()
	defer s.drawn.stop()
	err := s.explore()
	if s.sum(); s.whole.stats.Exhaustive {
		s.stats.Exhaustive, s.stats.Claim, s.stats.Fruitless = true, s.whole.stats.Claim, ""
	}
	return s.stats, err
}

// auto is an Auto under way. Optimal calls the others between two executions of its own.
type auto struct {
	Auto
	program               *sched.Closure
	visit                 func(*trace.Execution) bool
	begin                 time.Time
	whole, bounded, drawn *turns
	waits                 *deadline           // of the engine whose turn it is
	estimator             *estimate.Estimator // nil if there is none yet
	refused               bool                // by the visitor
	stats                 trace.Stats         // of all
}

// explore explores until everything is covered or the visitor has had enough.
func (s *auto) explore() error {
	steps := s.Alone
	if steps <= 0 {
		steps = 200_000
	}
	s.whole.goal = steps
	var hunting error
	err := s.patiently(s.whole, func() {
		s.whole.stats, s.whole.err = Optimal{}.Explore(s.program, func(x *trace.Execution) bool {
			if s.pass(s.whole, x) && s.whole.steps() >= s.whole.goal {
				x.Run.Close() // so that others can start one
				if !s.inTime() {
					hunting = s.hunt(steps / 2)
				}
				steps *= 2
				s.whole.goal += steps
			}
			return !s.refused && hunting == nil
		})
	})
	if hunting != nil {
		return hunting
	}
	for ; err == nil && !s.refused && !s.whole.stats.Exhaustive && !s.drawn.over; steps *= 2 {
		err = s.hunt(steps)
	}
	return err
}

// hunt gives the others so many steps.
func (s *auto) hunt(steps int64) error {
	if err := s.give(s.bounded, steps/2); err != nil || s.refused {
		return err
	}
	return s.give(s.drawn, steps/2)
}

// give lets t explore for so many steps.
func (s *auto) give(t *turns, steps int64) error {
	t.begun = true
	t.goal = t.steps() + steps
	return s.patiently(t, func() { t.next() })
}

// patiently lets t explore. If it has not completed a single execution so far, and does not in
// half of the time that is left and in three seconds, it is given up, unless it is the last one.
func (s *auto) patiently(t *turns, explore func()) error {
	before := s.waits
	s.waits = new(deadline)
	if t.stats.Executions == 0 && t != s.drawn {
		s.waits.end = time.Now().Add(max(s.left()/2, firstTime))
		s.waits.program = s.program
		s.waits.arm()
	}
	explore()
	if s.waits.disarm() && errors.Is(t.err, trace.ErrInterrupted) {
		t.err = nil
	}
	s.waits = before
	return t.err
}

func (s *auto) left() time.Duration { return s.Time - time.Since(s.begin) }

// pass shows an execution of t to the visitor, and reports whether there are to be more.
func (s *auto) pass(t *turns, x *trace.Execution) bool {
	t.stats = *x.Stats
	if t.stats.Executions > 0 {
		s.waits.disarm()
	}
	s.waits.hold(true)
	defer s.waits.hold(false)
	s.sum()
	x.Stats = &s.stats
	s.refused = !s.visit(x)
	return !s.refused
}

// sum adds up what all have done.
func (s *auto) sum() {
	s.stats = s.whole.stats
	if !s.bounded.begun {
		return
	}
	s.stats.By = "optimal DPOR and hunt"
	var fruitless []string
	for _, t := range []*turns{s.whole, s.bounded, s.drawn} {
		if t != s.whole {
			s.stats = plus(s.stats, &t.stats)
			s.stats.Again += t.stats.Executions
		}
		if t.begun && t.stats.Executions == 0 {
			fruitless = append(fruitless, t.engine.Name())
		}
	}
	s.stats.Exhaustive, s.stats.Elapsed = false, time.Since(s.begin)
	s.stats.Drawn = s.drawn.stats.Executions
	s.stats.Claim = ""
	if !s.program.Loops() { // within a bound, to await something may leave out who looks later
		s.stats.Claim = s.bounded.stats.Claim
	}
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
	next   func() (struct{}, bool) // goes on until there are as many steps as the goal says
	stop   func()
	goal   int64
	begun  bool
	over   bool
	stats  trace.Stats
	err    error
}

// newTurns returns the turns of e, which explores, and shows what it explores, on a
// goroutine of its own: one that is known to run executions.
func (s *auto) newTurns(e trace.Engine) *turns {
	t := &turns{engine: e}
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.stats, t.err = e.Explore(s.program, func(x *trace.Execution) bool {
			if !s.pass(t, x) || t.steps() < t.goal {
				return !s.refused
			}
			x.Run.Close()
			return yield(struct{}{})
		})
		t.over = true
	})
	return t
}

func (t *turns) steps() int64 { return t.stats.Steps + t.stats.Replayed }

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
