package unfold_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gopor/gopor/internal/test/enginetest"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/unfold"
)

// small is what the oracle can enumerate.
var small = oracle.Limits{Executions: 1000, Depth: 14}

// subjects are the engines, and what they promise: completeness for every k, and
// that nothing is blocked for k = ∞.
func subjects() []enginetest.Subject {
	all := []enginetest.Subject{
		{Name: "optimal", Engine: unfold.Optimal{}, Promise: enginetest.Optimal},
		{Name: "optimal, whole combs", Engine: unfold.Optimal{Comb: true}, Promise: enginetest.Optimal},
		{Name: "optimal, step 2", Engine: unfold.Optimal{Tree: unfold.Tree{Step: 2}}, Promise: enginetest.Optimal},
		{Name: "k = 1000", Engine: unfold.QPOR{K: 1000}, Promise: enginetest.Optimal},
	}
	for _, k := range []int{1, 2, 3} {
		all = append(all, enginetest.Subject{Name: fmt.Sprintf("k = %d", k), Engine: unfold.QPOR{K: k}, Promise: enginetest.SleepSets})
	}
	return all
}

// TestRandom holds the engines to their promises on random programs.
func TestRandom(t *testing.T) {
	verify(t, 600)
}

// TestGarbage does the same while garbage is collected all the time.
func TestGarbage(t *testing.T) {
	defer unfold.SetLeastFull(0)()
	verify(t, 300)
}

func verify(t *testing.T, n int64) {
	all := subjects()
	for i, p := range toytest.Programs(t, n) {
		err := enginetest.VerifyAll(all, p, small)
		if err != nil && !errors.Is(err, oracle.ErrTooBig) {
			t.Logf("program %d:", i)
			enginetest.Complain(t, all, p, small)
			return
		}
	}
}
