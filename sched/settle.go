package sched

import "github.com/gopor/gopor/internal/machine"

// Settle waits until all other goroutines wait, in [TimeDiscrete], and lets the calling
// one know all that they have done: it is what Wait of package testing/synctest is. The
// clock moves on by a nanosecond.
func Settle() { machine.Enter("Settle").Settle() }
