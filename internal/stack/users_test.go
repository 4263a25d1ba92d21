package por_test

import (
	"testing"

	"github.com/gopor/gopor/por"
)

// TestIsUsers tells whose functions there are: a library of assertions has tests of its own.
func TestIsUsers(t *testing.T) {
	for _, f := range []struct {
		function, file string
		want           bool
	}{
		{"cache.(*Cache).Get", "/src/cache/cache.go", true},
		{"cache.TestGet", "/src/cache/cache_test.go", true},
		{"testing.tRunner", "/usr/local/go/src/testing/testing.go", false},
		{"gotest.tools/v3/assert.Check", "/src/assert/assert.go", false},
		{"gotest.tools/v3/poll.TestWaitOn.func1", "/src/poll/poll_test.go", true},
		{"gotest.tools/v3/poll_test.helper", "poll_test.go", true},
		{"mine/vendor/github.com/stretchr/testify/assert.Equal", "/src/vendor/github.com/stretchr/testify/assert/assertions.go", false},
	} {
		if got := por.IsUsers(f.function, f.file); got != f.want {
			t.Errorf("%s in %s is the user's: %v", f.function, f.file, got)
		}
	}
}
