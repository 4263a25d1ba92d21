package main

import (
	"fmt"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/environ"
)

const cleanUsage = `usage: por clean

Removes the test binaries under control that are kept in POR_CACHE, which is a folder
of the user's cache if it is not set. The next por check builds them again.
`

// clean is the command of that name: it empties the cache.
func clean(args []string, e command.Env) int {
	if len(args) > 0 {
		return e.Misused("clean takes no arguments: por help clean")
	}
	if err := environ.Check(); err != nil {
		return e.Misused("%v", err)
	}
	dir, err := build.Cache()
	if err != nil {
		return e.Failed(err)
	}
	size, err := build.Clean(dir)
	if err != nil {
		return e.Failed(err)
	}
	fmt.Fprintf(e.Out, "por: %.1f MB removed from %s\n", float64(size)/1e6, dir)
	return command.OK
}
