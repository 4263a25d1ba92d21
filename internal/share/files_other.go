//go:build !unix

package share

import (
	"errors"
	"runtime"
)

// Parent returns an error: a process cannot be given files here.
func Parent() (*Link, error) {
	return nil, errors.New("on " + runtime.GOOS + " a process cannot share a search with others")
}
