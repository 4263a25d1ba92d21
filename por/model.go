package por

import (
	"fmt"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/sched"
)

// Model sets which primitives do all that Go allows, at the price of more traces:
// [sched.ModelFine], or some of what that consists of. By default they have their
// usual models, and the verdict says where one that leaves something out was met.
func Model(m sched.Model) Option {
	return option(func(c *explore.Config) error {
		if m&^sched.ModelFine != 0 {
			return fmt.Errorf("Model(%d): unknown model; sched.ModelFine and what it consists of are allowed", m)
		}
		c.Run.Model = m
		return nil
	})
}
