package por

import (
	"fmt"
	"strings"

	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/explore"
)

// Library has packages of modules taken for libraries, as the packages of the standard library
// are that are under control. Each is an import path; path/... stands for path and the packages
// below it. Races that a library makes with itself, of its own locks, channels and variables, are
// explored in one order at first, then in both orders where goroutines are concerned that the
// program has started, and then all of them. The verdict says how far that has come, see
// [sched.LibraryMode]. By default no package of a module is a library.
func Library(packages ...string) Option {
	return option(func(c *explore.Config) error {
		for _, p := range packages {
			if err := environ.CheckPackages(p); err != nil {
				return fmt.Errorf("Library(%q): %w", p, err)
			}
		}
		c.Run.Libraries = strings.Join(packages, ",")
		return nil
	})
}
