package engine

import (
	"github.com/gopor/gopor/internal/states"
	"github.com/gopor/gopor/sched/trace"
)

// Stateful explores every state once, depth first, without any reduction: where it comes
// to a state that it knows it goes no further. It shows one execution to every final
// state. It is the yardstick for [SPOR], [DESPOR] and [DLSPOR], which leave out states as
// well.
//
// It needs a program that can name its states, see [trace.Keyed]; one that cannot is
// searched by [Source] in its place, which the verdict says. What everything that was
// covered rests on is in [trace.Stats.Basis]: how states were told apart.
//
// Loops that poll come to their end where they come back to a state: in Tracked mode those that
// call [sched.Loop], in either those of ordinary Go of which the rewriter can tell that a turn
// leaves nothing behind but in variables that are plain data. A goroutine that goes round for ever
// then is in a livelock. It is the same state at another time, as long as no goroutine knows the
// time. A goroutine knows it that has asked for it, or has received it from a timer and not dropped
// it ([sched.Chan.Drop]). In ordinary Go that is so to the end of the execution, and a goroutine
// that asks later is taken not to care for the date ([sched.AssumeClock]); a goroutine that calls
// [sched.Loop] forgets the time. With the option
// MaxClock of package por the time is always part of the state.
//
// A state takes about fifty bytes, a transition twelve, what is told apart exactly the
// length of its key besides. Going back to a state runs the program up to it.
type Stateful struct {
	// Keying says how states are told apart. The zero value is sound for every closure
	// without data races.
	Keying trace.Keying
	// MaxBytes is how much memory the graph of states may take, 0 for as much as there is.
	// The search ends there, and says so.
	MaxBytes int64
	// Seed is that of the order in which goroutines are taken in a state, drawn anew for every
	// state; 0 has them in the order in which they were started. Which states are visited
	// depends on it where a reduction leaves out some, and how soon a failure is found.
	Seed uint64
	// Restarts has the search begin again and again, in other orders that are drawn: half of the
	// transitions are of searches that end with their first final state, the others of such as have
	// twice as many every time, 250 at first. Depth first a search stays long with what it has
	// begun with; so it finds sooner what is wrong, and takes up to five times as long to find that
	// nothing is. In half of the searches the order is drawn anew in every state, in the others
	// goroutines have ranks, as of [PCT], which are drawn anew at a few moments. A final state is
	// shown once all the same, and kept in memory for that; counts of states are those of the last
	// search.
	Restarts bool
}

// Name returns "stateful-dfs".
func (Stateful) Name() string { return "stateful-dfs" }

// About implements [trace.About].
func (e Stateful) About() trace.About {
	return trace.About{Title: "stateful depth-first search", Counts: "final states", WithKeying: func(k trace.Keying) trace.Engine {
		e.Keying = k
		return e
	}}
}

// Tracked reports whether loops that call [sched.Loop] are told from loops that poll, so that
// they are in replays as well.
func (e Stateful) Tracked() bool { return e.Keying.Tracked }

// Explore visits every final state of p once.
func (e Stateful) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	return e.exploreStates(e.About().Title, p, visit, func(s *states.States) func(states.State) {
		d := &stateful{s}
		return d.explore
	})
}

type stateful struct{ *states.States }

func (d *stateful) explore(s states.State) {
	n := len(d.Schedule)
	for _, t := range d.Enter(s) {
		for alt := range t.Alts {
			if next, _, fresh := d.Go(s, n, trace.Choice{G: t.G, Alt: alt}); fresh {
				d.explore(next)
			}
			if d.Err != nil {
				return
			}
		}
	}
	d.Leave(s, d.later)
}

// later explores what time leads to.
func (d *stateful) later(s states.State, fresh bool) {
	if fresh {
		d.explore(s)
	}
}

// firstRestart is after how many transitions a search begins again for the first time.
const firstRestart = 250

// exploreStates runs the engine of that title, which recognises states; begin returns its Explore.
// Where p has no names for its states, Source searches in its place, which the stats say.
func (e Stateful) exploreStates(title string, p trace.Program, visit func(*trace.Execution) bool, begin func(*states.States) func(states.State)) (trace.Stats, error) {
	var stats trace.Stats
	s, err := states.New(p, visit, e.Keying, e.MaxBytes)
	if err == nil {
		if e.Seed != 0 || e.Restarts {
			s.Draw(e.Seed)
		}
		if e.Restarts {
			s.BeginAgain(firstRestart)
		}
		done := s.Explore(begin(s))
		if done {
			done = s.ShowLivelock()
		}
		if stats, err = s.End(done); err == nil {
			stats.Basis = "states told apart " + e.Keying.String()
		}
	}
	if !trace.IsUnkeyed(err) {
		return stats, err
	}
	before := stats
	before.Exhaustive = false
	before.Again = before.Executions // every trace is shown after that
	other := trace.Describe(Source{})
	before.By, before.Counts = other.Title+" in place of "+title, other.Counts
	before.Basis = "no state was recognised (" + err.Error() + ")"
	sum := before
	stats, err = Source{}.Explore(p, func(x *trace.Execution) bool {
		sum = before.Then(x.Stats)
		x.Stats = &sum
		return visit(x)
	})
	sum = before.Then(&stats)
	sum.Exhaustive, sum.Claim = stats.Exhaustive, stats.Claim
	return sum, err
}
