package semaphore

import (
	"context"
	"errors"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

func TestFixed(t *testing.T) {
	por.Check(t, Scenario(New), por.Exhaustive())
}

// TestOld expects the bug to be found: the second reader is never woken.
func TestOld(t *testing.T) {
	res, err := por.Explore(Scenario(NewOld))
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Failures) != 1 {
		t.Fatalf("the bug was not found: %s", res.Verdict)
	}
	f := res.Failures[0]
	if f.Kind != trace.FailDeadlock {
		t.Errorf("%v: %s", f.Kind, f.Msg)
	}
	t.Log(f.Report)

	again, err := por.Explore(Scenario(NewOld), por.Replay(f.Replay))
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Failures) != 1 || again.Failures[0].Kind != f.Kind || again.Failures[0].Msg != f.Msg {
		t.Errorf("the replay shows something else: %s", again.Verdict)
	}
}

// TestLimit checks that no more is held than there is, and that requests are
// served in order.
func TestLimit(t *testing.T) {
	por.Check(t, func() {
		s := New(3)
		var held sched.Int64
		var wg sched.WaitGroup
		for _, n := range []int64{1, 2, 3} {
			wg.Go(func() {
				if err := s.Acquire(sched.Background(), n); err != nil {
					panic(err)
				}
				if held.Add(n) > 3 {
					panic("more is held than there is")
				}
				held.Add(-n)
				s.Release(n)
			})
		}
		wg.Wait()
	}, por.Exhaustive())
}

func TestTooMuch(t *testing.T) {
	por.Check(t, func() {
		s := New(1)
		ctx, cancel := sched.WithCancel(sched.Background())
		sched.Go(func() { cancel() })
		if err := s.Acquire(ctx, 2); !errors.Is(err, context.Canceled) {
			panic("more was acquired than there is")
		}
		if !s.TryAcquire(1) {
			panic("something is held")
		}
	}, por.Exhaustive())
}
