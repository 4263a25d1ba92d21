// Package effort says whether tests are to do all that they can. By default they take
// about three minutes of CPU time together: fewer random programs, and little of other
// people's code, which has to be built. With GOPOR_FULL=1 they do everything, as in
// ".ci/run full". Go's own tests treat -short like that, but there one has to ask for less.
package effort

import (
	"os"
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

// Computes skips a test under the race detector. What it does is a search on one thread at a
// time, or a hand-over from goroutine to goroutine that a hundred quicker tests do as well, and
// the detector would look at that for minutes. Tests in which threads share memory do not ask.
func Computes(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("it only computes")
	}
}
