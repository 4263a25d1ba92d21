package record

import (
	"fmt"
	"strings"
)

// The maximal number of tests in the result of Behind, and of goroutines per test.
const (
	behindTests = 5
	behindLines = 2
)

// Behind returns a line about the tests that leave goroutines behind which are still reachable,
// "" if there are none.
func Behind(all []Entry) string {
	var tests []string
	seen := make(map[string]bool)
	for _, e := range all {
		test := e.Package + "." + e.Test
		if len(e.Behind) == 0 || seen[test] {
			continue
		}
		seen[test] = true
		tests = append(tests, test+" ("+strings.Join(first(e.Behind, behindLines, "goroutine"), "; ")+")")
	}
	switch n := len(tests); n {
	case 0:
		return ""
	case 1:
		return "1 test leaves goroutines behind that something still reaches: " + tests[0]
	default:
		return fmt.Sprintf("%d tests leave goroutines behind that something still reaches: %s", n, strings.Join(first(tests, behindTests, "test"), ", "))
	}
}

// first returns the first n elements, and the number of the others as text.
func first(all []string, n int, what string) []string {
	more := len(all) - n
	if more <= 1 { // to name one more takes no more room than to count it
		return all
	}
	return append(all[:n:n], fmt.Sprintf("and %d more %ss", more, what))
}
