package trace_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// SleepSets is an engine: depth-first search with sleep sets (Godefroid, "Partial-Order
// Methods for the Verification of Concurrent Systems", 1996, section 5.2). It completes one
// execution of every trace, and gives up others on the way.
type SleepSets struct{}

// Name implements [trace.Engine].
func (SleepSets) Name() string { return "sleep sets" }

// About lets verdicts say that all traces were explored. It is optional.
func (SleepSets) About() trace.About { return trace.About{Counts: "traces"} }

// Explore implements [trace.Engine].
func (SleepSets) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	s := search{program: p, run: p.Start(), visit: visit}
	err := s.explore(nil)
	s.run.Close()
	s.stats.Exhaustive = err == nil
	if err == errStopped {
		err = nil
	}
	return s.stats, err
}

var errStopped = errors.New("the visitor has seen enough")

type search struct {
	program  trace.Program
	run      trace.Run
	schedule trace.Schedule // what run has performed
	visit    func(*trace.Execution) bool
	stats    trace.Stats
}

// explore runs all that can follow the schedule, except what begins with an event that
// sleeps: this was explored elsewhere, and only independent events have been performed since.
func (s *search) explore(sleep []trace.Event) error {
	var choices []trace.Choice
	for _, op := range s.run.Pending() {
		for alt := range op.Alts {
			choices = append(choices, trace.Choice{G: op.G, Alt: alt})
		}
	}
	awake := slices.DeleteFunc(slices.Clone(choices), func(c trace.Choice) bool {
		return slices.ContainsFunc(sleep, func(z trace.Event) bool { return z.Choice() == c })
	})
	if len(awake) == 0 {
		return s.show(len(choices) > 0)
	}
	for i, c := range awake {
		if i > 0 { // the run has gone on: start anew
			s.run.Close()
			s.run = s.program.Start()
			if err := s.run.Replay(s.schedule); err != nil {
				return err
			}
		}
		ev, err := s.run.Step(c)
		if err != nil {
			return err
		}
		performed := *ev // what ev points to is valid until the next step
		after := slices.DeleteFunc(slices.Clone(sleep), func(z trace.Event) bool {
			return trace.Dependent(&z.Op, &performed.Op)
		})
		s.schedule = append(s.schedule, c)
		if err := s.explore(after); err != nil {
			return err
		}
		s.schedule = s.schedule[:len(s.schedule)-1]
		sleep = append(slices.Clip(sleep), performed)
	}
	return nil
}

// show shows the visitor an execution that has come to its end, or has to be given up since
// all that can follow sleeps.
func (s *search) show(blocked bool) error {
	if blocked {
		s.stats.Blocked++
	} else {
		s.stats.Executions++
	}
	if !s.visit(&trace.Execution{Run: s.run, Schedule: s.schedule, Blocked: blocked, Stats: &s.stats}) {
		return errStopped
	}
	return nil
}

// An engine of one's own has everything that the engines of this module have: Check and
// Explore take it as an option.
func ExampleEngine() {
	for _, engine := range []trace.Engine{engine.DFS{}, SleepSets{}, engine.Optimal{}} {
		sums := make(map[int64]bool) // the results of the program
		res, err := por.Explore(func() {
			var n sched.Int64
			a := sched.Go(func() { n.Store(n.Load() + 1) })
			b := sched.Go(func() { n.Store(n.Load() + 2) })
			n.Store(n.Load() + 3)
			a.Join()
			b.Join()
			sums[n.Load()] = true
		}, por.Engine(engine))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %d %s, %d executions given up, sums %v\n",
			res.Verdict.Title, res.Stats.Executions, res.Verdict.Unit, res.Stats.Blocked, slices.Sorted(maps.Keys(sums)))
	}
	// Output:
	// depth-first search: 280 interleavings, 0 executions given up, sums [1 2 3 4 5 6]
	// sleep sets: 36 traces, 36 executions given up, sums [1 2 3 4 5 6]
	// optimal DPOR: 36 traces, 0 executions given up, sums [1 2 3 4 5 6]
}
