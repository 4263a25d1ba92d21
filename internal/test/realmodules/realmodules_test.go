// Package realmodules runs the tests of published modules, as they are, under por check. README.md
// has what comes of them.
package realmodules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	// What the command is made of: without it the result of these tests would be taken
	// from the cache whatever has changed.
	_ "github.com/gopor/gopor/instrument"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/kit"
	_ "github.com/gopor/gopor/por/testing"
)

// module is a published module, with how many test functions each of its packages
// has.
type module struct {
	path, version string
	flags         []string // of por check
	tests         map[string]int
	leftOut       []leftOut
}

// leftOut is a test that fails for a reason that is none of the module's.
type leftOut struct {
	test    string // after its package, from the module's root on
	message string // what its report has
	reason  string
}

// leaks is for modules whose tests leave goroutines behind on purpose.
var leaks = []string{"-check.leaks=allow"}

var modules = []module{
	{
		path: "golang.org/x/sync", version: "v0.18.0", flags: []string{"-check.steps=100000"},
		tests: map[string]int{"errgroup": 5, "semaphore": 8, "singleflight": 10, "syncmap": 3},
		leftOut: []leftOut{{
			"syncmap.TestConcurrentRange", "too long to explore",
			"goes over a map of 1,024 keys again and again, each of which is a step: more than a million of them",
		}},
	},
	{
		path: "github.com/hashicorp/golang-lru/v2", version: "v2.0.7",
		// One test makes 200,000 operations in an execution: on a busy machine that takes seconds.
		flags: append(leaks, "-check.time=60s", "-check.executions=5"),
		tests: map[string]int{".": 16, "expirable": 11, "simplelru": 7},
	},
	{
		path: "github.com/eapache/go-resiliency", version: "v1.7.0",
		tests: map[string]int{"batcher": 6, "breaker": 4, "deadline": 1, "retrier": 17, "semaphore": 3},
		leftOut: []leftOut{{
			"breaker.TestBreakerErrorExpiry", "circuit breaker is open",
			"sleeps for exactly the timeout, and expects more time than that to have passed, which on the virtual clock it has not",
		}},
	},
	{
		path: "github.com/cenkalti/backoff/v4", version: "v4.3.0", flags: leaks,
		tests: map[string]int{".": 20},
	},
	{
		path: "github.com/benbjohnson/clock", version: "v1.3.5", flags: leaks,
		tests: map[string]int{".": 38},
	},
	{
		path: "golang.org/x/time", version: "v0.14.0",
		tests: map[string]int{"rate": 32},
	},
}

func TestModules(t *testing.T) {
	if !effort.Full() {
		t.Skip("explores the tests of several modules")
	}
	por := kit.Por(t)
	for _, m := range modules {
		t.Run(m.path, func(t *testing.T) { m.run(t, por) })
	}
}

// run explores the tests of all packages, each for 300ms, in discrete time: by lag, which
// por check tries after that, many of them fail, since they take for granted that
// code takes no time (a sleep of a millisecond in which others are to come far enough).
// Examples are left out: they run once and on the real clock, and some depend on it.
func (m *module) run(t *testing.T, por string) {
	dir := m.copy(t)
	args := append([]string{"test", "-check", "-v", "-json", "-count=1", "-run=^Test", "-check.time=300ms", "-check.clock=discrete"}, m.flags...)
	cmd := exec.Command(por, append(args, "./...")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "POR_SAVE=off")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	results, order := parse(t, out)
	if passed := err == nil; passed != (len(m.leftOut) == 0) {
		t.Errorf("%v: %v\n%s%s", cmd.Args[1:], err, out, problems.Bytes())
	}
	left := maps.Collect(func(yield func(string, leftOut) bool) {
		for _, l := range m.leftOut {
			yield(l.test, l)
		}
	})
	counts := make(map[string]int)
	for _, name := range order {
		r := results[name]
		pkg, test, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(name, m.path), "/"), "\x00")
		if pkg == "" {
			pkg = "."
		}
		counts[pkg]++
		t.Logf("| %s | %s | %s |", pkg, test, r.row())
		if l, ok := left[pkg+"."+test]; !ok {
			r.wantPass(t, name)
		} else if r.action == "pass" || !strings.Contains(r.output.String(), l.message) {
			t.Errorf("%s is left out, since it %s; now it ends with %q:\n%s", l.test, l.reason, r.action, r.output.String())
		}
	}
	if !maps.Equal(counts, m.tests) {
		t.Errorf("%v tests, want %v", counts, m.tests)
	}
}

// copy puts the module into a directory of the test's.
func (m *module) copy(t *testing.T) string {
	name := m.path + "@" + m.version
	cmd := exec.Command("go", "mod", "download", "-json", name)
	cmd.Dir = t.TempDir() // no module
	out, err := cmd.Output()
	var info struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &info); jsonErr != nil || info.Dir == "" {
		t.Skipf("%s cannot be had: %v; %s", name, err, info.Error)
	}
	dir := filepath.Join(t.TempDir(), filepath.Base(m.path))
	if err := os.CopyFS(dir, os.DirFS(info.Dir)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// result is what came of a test function.
type result struct {
	action  string // of package test2json: pass, fail, skip
	elapsed float64
	output  strings.Builder
}

// parse reads the output of go test -json: the results by package and test, and
// their order.
func parse(t *testing.T, out []byte) (results map[string]*result, order []string) {
	results = make(map[string]*result)
	for line := range bytes.Lines(out) {
		var e struct {
			Action, Package, Test, Output string
			Elapsed                       float64
		}
		if json.Unmarshal(line, &e) != nil || !strings.HasPrefix(e.Test, "Test") {
			continue
		}
		name := e.Package + "\x00" + e.Test
		r := results[name]
		if r == nil {
			r = new(result)
			results[name] = r
			order = append(order, name)
		}
		switch e.Action {
		case "output":
			r.output.WriteString(e.Output)
		case "pass", "fail", "skip":
			r.action, r.elapsed = e.Action, e.Elapsed
		}
	}
	slices.Sort(order)
	return results, order
}

// verdict matches the line of a report that says how much was explored.
var verdict = regexp.MustCompile(`por: (?:all )?(the only trace|[0-9,]+ (?:traces|executions?)) explored.*`)

// row returns how many executions there were, whether these are all that matter,
// and the time.
func (r *result) row() string {
	m := verdict.FindStringSubmatch(r.output.String())
	if m == nil {
		return r.action + " | | "
	}
	n, _, _ := strings.Cut(m[1], " ")
	if n == "the" {
		n = "1"
	}
	how := "no"
	if strings.Contains(m[0], "(exhaustive;") {
		how = "yes"
	}
	if r.action != "pass" {
		how = r.action
	}
	return fmt.Sprintf("%s | %s | %.2f", n, how, r.elapsed)
}

// wantPass fails t unless the test has passed, having been explored.
func (r *result) wantPass(t *testing.T, name string) {
	t.Helper()
	if text := r.output.String(); r.action != "pass" || !strings.Contains(text, "none fails") && !strings.Contains(text, "does not fail") {
		t.Errorf("%s ends with %q:\n%s", strings.ReplaceAll(name, "\x00", "."), r.action, text)
	}
}
