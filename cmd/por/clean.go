package main

import (
	"fmt"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/environ"
)

// clean is the command of that name: it empties the cache.
func clean(args []string, e env) int {
	if len(args) > 0 {
		return e.misused("clean takes no arguments")
	}
	if err := environ.Check(); err != nil {
		return e.misused("%v", err)
	}
	dir, err := build.Cache()
	if err != nil {
		return e.failed(err)
	}
	size, err := build.Clean(dir)
	if err != nil {
		return e.failed(err)
	}
	fmt.Fprintf(e.out, "por: %.1f MB removed from %s\n", float64(size)/1e6, dir)
	return exitOK
}
