// Package toytest draws random toy programs for tests. The environment may say
// how many, GOPOR_PROGRAMS, and from which seed, GOPOR_SEED; without a seed, a
// fresh one is taken and logged.
package toytest

import (
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/gopor/gopor/internal/toy"
)

// Number returns the number in an environment variable, or one to go without.
func Number(t testing.TB, name string, without int64) int64 {
	text := os.Getenv(name)
	if text == "" {
		return without
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// Seed returns the seed for a test.
func Seed(t testing.TB) uint64 {
	seed := uint64(Number(t, "GOPOR_SEED", int64(rand.Uint64()>>33)))
	t.Logf("GOPOR_SEED=%d", seed)
	return seed
}

// Programs draws n random programs, or as many as the environment wants. Each
// depends on the seed and its own number only.
func Programs(t testing.TB, n int64) iter.Seq2[int64, *toy.Program] {
	seed := Seed(t)
	n = Number(t, "GOPOR_PROGRAMS", n)
	return func(yield func(int64, *toy.Program) bool) {
		for i := range n {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			if !yield(i, toy.Generate(rng.IntN)) {
				return
			}
		}
	}
}
