package record

import (
	"fmt"
	"strings"
)

// How many tests Behind names, and how many goroutines of each.
const (
	behindTests = 5
	behindLines = 2
)

// Behind returns a line on the tests that leave goroutines behind which something still reaches, "" if there
// are none.
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

// first returns the first n of some things, and how many others there are.
func first(all []string, n int, what string) []string {
	more := len(all) - n
	switch {
	case more <= 0:
		return all
	case more > 1:
		what += "s"
	}
	return append(all[:n:n], fmt.Sprintf("and %d more %s", more, what))
}
