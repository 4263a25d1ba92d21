// Package std lists the twins of standard packages. The twin of a package has
// its import path below this one's, and its whole exported API: what no other
// package of the standard library shares in its own API is a type of the twin,
// all else is an alias or forwards to the original.
//
// A variable of a twin has the value that the original's had when the program
// began. To assign one, such as time.Local or runtime.MemProfileRate, changes
// nothing for the rest of the standard library.
//
// What a twin declares as its original does, and what differs from the original in one
// way throughout, is generated, as package api says.
package std

//go:generate go test -run TestGenerated ./api -update

// Packages returns the import paths of the standard packages that have a twin.
func Packages() []string {
	return []string{
		"context",
		"crypto/rand",
		"io",
		"iter",
		"maps",
		"math/rand",
		"math/rand/v2",
		"os/signal",
		"runtime",
		"sync",
		"sync/atomic",
		"testing/quick",
		"time",
	}
}
