package suites

import (
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/kit"
)

// server is a package of which the tests talk by sockets.
type server struct {
	pkg string
	of  []count // of each of the releases
}

// count has how many tests of a package are taken, and how many are cut: those that need what only
// the package has.
type count struct{ taken, cut int }

// differs is a test that does not come out as without control.
type differs struct {
	pkg, tests string
	why        why // fails, long, or never
	reason     string
	span
}

// perProcess is how many tests run in one process.
const perProcess = 40

var serverLimits = limits{executions: 3, time: "10s", steps: 400_000}

// TestServers runs tests of servers and clients of the Go distribution, without control and under
// control. Each has to come out alike, but for those that the table names.
func TestServers(t *testing.T) {
	goroot, dir := begin(t)
	for _, s := range servers {
		t.Run(s.pkg, func(t *testing.T) { s.check(t, goroot, dir) })
	}
}

// check copies the tests of a package, runs them, and compares.
func (s *server) check(t *testing.T, goroot, dir string) {
	got, err := copyServers(goroot, filepath.Join(dir, "mod"), s.pkg)
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.Index(releases, version.Lang(runtime.Version())); i >= 0 {
		if is := (count{len(got.tests), len(got.cut)}); is != s.of[i] {
			t.Errorf("%d tests are taken and %d cut, not %d and %d as the table says", is.taken, is.cut, s.of[i].taken, s.of[i].cut)
		}
	}
	mod, binary := filepath.Join(dir, "mod"), path.Base(s.pkg)+".test"
	command(t, mod, "go", "test", "-c", "-o", filepath.Join(dir, "native", binary), "./"+s.pkg)
	command(t, mod, kit.Por(t), "test", "-check", "-c", "-o", filepath.Join(dir, "bin", binary), "./"+s.pkg)
	passed := 0
	for tests := got.tests; len(tests) > 0; {
		n := min(len(tests), perProcess)
		natively, under := runNatively(dir, got, tests[:n]), run(dir, got, tests[:n], serverLimits)
		for _, name := range tests[:n] {
			passed += s.judge(t, name, natively[name], under[name])
		}
		tests = tests[n:]
	}
	t.Logf("%d of %d tests pass under control", passed, len(got.tests))
}

// runNatively runs tests without control.
func runNatively(dir string, s *suite, tests []string) map[string]*outcome {
	cmd := exec.Command(filepath.Join(dir, "native", path.Base(s.name)+".test"),
		"-test.v=test2json", "-test.short", "-test.timeout=5m", "-test.run=^("+strings.Join(tests, "|")+")$")
	cmd.Dir = filepath.Join(dir, "mod", filepath.FromSlash(s.name))
	out, _ := cmd.CombinedOutput()
	return outcomes(out)
}

// judge compares what came of a test, and returns how many have passed, 0 or 1.
func (s *server) judge(t *testing.T, name string, natively, under *outcome) int {
	if natively == nil {
		natively = &outcome{text: "it was not run"}
	}
	if under == nil {
		under = &outcome{text: "it was not run"}
	}
	if os.Getenv("SUITES_VERBOSE") != "" {
		fmt.Printf("%s/%s: natively %s, under control %s, %d executions\n", s.pkg, name, natively.status, under.status, under.executions)
	}
	d := s.known(name)
	switch passes := under.passed(); {
	case natively.status != "PASS":
		// It skips itself, or needs what was cut.
	case d == nil && !passes:
		t.Errorf("%s behaves otherwise than without control: %q, %d executions\n%s", name, under.status, under.executions, under.text)
	case d != nil && d.why == fails && passes:
		t.Errorf("%s passes now: take it out of the table", name)
	case passes:
		return 1
	}
	return 0
}

// known returns what the table says of a test, or nil.
func (s *server) known(name string) *differs {
	for i := range different {
		if d := &different[i]; d.pkg == s.pkg && d.holds(runtime.Version()) && strings.Contains(" "+d.tests+" ", " "+name+" ") {
			return d
		}
	}
	return nil
}
