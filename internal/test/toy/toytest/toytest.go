// Package toytest draws random toy programs for tests. The environment may say
// how many, GOPOR_PROGRAMS, and from which seed, GOPOR_SEED, see [effort.Seed].
// Without a seed they are the same every time.
package toytest

import (
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/toy"
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

// Seeds returns how many random programs there are to be, n, a fifth of them unless
// everything is to be tested, or as many as the environment wants, and where they come
// from: each depends on the seed and its own number only.
func Seeds(t testing.TB, n int64) (int64, func(i int64) *rand.Rand) {
	if !effort.Full() {
		n = (n + 4) / 5
	}
	n = Number(t, "GOPOR_PROGRAMS", n)
	seed := effort.Seed(t, 1)
	return n, func(i int64) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(i))) }
}

// Programs draws as many random programs as Seeds says.
func Programs(t testing.TB, n int64) iter.Seq2[int64, *toy.Program] {
	n, source := Seeds(t, n)
	return func(yield func(int64, *toy.Program) bool) {
		for i := range n {
			if !yield(i, toy.Generate(source(i).IntN)) {
				return
			}
		}
	}
}

// Same draws n programs, which are the same every time: for a test that is to find
// something among them, and not to depend on luck.
func Same(n int64) iter.Seq2[int64, *toy.Program] {
	return func(yield func(int64, *toy.Program) bool) {
		for i := range n {
			if !yield(i, toy.Generate(rand.New(rand.NewPCG(1, uint64(i))).IntN)) {
				return
			}
		}
	}
}
