package leaks

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/kit"
)

// reached are the programs that leave behind, if anything, what something still reaches. All others of the module leave
// leaked goroutines behind.
var reached = []string{
	"Variable", "InMap", "InClosure", "InInterface", "InAtomic", "InValue", "InSyncMap", "InPool", "InBuffer", "InRegistry", "InList",
	"ByTimer", "ByTicker", "BySleeper", "Chain", "Finalizer", "Finalized", "Deadline", "KeptContext", "ChildContext", "ParentDeadline",
	"AfterContext", "Signal", "Locked", "KeptLock", "Read", "Group", "Cond", "OneCase", "OtherCase", "ByValue", "Deferred", "OnStack",
	"DroppedEnd", "CollectedEnd", "UnreadEnd", "DroppedBehind",
}

// unseen are the leaking programs of which the runtime's profile does not say so.
var unseen = []string{"Loser", "BothEnds"}

// command runs a command in the module with the programs, and returns what it prints.
func command(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = filepath.Join("testdata", "module"), append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out)
}

// programs returns the names of all programs.
func programs(t *testing.T) (names []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "module", "all.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`"(\w+)":`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	if len(names) < 50 {
		t.Fatalf("there are %d programs", len(names))
	}
	return names
}

func TestControlled(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds binaries")
	}
	text := command(t, []string{"POR_SAVE=off", "GOFLAGS=", "GOWORK=off"}, kit.Por(t), "test", "-check", "-v", ".")
	for _, name := range programs(t) {
		passes, fails := strings.Contains(text, "--- PASS: Test"+name+" "), strings.Contains(text, "--- FAIL: Test"+name+" ")
		if want := slices.Contains(reached, name); passes != want || fails == want {
			t.Errorf("%s: passes %v, want %v", name, passes, want)
		}
	}
	if n := strings.Count(text, "por: goroutine leak"); n != strings.Count(text, "--- FAIL: Test") {
		t.Errorf("%d tests fail for a leak: %s", n, text)
	}
	if !strings.Contains(text, "tests leave goroutines behind that something still reaches: example.org/leaks.TestVariable (g1 (programs.go:") {
		t.Errorf("what is left behind is not named: %s", text)
	}
}

// TestNative asks the runtime.
func TestNative(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds the standard library with an experiment")
	}
	native := filepath.Join(t.TempDir(), "native")
	env := []string{"GOEXPERIMENT=goroutineleakprofile", "GOFLAGS=", "GOWORK=off"}
	if out := command(t, env, "go", "build", "-o", native, "./native"); out != "" {
		t.Skipf("this release of Go has no such profile: %s", out)
	}
	for _, name := range programs(t) {
		_, leaked, ok := strings.Cut(strings.TrimSpace(command(t, nil, native, name)), " ")
		if want := !slices.Contains(reached, name) && !slices.Contains(unseen, name); !ok || (leaked != "0") != want {
			t.Errorf("%s: the runtime says that %s are leaked, want some: %v", name, leaked, want)
		}
	}
}
