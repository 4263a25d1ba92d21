package machine

import "testing"

// TestKindOfFrame checks that the methods of an executor announce accesses, whatever package it is
// in, and that functions of programs do not.
func TestKindOfFrame(t *testing.T) {
	methods := packageOf(new(assuming)) + ".("
	if methods != "github.com/gopor/gopor/internal/machine.(" {
		t.Errorf("the methods of an executor of this package begin with %q", methods)
	}
	for function, want := range map[string]frameKind{
		"example.org/a/exec.(*execution).Use": frameAnnounce,
		"example.org/a/exec.Use":              frameOther,
		"example.org/b/exec.(*execution).Use": frameOther,
		"runtime.racereadpc":                  frameAnnounce,
		"type:.eq.example.org/a.key":          frameCompare,
		"runtime.mapaccess1":                  frameMap,
		"runtime.efaceeq":                     frameAny,
	} {
		if got := kindOfFrame(function, "example.org/a/exec.("); got != want {
			t.Errorf("%s: kind %d, want %d", function, got, want)
		}
	}
}
