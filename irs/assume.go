package irs

import (
	"errors"

	"github.com/gopor/gopor/sched"
)

// ErrNotControlled says that nothing is known of a closure. Ordinary Go is under control in
// tests that por test builds; elsewhere a closure has to use the primitives of package sched.
var ErrNotControlled = errors.New("the closure performs no operation of package sched, and ordinary Go is under control only in tests that are run by por test")

// controlled returns ErrNotControlled if the first execution of a closure, which is over, has
// shown nothing.
func (v *verifier) controlled() error {
	if v.f != nil && len(v.events) == 0 && !sched.Instrumented() {
		return ErrNotControlled
	}
	return nil
}
