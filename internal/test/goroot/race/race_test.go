package race

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
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

var (
	update   = flag.Bool("update", false, "write the figures in README.md")
	withLong = flag.Bool("long", false, "also run what is left out because it takes long")
)

// TestSuite compares what por check says about the functions of the suite
// with their names.
func TestSuite(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds and explores a suite")
	}
	s := readSuite(t, goEnv(t, "GOROOT"))
	checkList(t, s)
	verdicts := s.explore(t)
	var c counts
	for _, name := range slices.Sorted(maps.Keys(s.tests)) {
		v, ran := verdicts[name]
		reason, out := leftOut[name]
		c.add(name, out, v)
		switch {
		case out && s.tests[name] != "", out && long(reason) && !*withLong:
		case !ran:
			t.Errorf("%s: no verdict", name)
		case out && v.right(name) != passes(reason):
			t.Errorf("%s is right: %v, although it is left out because %s", name, v.right(name), reason)
		case !out && !v.right(name):
			t.Errorf("%s: race %v, passed %v:\n%s", name, v.race, v.passed, v.output)
		case !out && !v.race && !v.exhaustive:
			t.Logf("%s: not every trace was run", name)
		}
	}
	compareREADME(t, c)
}

// checkList compares the list of what is left out with the suite.
func checkList(t *testing.T, s *suite) {
	t.Helper()
	for name, reason := range s.tests {
		if reason != "" && leftOut[name] != reason {
			t.Errorf("%s has to be left out because %s, not because %q", name, reason, leftOut[name])
		}
	}
	complete := isListed(goEnv(t, "GOVERSION"))
	for name, reason := range leftOut {
		found, ok := s.tests[name]
		if !ok && complete {
			t.Errorf("%s is left out, but is not in the suite", name)
		}
		if ok && found == "" && slices.Contains([]string{internals, raceBuilds, skips}, reason) {
			t.Errorf("%s is left out because %s, but that is not so", name, reason)
		}
	}
}

// verdict is what was said about a function of the suite.
type verdict struct {
	passed     bool
	race       bool // a data race was found
	exhaustive bool // every trace was run
	output     string
}

// right reports whether the verdict on a function is what its name says.
func (v verdict) right(name string) bool {
	if hasRace(name) {
		return v.race && !v.passed
	}
	return v.passed && !v.race
}

// explore runs the suite as a user would who has it in a module of their own.
func (s *suite) explore(t *testing.T) map[string]verdict {
	t.Helper()
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range s.files {
		write(t, filepath.Join(dir, name), text)
	}
	write(t, filepath.Join(dir, "go.mod"), []byte("module example.org/race\n\ngo 1.26.0\n\n"+
		"require github.com/gopor/gopor v0.0.0\n\nreplace github.com/gopor/gopor => "+root+"\n"))
	// Goroutines that wait for ever are no matter of this suite.
	args := []string{kit.Por(t), "test", "-check", "-check.executions=2000", "-check.time=10s", "-check.leaks=allow", "-json", "-mod=mod"}
	if skip := s.skipped(); skip != "" {
		args = append(args, "-skip", skip)
	}
	out, _ := run(dir, append(args, ".")...) // there are races: it fails
	return verdicts(t, out)
}

// skipped returns a pattern of the functions that take long, unless they are
// wanted.
func (s *suite) skipped() string {
	var names []string
	for name, reason := range leftOut {
		if long(reason) && !*withLong {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return "^(" + strings.Join(names, "|") + ")$"
}

// raceFound is what a report of a data race has.
var raceFound = regexp.MustCompile(`(?m)^ *(\S+: )?por: data race: `)

// allRun is what a verdict says if every trace was run.
var allRun = regexp.MustCompile(`por: (all [0-9,]+ traces|the only trace) explored`)

// verdicts reads what go test -json says.
func verdicts(t *testing.T, out []byte) map[string]verdict {
	t.Helper()
	all := make(map[string]verdict)
	for line := range bytes.Lines(out) {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal(line, &e) != nil || e.Test == "" {
			continue
		}
		v := all[e.Test]
		switch e.Action {
		case "output":
			v.output += e.Output
		case "pass":
			v.passed = true
		}
		all[e.Test] = v
	}
	for name, v := range all {
		v.race = raceFound.MatchString(v.output)
		v.exhaustive = allRun.MatchString(v.output)
		all[name] = v
	}
	if len(all) == 0 {
		t.Fatalf("no test has run:\n%s", out)
	}
	return all
}

func run(dir string, words ...string) ([]byte, error) {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "POR_SAVE=off")
	return cmd.CombinedOutput()
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// counts are the figures of the suite.
type counts struct{ races, found, noRaces, clean, out int }

func (c *counts) add(name string, out bool, v verdict) {
	right := !out && v.right(name)
	if out {
		c.out++
	}
	if hasRace(name) {
		c.races++
		if right {
			c.found++
		}
		return
	}
	c.noRaces++
	if right {
		c.clean++
	}
}

func (c counts) String() string {
	return fmt.Sprintf("Of %d functions with a race, %d fail with one. Of %d without, %d pass.\nThe other %d are left out:",
		c.races, c.found, c.noRaces, c.clean, c.out)
}

// compareREADME compares the figures and the list with those in README.md, which
// are those of the releases that are listed.
func compareREADME(t *testing.T, c counts) {
	t.Helper()
	if !isListed(goEnv(t, "GOVERSION")) {
		return
	}
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- figures -->\n", "<!-- end -->\n"
	head, rest, ok1 := strings.Cut(string(text), begin)
	old, tail, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatal("README.md has no place for the figures")
	}
	want := figures(c)
	switch {
	case *update:
		write(t, "README.md", []byte(head+begin+want+end+tail))
	case old != want:
		t.Errorf("README.md says\n%s\nnot\n%s\nTo write the figures: go test ./internal/test/goroot/race -update", old, want)
	}
}

func figures(c counts) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n| function | why |\n|---|---|\n", c)
	names := slices.SortedFunc(maps.Keys(leftOut), func(a, b string) int {
		return strings.Compare(leftOut[a]+" "+a, leftOut[b]+" "+b)
	})
	for _, name := range names {
		fmt.Fprintf(&b, "| %s | %s |\n", name, leftOut[name])
	}
	return b.String()
}
