//go:build unix

package por_test

import (
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// sharedBeside runs one of the tests of TestShared with n workers beside the process of the test, by an engine, and returns what it prints.
func sharedBeside(t *testing.T, engine, name string, n int) string {
	t.Helper()
	t.Setenv("GOPOR_TEST_BESIDE", engine)
	return shared(t, name, n)
}

const (
	byThree = "optimal DPOR by reverse search of 3 processes"
	all720  = "all 720 traces explored, none fails (exhaustive; "
)

// TestBeside has workers beside this process come to what it comes to alone.
func TestBeside(t *testing.T) {
	names := []string{"none", "told late", "some", "one", "global", "lag", "linearizable", "not linearizable", "refines", "refines not"}
	if effort.Race {
		names = []string{"some"}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			want := strings.ReplaceAll(plain(sharedBeside(t, "reverse", name, 0)), "optimal DPOR by reverse search", byThree)
			got := sharedBeside(t, "reverse", name, 2)
			if plain(got) != want {
				t.Errorf("with two workers:\n%s\nwithout:\n%s", got, want)
			}
			got = sharedBeside(t, "auto", name, 2)
			if fails := "--- FAIL"; strings.Contains(got, fails) != strings.Contains(want, fails) {
				t.Errorf("by Auto with two workers:\n%s\nwithout:\n%s", got, want)
			}
		})
	}
	for _, engine := range []string{"exhaustive", "endless"} {
		wantText(t, sharedBeside(t, engine, "none", 2), all720+byThree+", ")
	}
	wantText(t, sharedBeside(t, "optimal", "none", 2), all720+"optimal DPOR, ") // which somebody wants to have
	wantText(t, sharedBeside(t, "auto", "none", 2), all720+byThree)
	t.Setenv("GOPOR_TEST_HELPS", "1")
	for _, engine := range []string{"reverse", "auto"} {
		wantText(t, sharedBeside(t, engine, "none", 2), all720+byThree)
	}
	t.Setenv("GOPOR_TEST_HELPS", "")
	wantText(t, sharedBeside(t, "reverse", "second", 2), "all 6 traces explored", all720+byThree)
	wantText(t, sharedBeside(t, "auto", "some", 2), "--- FAIL", "a failure was found ("+byThree)
}

// TestBesideForNothing has nothing made of workers that are killed, die of what they do, do not come to the test, say what is not so here, or
// do what others would feel.
func TestBesideForNothing(t *testing.T) {
	wantText(t, sharedBeside(t, "auto", "killed", 2), all720+byThree)
	if effort.Full() { // that somebody is silent takes ten seconds to notice
		wantText(t, sharedBeside(t, "auto", "stopped", 2), all720+byThree)
	}
	t.Setenv("GOPOR_TEST_HELPS", "1")
	out := sharedBeside(t, "auto", "felt here", 2)
	wantText(t, out, all720+"optimal DPOR", "explored by one process because the test has an external effect: changes of shared. ")
	if strings.Contains(out, byThree) {
		t.Errorf("something was made of workers that feel what is done here:\n%s", out)
	}
	t.Setenv("GOPOR_TEST_HELPS", "")
	for _, name := range []string{"deadly", "absent", "only there", "felt", "felt before"} {
		out := sharedBeside(t, "auto", name, 2)
		wantText(t, out, all720+"optimal DPOR", "--- PASS")
		if strings.Contains(out, byThree) {
			t.Errorf("%s: something was made of the workers:\n%s", name, out)
		}
		if felt := strings.HasPrefix(name, "felt"); felt != strings.Contains(out, "explored by one process because the test has an external effect: ") {
			t.Errorf("%s: what was felt is told:\n%s", name, out)
		}
	}
	if n := noted(t, "begun"); n != 0 {
		t.Errorf("%d workers were started where others would feel what the test does", n)
	}
}

// TestBesideLimits ends searches early. A failure that is known by then is shown, though nobody knows whether it is the first.
func TestBesideLimits(t *testing.T) {
	if effort.Full() {
		wantText(t, sharedBeside(t, "reverse", "first one late", 2), "--- FAIL", "a failure was found ("+byThree)
	}
	wantText(t, sharedBeside(t, "auto", "limit", 2), "999 executions explored", "none fails; NOT exhaustive (execution limit; optimal DPOR")
	wantText(t, sharedBeside(t, "auto", "late", 2), "none fails; NOT exhaustive (time limit; "+byThree)
}
