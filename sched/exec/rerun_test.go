package exec_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// An execution that is run again does the same, and is where it was.
func TestAgain(t *testing.T) {
	runs := 0
	c := exec.New(func() { runs++; crowd() }, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	run := c.Start()
	closures.LastFirst(t, run)
	n, outcome := run.Len(), slices.Clone(run.Outcome())
	if err := c.Again(); err != nil || runs != 2 {
		t.Fatalf("%d executions, %v", runs, err)
	}
	if diff := cmp.Diff(outcome, run.Outcome()); run.Len() != n || diff != "" || len(run.Pending()) != 0 {
		t.Errorf("%d events of %d, %v is pending (-before +now)\n%s", run.Len(), n, run.Pending(), diff)
	}
	run.Close()
	if err := c.Again(); err != trace.ErrClosed {
		t.Errorf("closed: %v", err)
	}
}

// TestAgainInterrupted: an execution that was broken off cannot be compared with anything. Nor can
// one of which the second run, in search of races, is broken off.
func TestAgainInterrupted(t *testing.T) {
	var c *exec.Closure
	runs, x := 0, new(int)
	c = exec.New(func() {
		runs++
		c.Interrupt(runs == 3)
		if runs > 1 {
			closures.Load(x)
		}
		var n sched.Int64
		sched.Go(func() {
			if n.Add(1); runs > 1 {
				closures.Store(x, 1)
			}
		})
		if n.Load(); runs > 1 {
			closures.Load(x)
		}
	}, exec.Options{})
	defer c.Shutdown()
	run := c.Start()
	closures.LastFirst(t, run) // uses no memory
	run.Close()
	run = c.Start()
	closures.LastFirst(t, run)
	if c.Interrupted() || run.Len() == 0 {
		t.Fatalf("%d events, interrupted: %v", run.Len(), c.Interrupted())
	}
	if failures := run.Outcome(); runs != 3 || !c.Interrupted() || len(failures) > 0 {
		t.Errorf("%d executions, interrupted: %v, %v", runs, c.Interrupted(), failures)
	}
	for range 2 {
		if err := c.Again(); err != trace.ErrInterrupted || runs != 3 {
			t.Errorf("%d executions, %v", runs, err)
		}
	}
}

// What is done otherwise when an execution is run again is noticed.
func TestAgainDiverges(t *testing.T) {
	for _, test := range []struct {
		want string
		f    func(mu *sched.Mutex, again bool)
	}{
		{"diverged at step 0: expected main to lock (object 3), but main to trylock (object 3)", func(mu *sched.Mutex, again bool) {
			if again {
				mu.TryLock()
			} else {
				mu.Lock()
			}
		}},
		{"diverged at step 1: expected the end of the execution, but main is about to unlock", func(mu *sched.Mutex, again bool) {
			mu.Lock()
			if again {
				mu.Unlock()
			}
		}},
		{"diverged at step 1: expected main to move, but main has ended", func(mu *sched.Mutex, again bool) {
			mu.Lock()
			if !again {
				mu.Unlock()
			}
		}},
		{"diverged at step 0: expected main to choose one of 2, but main to choose one of 3", func(mu *sched.Mutex, again bool) {
			n := 2
			if again {
				n = 3
			}
			sched.Choose(n)
		}},
		{"diverged at step 0: expected main to sleep for 1ns, but main to sleep for 2ns", func(mu *sched.Mutex, again bool) {
			d := time.Duration(1)
			if again {
				d = 2
			}
			sched.Sleep(d)
		}},
		{"diverged at step 0: expected main to select, but main to select of something else", func(mu *sched.Mutex, again bool) {
			a, b := sched.NewChan[int](1), sched.NewChan[int](1)
			if again {
				a, b = b, a
			}
			sched.Select(sched.SendCase(a, 1), sched.RecvCase(b, nil, nil))
		}},
		{"diverged at step 0: expected main to select, but main to select of something else", func(mu *sched.Mutex, again bool) {
			a := sched.NewChan[int](1)
			if again {
				sched.Select(sched.SendCase(a, 1), sched.Default)
			} else {
				sched.Select(sched.RecvCase(a, nil, nil), sched.Default)
			}
		}},
	} {
		runs := 0
		c := exec.New(func() {
			var mu sched.Mutex
			runs++
			test.f(&mu, runs == 2)
		}, exec.Options{})
		closures.LastFirst(t, c.Start())
		var d *trace.DivergenceError
		if err := c.Again(); !errors.As(err, &d) || err.Error() != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
		c.Shutdown()
	}
}

// The one execution that uses plain memory is not the first, and has a race: it is
// found by an engine that knows of no such thing.
func TestRaceInTheOnlyExecutionWithMemory(t *testing.T) {
	for _, races := range []bool{true, false} {
		var x sched.Var[int]
		var mu sched.Mutex
		runs := 0
		c := exec.New(func() {
			runs++
			if sched.Choose(3) != 1 {
				return
			}
			sched.Go(func() {
				if !races {
					mu.Lock()
					defer mu.Unlock()
				}
				x.Store(1)
			})
			mu.Lock()
			x.Store(2)
			mu.Unlock()
		}, exec.Options{})
		found := 0
		stats, err := (engine.DFS{}).Explore(c, func(e *trace.Execution) bool {
			for _, f := range e.Run.Outcome() {
				if f.Kind != trace.FailRace {
					t.Errorf("%v", f)
				}
				found++
			}
			return true
		})
		c.Shutdown()
		if err != nil || !stats.Exhaustive || runs != int(stats.Executions)+1 {
			t.Errorf("%+v in %d runs, %v", stats, runs, err)
		}
		if want := stats.Executions - 2; races && found != int(want) || !races && found != 0 {
			t.Errorf("%d executions with a race, %+v", found, stats)
		}
	}
}

// A closure that does something else when it is run once more for the sake of data
// races is said not to be deterministic.
func TestLookAgainDiverges(t *testing.T) {
	var x sched.Var[int]
	runs := 0
	c := exec.New(func() {
		runs++
		if sched.Choose(2) == 1 {
			sched.Go(func() { x.Store(1) })
			if runs == 3 {
				sched.Choose(2)
			}
		}
	}, exec.Options{})
	defer c.Shutdown()
	var fails []trace.Failure
	_, err := (engine.DFS{}).Explore(c, func(e *trace.Execution) bool {
		fails = append(fails, e.Run.Outcome()...)
		return true
	})
	if err != nil || len(fails) != 1 || !strings.Contains(fails[0].Msg, "the closure is not deterministic") {
		t.Errorf("%v, %v", fails, err)
	}
}

// A decision that panics on the stack of a goroutine is nothing that the goroutine
// can recover from.
func TestDecidePanics(t *testing.T) {
	for at := range 4 {
		recovered, deferred := any("nothing"), 0
		c := exec.New(func() {
			defer func() { deferred++; recovered = recover() }()
			var mu sched.Mutex
			sched.Go(func() { mu.Lock(); mu.Unlock() }).Join()
			mu.Lock()
		}, exec.Options{})
		run := c.Start().(trace.Driver)
		n := 0
		decide := func(*trace.Event) (trace.Choice, bool) {
			ops := run.Pending()
			if n == at {
				panic("a bug")
			}
			n++
			return trace.Choice{G: ops[0].G}, true
		}
		func() {
			defer func() {
				p, ok := recover().(*trace.DecidePanic)
				if !ok || p.Value != "a bug" || !strings.Contains(p.Error(), "a bug") || !strings.Contains(string(p.Stack), "TestDecidePanics") {
					t.Errorf("the engine's caller recovers %v", p)
				}
			}()
			run.Drive(nil, decide)
		}()
		if len(run.Pending()) != 0 || len(run.Outcome()) != 0 || deferred != 0 {
			t.Errorf("at %d: %v is pending, %v is wrong, %d calls were made", at, run.Pending(), run.Outcome(), deferred)
		}
		run.Close()
		if recovered != nil {
			t.Errorf("at %d: the closure recovers %v", at, recovered)
		}
		run = c.Start().(trace.Driver) // and the closure can be run as ever
		closures.LastFirst(t, run)
		if run.Len() != 4 {
			t.Errorf("%d events", run.Len())
		}
		c.Shutdown()
	}
}

// A decision that ends its goroutine ends the one that drives.
func TestDecideExits(t *testing.T) {
	for at := range 3 {
		c := exec.New(func() {
			var mu sched.Mutex
			sched.Go(func() { mu.Lock(); mu.Unlock() }).Join()
		}, exec.Options{})
		run := c.Start().(trace.Driver)
		returned := make(chan bool)
		go func() {
			ok := false
			defer func() { returned <- ok }()
			n := 0
			run.Drive(nil, func(*trace.Event) (trace.Choice, bool) {
				if n++; n > at {
					runtime.Goexit()
				}
				return trace.Choice{G: run.Pending()[0].G}, true
			})
			ok = true
		}()
		if <-returned {
			t.Errorf("at %d: Drive has returned", at)
		}
		c.Shutdown()
	}
}

// A choice that is not pending is told from a schedule that does not fit.
func TestChoiceError(t *testing.T) {
	c := exec.New(func() {
		var mu sched.Mutex
		sched.Go(func() { mu.Lock() })
		mu.Lock()
	}, exec.Options{MaxSteps: 2})
	defer c.Shutdown()
	for _, test := range []struct {
		choice trace.Choice
		want   string
	}{
		{trace.Choice{G: 99}, "the choice of goroutine 99, alternative 0, is not pending at step 1: there is no goroutine 99"},
		{trace.Choice{G: 2, Alt: 1}, "the choice of goroutine 2, alternative 1, is not pending at step 1: there are 1"},
		{trace.Choice{G: 0}, "the choice of goroutine 0, alternative 0, is not pending at step 1: main has ended"},
	} {
		run := c.Start().(trace.Driver)
		n := 0
		err := run.Drive(nil, func(*trace.Event) (trace.Choice, bool) {
			if n++; n == 1 {
				return trace.Choice{}, true
			}
			return test.choice, true
		})
		var e *trace.ChoiceError
		var d *trace.DivergenceError
		if !errors.As(err, &e) || !errors.As(err, &d) || err.Error() != test.want || !slices.Equal(e.After, trace.Schedule{{}}) || e.Choice != test.choice {
			t.Errorf("driven: got %v, want %s", err, test.want)
		}
		run.Close()
		run = c.Start().(trace.Driver)
		run.Step(trace.Choice{})
		if _, err := run.Step(test.choice); err == nil || err.Error() != test.want {
			t.Errorf("stepping: got %v, want %s", err, test.want)
		}
		run.Close()
		run = c.Start().(trace.Driver)
		if err := run.Replay(trace.Schedule{{}, test.choice}); errors.As(err, &e) || !errors.As(err, &d) {
			t.Errorf("replaying: %v", err)
		}
		run.Close()
	}
	run := c.Start()
	closures.LastFirst(t, run)
	var e *trace.ChoiceError
	if _, err := run.Step(trace.Choice{}); !errors.As(err, &e) {
		t.Errorf("past the limit of steps: %v", err)
	}
	run.Close()
}
