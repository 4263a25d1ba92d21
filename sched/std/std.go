// Package std lists the twins of standard packages. The import path of a twin is below this
// one's. A twin has the whole exported API of its original. If no other package of the standard
// library has a type in its own API, the type belongs to the twin. Everything else is an alias
// or forwards to the original.
//
// A variable of a twin has the value of the original at the start of the program. An assignment
// to it, such as to time.Local or runtime.MemProfileRate, has no effect on the rest of the
// standard library.
//
// Declarations that are as in the original, or differ from it in one way throughout, are
// generated, see package api.
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
