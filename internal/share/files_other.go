//go:build !unix

package share

import (
	"errors"
	"runtime"
)

// Parent returns an error: files cannot be passed to a process on this system.
func Parent() (*Link, error) {
	return nil, errors.New("on " + runtime.GOOS + " a process cannot share a search with others")
}
