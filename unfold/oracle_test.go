package unfold_test

import (
	"fmt"
	"testing"

	"github.com/gopor/gopor/internal/test/enginetest"
	"github.com/gopor/gopor/unfold"
)

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
func TestRandom(t *testing.T) { enginetest.Random(t, subjects(), 600) }

// TestGarbage does the same while garbage is collected all the time.
func TestGarbage(t *testing.T) {
	defer unfold.SetLeastFull(0)()
	enginetest.Random(t, subjects(), 300)
}
