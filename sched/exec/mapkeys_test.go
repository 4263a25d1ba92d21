package exec

import "testing"

// TestKindOfFrame checks that the methods of this package announce accesses, and that functions of
// programs do not.
func TestKindOfFrame(t *testing.T) {
	for function, want := range map[string]frameKind{
		"github.com/gopor/gopor/sched/exec.(*execution).Use": frameAnnounce,
		"github.com/gopor/gopor/sched/exec.Use":              frameOther,
		"example.org/b/exec.(*execution).Use":                frameOther,
		"runtime.racereadpc":                                 frameAnnounce,
		"type:.eq.example.org/a.key":                         frameCompare,
		"runtime.mapaccess1":                                 frameMap,
		"runtime.efaceeq":                                    frameAny,
	} {
		if got := kindOfFrame(function); got != want {
			t.Errorf("%s: kind %d, want %d", function, got, want)
		}
	}
}
