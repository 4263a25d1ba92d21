package irs

import (
	"context"
	"errors"
	"sync/atomic"
)

// Verification is a [Verify] that goes on while executions are served.
type Verification struct {
	f      func()
	prefix atomic.Pointer[Prefix]
	first  chan struct{} // is closed when there is a prefix, or the end
	done   chan struct{} // is closed at the end
	result *Result
	err    error
}

// Begin begins to verify f in a goroutine of its own, until ctx is done, and returns when the
// first prefix is admissible: as soon as one correct execution was found. The error is that
// of [Verify] if there is none.
//
// While it goes on, f is executed by several at a time, the verifier and whoever calls
// [Verification.Run], so it must not use what is outside of it but as constants.
func Begin(ctx context.Context, f func(), o Options) (*Verification, error) {
	v := &Verification{f: f, first: make(chan struct{}), done: make(chan struct{})}
	relaxed := o.Relaxed
	o.Relaxed = func(p *Prefix) {
		if v.prefix.Swap(p) == nil {
			close(v.first)
		}
		if relaxed != nil {
			relaxed(p)
		}
	}
	go func() {
		defer close(v.done)
		v.err = errors.New("irs: the closure has ended the goroutine that verifies it")
		v.result, v.err = Verify(ctx, f, o)
	}()
	select {
	case <-v.first:
	case <-v.done:
		if v.prefix.Load() == nil {
			return nil, v.err
		}
	}
	return v, nil
}

// Prefix returns the shortest admissible prefix so far.
func (v *Verification) Prefix() *Prefix { return v.prefix.Load() }

// Run executes f under the shortest prefix that is admissible when it begins, and keeps to
// that one. It may be called by several goroutines at a time.
func (v *Verification) Run() error { return Run(v.Prefix(), v.f) }

// Wait waits for the end of the verification and returns what it has found out, as Verify
// does. What is wrong with a program that cannot be verified after all, because it is not
// deterministic, may show late: the prefixes that it had until then are void.
func (v *Verification) Wait() (*Result, error) {
	<-v.done
	return v.result, v.err
}
