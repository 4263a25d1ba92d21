package format

import "testing"

func TestFirstLine(t *testing.T) {
	for msg, want := range map[string]string{
		"one":           "one",
		"one\ntwo":      "one ...",
		"\n  one\ntwo ": "one ...",
		"\n\tError Trace:\ta_test.go:46\n\tError:      \tNot equal: \n\t\texpected: 1":                                                                                            "Not equal: expected: 1",
		"\n\tError Trace:\ta_test.go:46\n\tError:      \tNot equal: \n\t            \texpected: 1\n\t            \tactual  : 2\n\tTest:       \tTestX\n\tMessages:   \tthe sum\n": "the sum: Not equal: expected: 1 actual : 2",
		"\n": " ...",
	} {
		if got := FirstLine(msg); got != want {
			t.Errorf("FirstLine(%q) = %q, want %q", msg, got, want)
		}
	}
}
