package sched

import "github.com/gopor/gopor/internal/machine"

// SetAsyncTimers lets the channels of timers and tickers be as they were before Go 1.23,
// and are with GODEBUG=asynctimerchan=1: they have a buffer, and the time in it stays
// there when the timer is stopped or reset. It is for the start of the program.
func SetAsyncTimers(on bool) { machine.AsyncTimers = on }

// looksUnbuffered reports whether c, a timer's, seems to have no buffer, though it has.
func (c *Chan[T]) looksUnbuffered() bool { return c.timer && !machine.AsyncTimers }
