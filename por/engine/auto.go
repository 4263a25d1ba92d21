package engine

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/estimate"
	"github.com/gopor/gopor/internal/tuning"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Auto is the engine of searches with a limit of time, unless an option names another one:
// it covers everything if the time suffices, and looks for failures where it does not.
//
// [Optimal] begins. If it has not come to its end after so many steps, and an estimate of
// the number of traces does not say that it will in time, then it goes on in turns with two others:
// one that goes bound by bound (0 preemptions, 1, 2, ...; [bpor.Source]), since most bugs need few,
// and one that draws executions at random ([SURW], [PCT], [POS] and [Random] in turn). The latter
// begins with executions near the first one: one race comes the other way round, or a goroutine is
// held before one operation (see search.Near). In long executions that has a turn as long as the
// first one of Optimal, right after that. From then on Optimal has half of the steps, and each of
// the others an eighth. The last quarter goes to the one that finds most lately: most pairs of
// events that have not followed one another before, in as many steps. Some executions are run a
// second time to count them. So a failure that Optimal would find is found after twice its steps at
// the latest, or three times in long executions. However long the first execution is, Optimal
// begins a second one before, since many long tests have one trace. Turns are measured in steps:
// the executions are the same every time, as far as the estimate says the same. But if a quarter of
// the time is over and Optimal has not made an eighth of the steps for which it is alone, since the
// code between them takes long, then its first turn is over. If it has not completed an execution
// in half of the time, and in three seconds, that is given up, so that there is time for the
// others.
//
// A program that is no Go closure is left to Optimal as well.
//
// The verdict counts the executions of all three; what was covered bound by bound it says.
//
// In a check that is to take more than a second all is explored by worker processes as well, one
// for each processor but the one of this process, if others may do what the test does (the option
// Processes of package por says when). [Reverse] takes the place of Optimal then, from the
// beginning, here and in the workers. So which of several failures is found first depends on how
// fast these are.
type Auto struct {
	Time time.Duration // the limit of the search; 0 means none, and leaves everything to Optimal
	Seed uint64        // of what is drawn at random
	// Alone is how many steps Optimal makes before there is anything else. 0 means 200,000,
	// which take a small part of a second.
	Alone int64

	only   trace.Engine // explores without the others, and in place of Optimal, unless it is nil
	helper Helper       // nil for none
}

// A Helper explores beside an [Auto]: other processes, all of them by [Reverse]. Its methods are
// called while no execution of the Auto runs, but for Hears and Stats.
type Helper interface {
	// Wanted reports whether Begin is to be called for a search of p that takes longer than After.
	// It is not if it was called before, or if something is known that keeps others from exploring.
	Wanted(p *exec.Closure) bool
	After() time.Duration
	// Begin has others explore p, unless there is a reason against it. So many executions of the
	// Auto do not count if those of the helper do. Only says that the Auto hunts for nothing: the
	// failure that is looked for is the first one in the order of Reverse.
	Begin(p *exec.Closure, executions int64, only bool)
	// Works reports whether others explore, or are about to.
	Works() bool
	// Explore explores here, as the others do, until so many steps were made by it in all. It
	// reports whether the search goes on.
	Explore(steps int64) bool
	Made() int64 // steps by Explore
	// Hears reports whether there is something for Hear, which takes what others have found and
	// gives them something to do.
	Hears() bool
	Hear()
	// Ended reports whether others have brought the search to its end: all is explored, or a
	// failure was found. End ends them as they are.
	Ended() bool
	End()
	// Stats returns what others have done, and Title what verdicts call that.
	Stats() trace.Stats
	Title() string
	// Pace returns how many executions others have explored, and how many are a second, if one
	// process explores so many.
	Pace(one float64) (executions, rate float64)
}

// With returns the engine beside which h explores. Unless only is nil, it takes the place of
// Optimal, and nothing else explores.
func (a Auto) With(h Helper, only trace.Engine) Auto {
	a.helper, a.only = h, only
	return a
}

// Helper returns what explores beside the engine, nil if nothing does.
func (a Auto) Helper() Helper { return a.helper }

// Only returns what explores in the place of Optimal, nil if that does.
func (a Auto) Only() trace.Engine { return a.only }

// noHelp is a Helper that explores nothing.
type noHelp struct{}

func (noHelp) Wanted(*exec.Closure) bool        { return false }
func (noHelp) After() time.Duration             { return 0 }
func (noHelp) Begin(*exec.Closure, int64, bool) {}
func (noHelp) Works() bool                      { return false }
func (noHelp) Explore(int64) bool               { return true }
func (noHelp) Made() int64                      { return 0 }
func (noHelp) Hears() bool                      { return false }
func (noHelp) Hear()                            {}
func (noHelp) Ended() bool                      { return false }
func (noHelp) End()                             {}
func (noHelp) Stats() trace.Stats               { return trace.Stats{} }
func (noHelp) Title() string                    { return "" }
func (noHelp) Pace(float64) (n, rate float64)   { return 0, 0 }

// The engines of an Auto, by their numbers in its plan.
const (
	whole = iota
	bounded
	drawn
)

// Name returns "auto".
func (Auto) Name() string { return "auto" }

// About implements [trace.About].
func (a Auto) About() trace.About {
	about := trace.Describe(a.whole())
	about.WithTime = func(d time.Duration) trace.Engine { a.Time = d; return a }
	about.WithSeed = func(seed uint64) trace.Engine { a.Seed = seed; return a }
	return about
}

// whole returns the engine that begins.
func (a Auto) whole() trace.Engine {
	if a.only != nil {
		return a.only
	}
	return Optimal{}
}

// Explore visits every Mazurkiewicz trace of p, or executions of p until visit returns false.
func (a Auto) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	c, ok := p.(*exec.Closure)
	if !ok || a.Time <= 0 && a.helper == nil {
		return a.whole().Explore(p, visit)
	}
	if a.Time <= 0 && a.only == nil { // there is nothing to hunt for
		a.only = a.whole()
	}
	if a.helper == nil {
		a.helper = noHelp{}
	}
	s := &auto{Auto: a, program: c, visit: visit, begin: time.Now()}
	if s.Alone <= 0 {
		s.Alone = tuning.AloneSteps
	}
	s.met = pairs{trace.NewTracker(trace.Dependence), make(map[uint64]struct{})}
	s.all = [3]*turns{{engine: a.whole(), begun: true}, s.newTurns(&ascending{}), s.newTurns(drawing{a.Seed, s.drawsOn})}
	s.all[whole].yield.due = s.Alone / 2
	s.all[bounded].over, s.all[drawn].over = a.only != nil, a.only != nil
	defer s.all[bounded].stop()
	defer s.all[drawn].stop()
	err := s.explore()
	s.helper.End()
	switch s.sum(); {
	case s.all[whole].stats.Exhaustive:
		s.stats.Exhaustive, s.stats.Claim, s.stats.Fruitless = true, s.all[whole].stats.Claim, ""
	case s.helper.Stats().Exhaustive:
		s.stats.Exhaustive, s.stats.Claim, s.stats.Fruitless = true, "", ""
	}
	return s.stats, err
}

// auto is an Auto under way. Optimal calls the others between two executions of its own.
type auto struct {
	Auto
	program   *exec.Closure
	visit     func(*trace.Execution) bool
	begin     time.Time
	all       [3]*turns
	plan      *plan               // nil as long as Optimal is alone
	met       pairs               // by all
	looked    int64               // steps of executions that were run for that
	waits     *deadline           // of the engine that has its turn
	estimator *estimate.Estimator // nil if there is none yet
	refused   bool                // by the visitor
	pace      float64             // executions of Optimal a second, before there are workers
	stats     trace.Stats         // of all
}

// explore explores until everything is covered or the visitor has had enough.
func (s *auto) explore() error {
	t := s.all[whole]
	t.goal = s.Alone
	var hunting error
	err := s.patiently(t, func() {
		t.stats, t.err = t.engine.Explore(s.program, func(x *trace.Execution) bool {
			if s.plan == nil && t.stats.MaxDepth >= longSteps {
				t.goal = s.Alone / 8
			}
			if s.pass(t, x) && (t.steps() >= t.goal && t.shown() > 1 || s.slow() && !(x.Only != nil && x.Only())) {
				x.Run.Close() // so that others can start one
				hunting = s.hunt()
			}
			return !s.stops() && hunting == nil
		})
	})
	t.over = true
	if hunting != nil {
		return hunting
	}
	for err == nil && !s.stops() && !t.stats.Exhaustive && !(s.all[bounded].over && s.all[drawn].over) {
		err = s.hunt()
	}
	return err
}

// stops reports whether nothing more is to be explored.
func (s *auto) stops() bool { return s.refused || s.helper.Ended() }

// slow reports whether the first turn of Optimal is over because it would take too long.
func (s *auto) slow() bool {
	return s.Time > 0 && s.plan == nil && s.all[whole].steps() < s.Alone/8 && time.Since(s.begin) > s.Time/4
}

// hunt lets others explore, until it is Optimal's turn again.
func (s *auto) hunt() error {
	if s.plan == nil {
		s.plan = newPlan(max(s.all[whole].steps(), 1))
		if t := s.all[drawn]; s.all[whole].stats.MaxDepth >= longSteps && !t.over {
			if err := s.turn(t, s.all[whole].steps()); err != nil || s.stops() {
				return err
			}
		}
	}
	if s.wantsOthers() {
		s.helper.Begin(s.program, s.all[whole].stats.Executions, s.only != nil)
	}
	for {
		var made [3]int64
		var gone [3]bool
		for i, t := range s.all {
			made[i], gone[i] = t.steps(), t.over
		}
		made[whole] += s.helper.Made()
		who, goal := s.plan.next(made, gone, s.best(), s.inTime)
		if who < 0 {
			return nil
		}
		if who == whole && s.helper.Works() {
			if goesOn := s.helper.Explore(goal - s.all[whole].steps()); !goesOn || s.stops() {
				s.refused = true
				return nil
			}
			continue
		}
		t := s.all[who]
		if who == whole {
			goal -= s.helper.Made()
		}
		if who == whole {
			t.goal = goal
			t.yield.turn(t.steps(), goal)
			return nil
		}
		if err := s.turn(t, goal); err != nil || s.stops() {
			return err
		}
	}
}

// turn lets t explore, which is not Optimal, until it has made so many steps.
func (s *auto) turn(t *turns, goal int64) error {
	t.goal, t.begun = goal, true
	t.yield.turn(t.steps(), goal)
	return s.patiently(t, func() { t.next() })
}

// wantsOthers reports whether it is time for workers: the search is expected to take a second more,
// in which many executions can be explored.
func (s *auto) wantsOthers() bool {
	t := s.all[whole]
	took, after := time.Since(s.begin), s.helper.After()
	if !s.helper.Wanted(s.program) || t.over || s.Time > 0 && s.left() < 2*after || took > time.Duration(t.shown())*slowExecution {
		return false
	}
	count, deviation := s.guess()
	n := float64(t.stats.Executions)
	s.pace = n / took.Seconds()
	return count-deviation <= n || (count-n)*took.Seconds() > n*after.Seconds()
}

// longSteps is how many steps the longest execution has where Optimal is alone for an eighth of the
// steps: it does not come to its end there, as a rule.
const longSteps = 512

// estimateTime is how long an estimate of the number of traces may take.
const estimateTime = 20 * time.Millisecond

// slowExecution is how long an execution may take where workers are to gain anything: they explore
// some before they begin.
const slowExecution = 100 * time.Millisecond

// best returns the number of the engine that finds most, -1 if none finds anything.
func (s *auto) best() int {
	best, most := -1, 0.0
	for i, t := range s.all {
		unseen := i == whole && s.helper.Works() // of what others explore nothing is looked at
		if r := t.yield.rate(); r > most && !t.over && !unseen {
			best, most = i, r
		}
	}
	return best
}

// patiently lets t explore. It is given up if an execution does not end in the time that allowed
// says, unless it is the only engine.
func (s *auto) patiently(t *turns, explore func()) error {
	before := s.waits
	if before != nil { // t goes on inside the turn of another engine
		before.hold(true)
		defer func() {
			if outer := s.all[whole]; outer.stats.Executions > 0 {
				before.move(s.allowed(outer))
			}
			before.hold(false)
		}()
	}
	s.waits = new(deadline)
	if s.only == nil {
		s.waits.program = s.program
		if t.stats.Executions > 0 || t != s.all[drawn] {
			s.waits.move(s.allowed(t))
		}
	}
	explore()
	if s.waits.disarm() && errors.Is(t.err, trace.ErrInterrupted) {
		t.err = nil
	}
	s.waits = before
	return t.err
}

// allowed returns until when the next execution of t may take. A program may have executions
// without end, as where goroutines wake up each other until a timer fires. There others find more.
//
// The first execution of an engine has half of the time that is left, and three seconds at least.
// So has each one of Optimal. Later ones of other engines have an eighth of all the time, a second
// at least, and four times as long as executions take on average.
func (s *auto) allowed(t *turns) time.Time {
	now := time.Now()
	most := max(s.left()/2, tuning.FirstTime)
	if t.stats.Executions > 0 && t != s.all[whole] {
		average := now.Sub(s.begin) / time.Duration(max(s.stats.Executions, 1))
		most = max(s.Time/8, time.Second, 4*average)
	}
	return now.Add(most)
}

// drawsOn lets the engine that draws executions go on after one that has taken too long. It reports
// whether that is why it was interrupted.
func (s *auto) drawsOn() bool { return s.waits.forgive(s.allowed(s.all[drawn])) }

func (s *auto) left() time.Duration { return s.Time - time.Since(s.begin) }

// pass shows an execution of t to the visitor, and reports whether there are to be more.
func (s *auto) pass(t *turns, x *trace.Execution) bool {
	t.stats = *x.Stats
	s.waits.hold(true)
	defer func() {
		if t.stats.Executions > 0 {
			s.waits.move(s.allowed(t))
		}
		s.waits.hold(false)
	}()
	s.sum()
	x.Stats = &s.stats
	s.refused = !s.visit(x)
	if !s.refused && t.steps() >= t.yield.due {
		s.look(t, x)
	}
	if !s.refused && s.helper.Hears() {
		x.Run.Close()
		s.helper.Hear()
	}
	return !s.stops()
}

// look counts the new pairs of an execution.
func (s *auto) look(t *turns, x *trace.Execution) {
	schedule := slices.Clone(x.Schedule)
	x.Run.Close()
	t.yield.pairs += float64(s.met.add(s.program, schedule))
	t.yield.steps += float64(len(schedule))
	s.looked += int64(len(schedule))
	t.yield.due = t.steps() + max(t.yield.gap, rarely*int64(len(schedule)))
}

// sum adds up what all have done.
func (s *auto) sum() {
	others := s.helper.Stats()
	hunted := s.all[bounded].begun || s.all[drawn].begun
	if others.Executions > 0 && s.only != nil {
		s.stats = others
		s.stats.By, s.stats.Elapsed = s.helper.Title(), time.Since(s.begin)
		return
	}
	s.stats = s.all[whole].stats
	s.stats.Replayed += s.looked
	if !hunted && others.Executions == 0 {
		return
	}
	s.stats.By = "optimal DPOR and hunt"
	if others.Executions > 0 {
		s.stats = s.stats.Then(&others)
		s.stats.Again += s.all[whole].stats.Executions
		s.stats.By = s.helper.Title()
		if hunted {
			s.stats.By += " and hunt"
		}
	}
	var fruitless []string
	for i, t := range s.all {
		if i != whole {
			s.stats = s.stats.Then(&t.stats)
			s.stats.Again += t.stats.Executions
		}
		if t.stats.Executions == 0 && t.begun {
			fruitless = append(fruitless, t.engine.Name())
		}
	}
	s.stats.Exhaustive, s.stats.Elapsed = false, time.Since(s.begin)
	s.stats.Drawn = s.all[drawn].stats.Executions
	s.stats.Claim = ""
	// Within a bound, to await something may leave out goroutines that look later.
	if !s.program.Loops() {
		s.stats.Claim = s.all[bounded].stats.Claim
	}
	s.stats.Fruitless = strings.Join(fruitless, ", ")
}

// inTime estimates whether Optimal comes to its end in the time that is left.
func (s *auto) inTime() bool {
	count, deviation := s.guess()
	n, rate := float64(s.all[whole].stats.Executions), 0.0
	if s.helper.Works() {
		n, rate = s.helper.Pace(s.pace)
	} else {
		rate = n / time.Since(s.begin).Seconds()
	}
	return count-deviation > n && count-n < rate*s.left().Seconds()
}

// guess estimates how many traces there are, and by how much that may be wrong. Both are 0 if it
// cannot be told.
func (s *auto) guess() (count, deviation float64) {
	if s.estimator == nil {
		s.estimator = estimate.New(s.program, true, s.Seed+1)
	}
	most := estimateTime
	if s.Time > 0 {
		most = min(most, s.Time/20)
	}
	for begin := time.Now(); time.Since(begin) < most; {
		if err := s.estimator.Probe(); err != nil {
			return 0, 0
		}
	}
	return s.estimator.Mean()
}

// turns is an engine that explores in turns with others.
type turns struct {
	engine trace.Engine
	next   func() (struct{}, bool) // goes on until there are as many steps as the goal says
	stop   func()
	goal   int64
	begun  bool
	over   bool
	yield  yield
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
				return !s.stops()
			}
			x.Run.Close()
			return yield(struct{}{})
		})
		t.over = true
	})
	return t
}

func (t *turns) steps() int64 { return t.stats.Steps + t.stats.Replayed }

func (t *turns) shown() int64 { return t.stats.Executions + t.stats.Blocked }

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
			sum := e.before.Then(x.Stats)
			sum.Claim = claim
			x.Stats = &sum
			refused = !visit(x)
			return !refused
		})
		e.before = e.before.Then(&stats)
		if err != nil || refused || !stats.Exhaustive {
			e.before.Claim = claim
			return e.before, err
		}
	}
}

// drawing is an engine that draws executions at random, in several ways.
type drawing struct {
	seed uint64
	// goOn reports whether the engine may go on after an execution that was interrupted.
	goOn func() bool
}

// Name returns "random".
func (drawing) Name() string { return Random{}.Name() }

// Explore implements [trace.Engine].
func (e drawing) Explore(p trace.Program, visit func(*trace.Execution) bool) (sum trace.Stats, err error) {
	refused := false
	for n, seed := int64(1), e.seed; !refused && err == nil; n, seed = bunch, seed+1 {
		ways := []trace.Engine{SURW{seed, n}, PCT{Seed: seed, Executions: n}, POS{seed, n}, Random{seed, n}}
		if seed == e.seed {
			ways = append([]trace.Engine{near{}, late{seed}}, ways...)
		}
		for _, way := range ways {
			var stats trace.Stats
			before := sum
			stats, err = way.Explore(p, func(x *trace.Execution) bool {
				sum = before.Then(x.Stats)
				x.Stats = &sum
				refused = !visit(x)
				return !refused
			})
			if sum = before.Then(&stats); !refused && errors.Is(err, trace.ErrInterrupted) && e.goOn() {
				err = nil
			}
			if refused || err != nil {
				break
			}
		}
	}
	return sum, err
}
