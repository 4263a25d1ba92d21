package por

import "github.com/gopor/gopor/internal/explore"

// Full makes reports show all steps of an execution and the stacks of all goroutines,
// however long that gets. In a test the flag -por.full does so, and so does the environment variable
// POR_FULL=1. By default a report is at most some forty lines long.
func Full() Option {
	return option(func(c *explore.Config) error {
		c.Full = true
		return nil
	})
}
