package instrument

import "testing"

// TestUnusedGolden has the statements of atomic operations that are announced, and some that are
// not, since their results are used, or since the call comes later than its arguments.
func TestUnusedGolden(t *testing.T) { golden(t, "testdata/unused/*.txtar", by(rewriteUnused)) }
