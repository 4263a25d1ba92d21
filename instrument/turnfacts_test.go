package instrument

import "testing"

// TestTurnFactsGolden compares files that tell what iterations of other packages may call with those
// next to them.
func TestTurnFactsGolden(t *testing.T) {
	golden(t, "testdata/turnfacts/*.txtar", by(rewriteTurnFacts, rewriteLooking, rewriteActs))
}
