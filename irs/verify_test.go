package irs

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gopor/gopor/examples/deadlock"
	"github.com/gopor/gopor/examples/lostupdate"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestRaceFail verifies with accesses of variables that are no events: a data race is a
// failure of every schedule, and what locks guard is not counted by anybody.
func TestRaceFail(t *testing.T) {
	r, err := Verify(context.Background(), func() {
		var c lostupdate.Racy
		both(c.Inc, c.Inc)
	}, Options{})
	if err != ErrNoCorrectSchedule || r.Prefix != nil || r.Failure == nil || r.Failure.What[0].Kind != trace.FailRace {
		t.Errorf("got %+v, %v", r, err)
	}
	f := func() {
		a, b := deadlock.NewAccount(1, 10), deadlock.NewAccount(2, 10)
		both(func() { deadlock.Transfer(a, b, 1) }, func() { deadlock.Transfer(b, a, 2) })
		assert(deadlock.Total(a, b) == 20)
	}
	p, r := admissible(t, f, Options{})
	if r.Failure == nil || r.Failure.What[0].Kind != trace.FailDeadlock {
		t.Errorf("the failure is %v", r.Failure)
	}
	for range 300 {
		if err := Run(disturbed(p), f); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Verify(context.Background(), f, Options{Sched: exec.Options{Races: sched.RaceIgnore}}); err == nil {
		t.Error("RaceIgnore is taken")
	}
	if _, err := Verify(context.Background(), f, Options{Sched: exec.Options{Model: sched.ModelTryLock}}); err == nil {
		t.Error("a model is taken that executions in parallel do not have")
	}
}

// TestNotDeterministic verifies a closure that does something else every time.
func TestNotDeterministic(t *testing.T) {
	calls := 0
	r, err := Verify(context.Background(), func() {
		var n sched.Int32
		if calls++; calls%2 == 0 {
			n.Load()
		}
		both(func() { n.Add(1) }, func() { n.Add(1) })
	}, Options{})
	if err == nil || r.Prefix != nil || !strings.Contains(err.Error(), "cannot be verified") {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestLimits ends searches early: what is known by then is admissible, if anything is.
func TestLimits(t *testing.T) {
	f := func() {
		var n sched.Int32
		both(func() { n.Add(1); n.Add(2) }, func() { n.Add(3); n.Add(4) })
	}
	all, _ := admissible(t, f, Options{})
	for max := int64(1); max < all.Traces; max++ {
		p, r := admissible(t, f, Options{MaxExecutions: max})
		if p.Complete || p.Traces > max || r.Stats.Executions != max {
			t.Errorf("after %d executions: %v", max, p)
		}
		if err := judge(closure(t, f, exec.Options{}), p); err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, err := Verify(ctx, f, Options{Relaxed: func(*Prefix) { cancel() }})
	if err != nil || r.Prefix == nil || r.Prefix.Complete {
		t.Errorf("got %+v, %v", r, err)
	}
	fails := func() {
		var n sched.Int32
		both(func() { n.Add(1) }, func() { n.Add(1) })
		panic("always")
	}
	if r, err := Verify(context.Background(), fails, Options{MaxExecutions: 1}); !errors.Is(err, ErrNotFound) || r.Tried != 1 || r.Failure == nil {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestPolling verifies a loop that waits for another goroutine, and does not run it: nobody
// knows who is ready in parallel.
func TestPolling(t *testing.T) {
	f := func() {
		var n sched.Int32
		h := sched.Go(func() { n.Store(1) })
		for n.Load() == 0 {
			sched.Gosched()
		}
		h.Join()
	}
	p, _ := admissible(t, f, Options{MaxExecutions: 100})
	if err := Run(p, f); !errors.As(err, new(*UnorderedError)) || !strings.Contains(err.Error(), "gosched") {
		t.Errorf("the error is %v", err)
	}
}
