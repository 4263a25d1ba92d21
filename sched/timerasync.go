package sched

import (
	"github.com/gopor/gopor/internal/machine"
)

// looksUnbuffered reports whether c, a timer's, seems to have no buffer, though it has.
func (c *Chan[T]) looksUnbuffered() bool { return c.timer && !machine.AsyncTimers }
