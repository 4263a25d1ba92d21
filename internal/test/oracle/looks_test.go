package oracle_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestLooksArePartOfStates has goroutines poll while others sleep. How often they have looked since
// somebody has done something decides when time moves on.
func TestLooksArePartOfStates(t *testing.T) {
	for name, f := range map[string]func(){
		"looks since somebody has done something": func() {
			var mu sched.Mutex
			var stop sched.Bool
			sched.Go(func() {
				for done := false; !done; {
					mu.Lock()
					done = stop.Load()
					mu.Unlock()
				}
			})
			for range 2 {
				sched.Sleep(time.Millisecond)
				mu.Lock() // whoever polls may have it, until it looks once more
				mu.Unlock()
			}
			sched.Sleep(time.Millisecond)
			stop.Store(true)
		},
	} {
		for _, k := range keyings {
			c := exec.New(f, exec.Options{Polls: 1, Races: sched.RaceIgnore})
			f, err := oracle.EqualFutures(c, k, oracle.Limits{Executions: 1_000_000, Depth: 100})
			if err != nil || f.Merged == 0 {
				t.Errorf("%s, %v: %+v, %v", name, k, f, err)
			}
			c.Shutdown()
		}
	}
}

// TestLooksThatBegin has two goroutines hand on a turn for ever, each of which polls for it and forgets that it had it. After
// so many looks time moves on, and a timer fires: states in which the next look brings something else are others. That is
// looked at in one execution only, as there are too many.
func TestLooksThatBegin(t *testing.T) {
	c := exec.New(func() {
		var turn sched.Int64
		sched.AfterFunc(time.Millisecond, func() {})
		hand := func(me int64) {
			for {
				sched.Loop()
				for turn.Load() != me {
				}
				turn.Store(1 - me)
			}
		}
		sched.Go(func() { hand(1) })
		hand(0)
	}, exec.Options{Polls: 1, Races: sched.RaceIgnore})
	defer c.Shutdown()
	if err := c.KeyStates(&trace.Keying{Tracked: true}); err != nil {
		t.Fatal(err)
	}
	run := c.Start()
	defer run.Close()
	leads, fired, looks := make(map[string]string), false, 0
	for !fired {
		op := *run.Pending()[0]
		key, err := c.AppendKey(nil)
		if err == nil {
			_, err = run.Step(trace.Choice{G: op.G})
		}
		if err != nil || run.Len() == 100 {
			t.Fatal(run.Len(), err)
		}
		if op.Kind != trace.OpAdvance {
			continue
		}
		looks++
		next := ""
		for _, op := range run.Pending() {
			next += fmt.Sprint(op.G, op.Kind, " ")
			fired = fired || op.Kind == trace.OpFire
		}
		if before, known := leads[string(key)]; known && before != next {
			t.Errorf("look %d: a state leads to %s, and has led to %s", looks, next, before)
		}
		leads[string(key)] = next
	}
	if looks < 4 {
		t.Errorf("time has moved on after %d looks", looks)
	}
}
