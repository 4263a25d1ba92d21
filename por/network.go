package por

import (
	"fmt"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/sched"
)

// Network sets which sockets native code has. The default is [sched.NetworkLoopback]: those of the
// loopback interface are in memory, and others are real.
func Network(m sched.NetworkMode) Option {
	return option(func(c *explore.Config) error {
		if m > sched.NetworkNone {
			return fmt.Errorf("Network(%d): unknown mode; sched.NetworkLoopback, sched.NetworkReal and sched.NetworkNone are allowed", m)
		}
		c.Run.Network = m
		return nil
	})
}
