package irs

import (
	"context"
	"errors"
	"sync/atomic"
)

// Verification is a [Verify] that runs while executions are served.
type Verification struct {
	f      func()
	prefix atomic.Pointer[Prefix]
	first  chan struct{} // closed when there is a prefix, or at the end
	done   chan struct{} // closed at the end
	result *Result
	err    error
}

// Begin verifies f in a goroutine of its own, until ctx is done. It returns when the first
// prefix is admissible, that is when a correct execution was found. The error is that of
// [Verify] if there is none.
//
// Meanwhile several goroutines execute f at a time: the verifier and the callers of
// [Verification.Run]. So f may use what is outside of it only as constants.
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

// Run executes f under the prefix that is shortest when it begins. Several goroutines may call
// it at a time.
func (v *Verification) Run() error { return Run(v.Prefix(), v.f) }

// Wait waits for the end of the verification and returns its result, as Verify does. An error
// such as that the program is not deterministic may show late: all prefixes are void then.
func (v *Verification) Wait() (*Result, error) {
	<-v.done
	return v.result, v.err
}
