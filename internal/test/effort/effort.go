// Package effort says whether tests are to do all that they can. By default they take
// about three minutes of CPU time together: fewer random programs, and little of other
// people's code, which has to be built. With GOPOR_FULL=1 they do everything, as in
// ".ci/run full". Go's own tests treat -short like that, but there one has to ask for less.
package effort

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Full reports whether everything is to be tested.
func Full() bool { return os.Getenv("GOPOR_FULL") == "1" }

// Of returns all, of random programs say, if everything is to be tested, else some.
func Of(all, some int) int {
	if Full() {
		return all
	}
	return some
}

// Seed returns the seed from which a test draws its programs, and logs it: usual, unless GOPOR_SEED is set.
// GOPOR_SEED=fresh draws a new seed, and a number is that seed. Plain go test draws the same programs at every
// time: a defect that only some seeds show is found by .ci/run, and fails no user's first go test.
func Seed(t testing.TB, usual uint64) uint64 {
	t.Helper()
	seed, err := seedOf(os.Getenv("GOPOR_SEED"), usual)
	if err != nil {
		t.Fatalf("GOPOR_SEED: %v; set it to a number, or to fresh", err)
	}
	t.Logf("to repeat: GOPOR_SEED=%d go test -run '^%s$'", seed, t.Name())
	return seed
}

func seedOf(text string, usual uint64) (uint64, error) {
	switch text {
	case "":
		return usual, nil
	case "fresh":
		return rand.Uint64() >> 33, nil // short enough to be typed
	}
	return strconv.ParseUint(text, 0, 64)
}

// Computes skips a test under the race detector. What it does is a search on one thread at a
// time, or a hand-over from goroutine to goroutine that a hundred quicker tests do as well, and
// the detector would look at that for minutes. Tests in which threads share memory do not ask.
func Computes(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("it only computes")
	}
}
