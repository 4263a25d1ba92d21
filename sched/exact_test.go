package sched_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

var errMine = errors.New("mine mine mine")

// TestExactByHand has programs in which rarely used rules matter.
func TestExactByHand(t *testing.T) {
	programs := map[string]func() string{
		// Cancelling takes a select off its other channels.
		"cancel or send": func() string {
			ctx, cancel := sched.WithCancel(sched.Background())
			c := sched.NewChan[int](1)
			sched.Go(cancel)
			sched.Go(func() { c.Send(1) })
			return fmt.Sprint(sched.Select(sched.RecvCase(ctx.Done(), nil, nil), sched.RecvCase(c, nil, nil)))
		},
		"two contexts": func() string {
			a, cancelA := sched.WithCancel(sched.Background())
			b, cancelB := sched.WithCancel(sched.Background())
			sched.Go(cancelA)
			sched.Go(cancelB)
			return fmt.Sprint(sched.Select(sched.RecvCase(a.Done(), nil, nil), sched.RecvCase(b.Done(), nil, nil)))
		},
		"children cancelled and removed": func() string {
			a, cancelA := sched.WithCancelCause(sched.Background())
			b, cancelB := sched.WithCancelCause(a)
			c, cancelC := sched.WithCancelCause(b)
			sched.Go(func() { cancelB(errMine) })
			sched.Go(func() { cancelC(errMine) })
			cancelA(nil)
			return fmt.Sprint(sched.Cause(b), sched.Cause(c))
		},
	}
	for name, f := range programs {
		found := closures.Exact(t, exec.Options{AllowLeaks: true}, f)
		if len(found.Outcomes) < 2 {
			t.Errorf("%s: only %s", name, found.List())
		}
	}
}
