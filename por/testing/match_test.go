package testing

import "testing"

func TestMatches(t *testing.T) {
	tests := []struct {
		pattern, name string
		partial, want bool
	}{
		{"", "TestA/x", true, true},
		{"A", "TestA/x", true, true},
		{"A/y", "TestA/x", true, false},
		{"A/y", "TestA/y/z", true, true},
		{"A/x/deep", "TestA/x", true, true},
		{"B|A/x", "TestA/x", true, true},
		{"B|A/x", "TestA/z", true, false},
		{"A/x", "TestA/x", false, true},
		{"A/x/deep", "TestA/x", false, false},
		{"A/a b", "TestA/a_b", true, true},
		{"A/[a/b]", "TestA/b", true, true},
		{"A/(x|y)", "TestA/y", true, true},
	}
	for _, test := range tests {
		if got := matches(test.pattern, test.name, test.partial); got != test.want {
			t.Errorf("matches(%q, %q, %v) = %v", test.pattern, test.name, test.partial, got)
		}
	}
}

func TestSubname(t *testing.T) {
	x := &executed{name: "TestX"}
	for _, want := range [][2]string{
		{"a", "TestX/a"}, {"a", "TestX/a#01"}, {"a b", "TestX/a_b"}, {"", "TestX/#00"}, {"", "TestX/#01"}, {"a#01", "TestX/a#01#01"},
	} {
		if got := x.subname(want[0]); got != want[1] {
			t.Errorf("subtest %q is named %q, want %q", want[0], got, want[1])
		}
	}
}
