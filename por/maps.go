package por

import (
	"fmt"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/sched"
)

// Maps sets in which order native code ranges over maps, by way of packages maps and
// reflect, too. The default is [sched.MapSorted].
func Maps(m sched.MapMode) Option {
	return option(func(c *explore.Config) error {
		if m > sched.MapExplore {
			return fmt.Errorf("Maps(%d): unknown mode; sched.MapSorted and sched.MapExplore are allowed", m)
		}
		c.Run.Maps = m
		return nil
	})
}
