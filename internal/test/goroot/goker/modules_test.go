package goker

import (
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/kit"
)

// command is what a user types in the folder of a kernel's module.
const command = "por check ."

// fewModules are the modules that are enough without GOPOR_FULL=1: a lock, a channel in every
// execution, a condition.
const fewModules = "Cockroach10214|Cockroach24808|Kubernetes58107"

// outcomeRuns is how often each module is run with GOPOR_FULL=1. All runs must end alike.
const outcomeRuns = 3

// outcome is what the command says of a module.
type outcome struct {
	Status    int     // the exit status
	Headline  string  // the first line of the report, "" if there is no report
	Execution int     // the number of the execution that shows the failure, 0 if unknown
	Seconds   float64 // of the test itself, as go test counts them
	Output    string
}

// TestModules writes kernels as modules of their own, and runs the command in each. Every one
// must fail, with status 1, and with a headline that names the documented cause.
func TestModules(t *testing.T) {
	effort.Computes(t)
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	s := readSuite(t, strings.TrimSpace(string(goroot)))
	which, runs := s.failing(), outcomeRuns
	if !effort.Full() {
		which, runs = strings.Split(fewModules, "|"), 1
	}
	causes, por := s.causes(t), kit.Por(t)
	found := make(map[string]*outcome)
	var mu sync.Mutex // guards found
	t.Run("module", func(t *testing.T) {
		for _, name := range which {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				k := s.kernel(name)
				dir := k.write(t)
				o := runModule(t, por, dir)
				o.judge(t, k.cause(causes))
				for range runs - 1 {
					if again := runModule(t, por, dir); again.Status != o.Status || nameless(again.Headline) != nameless(o.Headline) {
						t.Errorf("one run ends with status %d and %q, another one with %d and %q",
							o.Status, o.Headline, again.Status, again.Headline)
					}
				}
				mu.Lock()
				found[name] = o
				mu.Unlock()
			})
		}
	})
	if effort.Full() {
		checkHeadlines(t, s, which, found)
	}
}

// failing returns the kernels that have something to find, sorted.
func (s *suite) failing() (names []string) {
	for _, f := range s.files {
		if f.kernel != "" && f.kernel != harmless {
			names = append(names, f.kernel)
		}
	}
	slices.Sort(names)
	return names
}

// write writes the kernel as a module: go.mod, and one file with the kernel and its test.
func (f *source) write(t *testing.T) string {
	name := strings.ToLower(strings.ReplaceAll(f.kernel, "_", ""))
	dir := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"go.mod":          "module example.org/" + name + "\n\ngo 1.26.0\n",
		name + "_test.go": f.asTest(name),
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// asTest returns the file as a package with a test that calls the entry point. Lines stay where
// they are.
func (f *source) asTest(pkg string) string {
	own := *f
	own.edits = append(slices.Clone(f.edits), edit{f.tree.Name.Pos(), f.tree.Name.End(), pkg + `; import "testing"`})
	for _, d := range f.tree.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name == "init" && names(d, "register") {
			own.remove(d.Pos(), d.End())
		}
	}
	return own.edited() + fmt.Sprintf("\nfunc Test%s(t *testing.T) { %s() }\n", f.kernel, f.kernel)
}

// cause returns what the kernel's bug is, as the distribution's README says it.
func (f *source) cause(causes map[string]string) string {
	if other, ok := mislabelled[f.kernel]; ok {
		return other
	}
	file, _, _ := strings.Cut(strings.TrimSuffix(f.name, ".go"), "_")
	return causes[strings.ToLower(file)]
}

var (
	headlineLine = regexp.MustCompile(`(?m)^--- FAIL: Test\w+ \([0-9.]+s\)\n(?:.*\n)*?    por: (.*)$`)
	executionOf  = regexp.MustCompile(`(?m)^    found in execution ([0-9,]+)`)
	failedIn     = regexp.MustCompile(`(?m)^FAIL\texample\.org/\w+\t([0-9.]+)s$`)
)

// runModule runs the command in a module. Schedules that an earlier run has saved are removed.
func runModule(t *testing.T, por, dir string) *outcome {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, "testdata")); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(command)
	cmd := exec.Command(por, words[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, plainEnvironment(), time.Second
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatalf("%s: %v", command, err)
	}
	return readOutcome(cmd.ProcessState.ExitCode(), string(out))
}

// aGoroutine matches the name of a goroutine, and aNumber which one of several objects is meant.
var (
	aGoroutine = regexp.MustCompile(`\bg[0-9][0-9.]*\b`)
	aNumber    = regexp.MustCompile(`#[0-9]+\b`)
)

// nameless returns a headline without the names of goroutines and the numbers of objects. Executions are
// drawn for as long as there is time, so which goroutine meets the bug first, and in which round of a
// loop, may differ.
func nameless(headline string) string {
	return aNumber.ReplaceAllString(aGoroutine.ReplaceAllString(headline, "g"), "")
}

// plainEnvironment is the environment without what tells the commands to do otherwise.
func plainEnvironment() []string {
	return append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "POR_") && !strings.HasPrefix(v, "POR_CACHE=")
	}), "GOWORK=off", "GOFLAGS=")
}

// readOutcome reads what the command has printed.
func readOutcome(status int, out string) *outcome {
	o := &outcome{Status: status, Output: out}
	if m := headlineLine.FindStringSubmatch(out); m != nil {
		o.Headline = m[1]
	}
	if m := executionOf.FindStringSubmatch(out); m != nil {
		o.Execution, _ = strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	}
	if m := failedIn.FindStringSubmatch(out); m != nil {
		o.Seconds, _ = strconv.ParseFloat(m[1], 64)
	}
	return o
}

// judge holds an outcome against the documented cause.
func (o *outcome) judge(t *testing.T, cause string) {
	t.Helper()
	switch {
	case o.Status != 1 || !failedIn.MatchString(o.Output):
		t.Errorf("%s ends with status %d; a module with a bug has to fail, with status 1:\n%s", command, o.Status, o.Output)
	case !named(cause, o.Headline):
		t.Errorf("the headline does not name the cause, %s:\n%s\n%s", cause, o.Headline, o.Output)
	}
}
