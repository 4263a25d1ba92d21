package irs

import (
	"errors"

	"github.com/gopor/gopor/internal/hook"
)

// ErrNotControlled says that the first execution of a closure showed no operation. Ordinary Go
// is under control in tests that por test builds. Elsewhere a closure has to use the primitives
// of package sched.
var ErrNotControlled = errors.New("the closure performs no operation of package sched, and ordinary Go is under control only in tests that are run by por test")

// controlled returns ErrNotControlled if the first execution of a closure, which has ended,
// showed no operation.
func (v *verifier) controlled() error {
	if v.f != nil && len(v.events) == 0 && !hook.Instrumented() {
		return ErrNotControlled
	}
	return nil
}
