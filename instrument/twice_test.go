package instrument

import "testing"

// TestTwiceGolden compares files that are rewritten by all rewriters with those
// next to them.
func TestTwiceGolden(t *testing.T) { golden(t, "testdata/twice/*.txtar", rewritten) }
