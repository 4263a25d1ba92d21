package suites

import (
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// Executions are what bounds tests; the times are for a machine that is busy with
// something else.
var (
	usual = limits{executions: 10, time: "20s", steps: 400_000}
	short = limits{executions: 3, time: "10s", steps: 400_000}
	drawn = limits{executions: 1, time: "60s", steps: 2_000_000, engine: "random"}
	racy  = limits{executions: 2, time: "20s", steps: 400_000, engine: "random", races: "ignore"}
	full  = limits{executions: 3, time: "20s", steps: 400_000, full: true}
	// A test that is too long is looked at no further than this.
	glance = limits{executions: 1, time: "60s", steps: 2_000, full: true}
)

// begin makes the module that tests are copied to, in folder mod of dir, and returns where the Go
// distribution is.
func begin(t *testing.T) (goroot, dir string) {
	t.Helper()
	if !effort.Full() {
		t.Skip("builds binaries")
	}
	checkout, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("there is no go command: %v", err)
	}
	dir = t.TempDir()
	if err := startModule(filepath.Join(dir, "mod"), checkout); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out)), dir
}

// TestSuites runs the Go distribution's own tests under control. Those that the
// table leaves out have to fail, and all others to pass.
func TestSuites(t *testing.T) {
	goroot, dir := begin(t)
	mod := filepath.Join(dir, "mod")
	var suites []*suite
	if s, err := copyPrograms(goroot, mod); err != nil {
		t.Logf("left out: %v", err)
	} else {
		suites = append(suites, s)
	}
	for _, l := range libraries {
		if s, err := copyLibrary(goroot, mod, l); err != nil {
			t.Logf("left out: %v", err)
		} else {
			suites = append(suites, s)
		}
	}
	if slices.Contains(releases, version.Lang(runtime.Version())) {
		checkTable(t, suites)
	}
	if len(suites) == 0 {
		t.Skipf("%s has no tests of the standard library", goroot)
	}
	build(t, dir, suites)
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) { s.check(t, dir) })
	}
}

// releases are those whose tests the table was written for. Others may lack some of them.
var releases = []string{"go1.26", "go1.27"}

// checkTable looks for tests in the tables that the distribution does not have.
func checkTable(t *testing.T, suites []*suite) {
	t.Helper()
	for _, s := range suites {
		has := func(name string) {
			if s.cut[name] == "" && !slices.Contains(s.tests, name) {
				t.Errorf("the tables know a test %s of %s, which the distribution does not have", name, s.name)
			}
		}
		for _, o := range leftOut {
			for _, name := range strings.Fields(o.tests) {
				if o.suite == s.name && o.holds(runtime.Version()) {
					has(name)
				}
			}
		}
		for _, table := range []map[string][]string{racesAllowed, heavy, skippedInShort} {
			for _, name := range table[s.name] {
				has(name)
			}
		}
	}
}

// check runs the tests of s and compares with the table.
func (s *suite) check(t *testing.T, dir string) {
	groups := make(map[*limits][]string)
	listed := make(map[string]*omission)
	for i := range leftOut {
		if o := &leftOut[i]; o.suite == s.name && o.holds(runtime.Version()) {
			for _, name := range strings.Fields(o.tests) {
				listed[name] = o
			}
		}
	}
	for name, lacks := range s.cut {
		if o := listed[name]; o == nil || o.why != outside {
			t.Errorf("%s cannot be built, for it needs %s; put it into the table of what is left out", name, lacks)
		}
	}
	expectations := 0
	for _, name := range s.tests {
		o := listed[name]
		switch {
		case o == nil:
			groups[s.limits(name)] = append(groups[s.limits(name)], name)
			expectations++
		case o.why == fails:
			groups[&usual] = append(groups[&usual], name)
		case o.why == skips:
			groups[&short] = append(groups[&short], name)
		case o.why == long:
			groups[&glance] = append(groups[&glance], name)
		case o.why == outside:
			t.Errorf("%s can be built after all: take it out of the table", name)
		}
	}
	passed := 0
	steps, millis := 0, 0.0
	for l, tests := range groups {
		results := run(dir, s, tests, *l)
		for _, name := range tests {
			o := results[name]
			if o == nil {
				o = &outcome{text: "it was not run"}
			}
			passed += s.judge(t, name, o, listed[name])
			steps += o.steps
			millis += o.millis
			if os.Getenv("SUITES_VERBOSE") != "" {
				fmt.Printf("%s/%s: %s, %d executions, %d steps, %.0f ms\n", s.name, name, o.status, o.executions, o.steps, o.millis)
			}
		}
	}
	t.Logf("%d of %d tests pass under control, %d are left out; %.0f steps/s", passed, expectations, len(s.tests)+len(s.cut)-expectations, float64(steps)/(millis+1)*1000)
}

// limits returns how far a test that is not left out is run.
func (s *suite) limits(name string) *limits {
	switch {
	case slices.Contains(racesAllowed[s.name], name):
		return &racy
	case slices.Contains(heavy[s.name], name):
		return &drawn
	case slices.Contains(skippedInShort[s.name], name):
		return &full
	}
	return &usual
}

// judge compares what came of a test with what the table says of it, and
// returns how many tests have passed, 0 or 1. A program has to print nothing.
func (s *suite) judge(t *testing.T, name string, o *outcome, left *omission) int {
	passed := o.passed() && !(s.name == programs && o.printed() != "")
	switch {
	case left == nil && !passed:
		t.Errorf("%s behaves otherwise than without control: %q, %d executions\n%s", name, o.status, o.executions, o.text)
	case left == nil:
		return 1
	case passed:
		t.Errorf("%s passes now (%d executions), so it need not be left out: %s", name, o.executions, left.reason)
	case left.why == long && !strings.Contains(o.text, "step limit") && !strings.Contains(o.text, "too long to explore"):
		t.Errorf("%s is left out for its length, but does not reach the limit of steps: %q\n%s", name, o.status, o.text)
	case left.why == skips && o.status != "SKIP":
		t.Errorf("%s is left out because it skips itself, but has not done so: %q\n%s", name, o.status, o.text)
	}
	return 0
}
