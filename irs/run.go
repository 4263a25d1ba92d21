package irs

import (
	"context"
	"errors"
	"fmt"

	"github.com/gopor/gopor/sched/trace"
)

// ExecutionError says how an execution has failed.
type ExecutionError struct {
	Kind      trace.FailureKind
	Goroutine string // "main", "g2", "g2.1"
	Event     int    // the number of events that it had performed
	Msg       string
	Stack     string // of the failing goroutine
}

func (e *ExecutionError) Error() string {
	return fmt.Sprintf("irs: %v: %s (%s after %d events)", e.Kind, e.Msg, e.Goroutine, e.Event)
}

// UnknownEventError says that an execution was stopped since a goroutine was about to do what
// it does in no verified execution. The input, or the program, may differ from the verified
// one.
type UnknownEventError struct {
	Goroutine string
	Event     int // the number of the event in its goroutine, from 0
	Got, Want string
}

func (e *UnknownEventError) Error() string {
	return fmt.Sprintf("irs: the execution is not one that was verified, and was stopped: event %d of %s is %s, but should be %s; is its input the one that was verified?", e.Event, e.Goroutine, e.Got, e.Want)
}

// Run runs f once, in parallel, such that the prefix is a prefix of the execution's trace. It
// returns when all goroutines of f have ended. The prefix must have been verified for f, and f
// may use only what was verified: the primitives of package sched.
//
// The error is an [*UnorderedError] if f uses operations that constraints cannot order; f is
// not run then. It is an [*UnknownEventError] if f does what the verifier has not met, and an
// [*ExecutionError] if it panics or waits forever, which no verified execution does. In these
// two cases the execution was stopped: every goroutine has ended at its next operation, with
// its deferred calls.
func Run(p *Prefix, f func()) error {
	_, err := Execute(context.Background(), p, f)
	return err
}

// Execute is [Run] with a context: when ctx is done the execution is stopped. It also returns
// measurements of the execution. Goroutines that perform no operation for a second after the
// stop are left behind, and the error names them.
func Execute(ctx context.Context, p *Prefix, f func()) (Report, error) {
	if kinds := p.Unordered(); len(kinds) > 0 {
		return Report{}, &UnorderedError{kinds}
	}
	if p.Goroutines == nil {
		return Report{}, errors.New("irs: the prefix is of no closure")
	}
	e := takeEnv()
	e.begin(p)
	r, err := e.run(ctx, f)
	if e.live.Load() == 0 {
		e.giveBack()
	}
	return r, err
}

// Unconstrained returns a prefix without events and constraints: [Run] under it may do whatever
// the program may do, verified or not. It is for comparisons.
func (p *Prefix) Unconstrained() *Prefix {
	q := &Prefix{Goroutines: p.Goroutines, races: p.races, kinds: p.kinds & orderable, free: true}
	q.compile()
	return q
}
