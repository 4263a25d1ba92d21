package main

import (
	"fmt"
	"path/filepath"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/environ"
)

const cleanUsage = `usage: por clean [-corpus]

Removes the test binaries under control that are kept in POR_CACHE, which is a folder
of the user's cache if it is not set. The next por check builds them again.

With -corpus it removes what searches with faults have kept for later ones, and
nothing else. These begin anew then.
`

// clean is the command of that name: it empties the cache.
func clean(args []string, e command.Env) int {
	corpus := len(args) == 1 && (args[0] == "-corpus" || args[0] == "--corpus")
	if len(args) > 0 && !corpus {
		return e.Misused("clean takes no arguments but -corpus: por help clean")
	}
	if err := environ.Check(); err != nil {
		return e.Misused("%v", err)
	}
	dir, err := build.Cache()
	if err != nil {
		return e.Failed(err)
	}
	empty := build.Clean
	if corpus {
		empty, dir = build.Remove, filepath.Join(dir, build.Corpus)
	}
	size, err := empty(dir)
	if err != nil {
		return e.Failed(err)
	}
	fmt.Fprintf(e.Out, "por: %.1f MB removed from %s\n", float64(size)/1e6, dir)
	return command.OK
}
