package suites

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/kit"
)

// limits bound what is run of a test, by the environment that por test sets
// from its flags.
type limits struct {
	executions int
	time       string
	steps      int
	races      string // "" for the default
	full       bool   // without -short
	engine     string // "" for the default
}

func (l limits) environ() []string {
	env := append(os.Environ(),
		fmt.Sprintf("POR_CHECK_EXECUTIONS=%d", l.executions),
		"POR_CHECK_TIME="+l.time,
		fmt.Sprintf("POR_CHECK_STEPS=%d", l.steps),
		"POR_CHECK_LEAKS=allow", // as without control
		"POR_SAVE=off",
	)
	if l.races != "" {
		env = append(env, "POR_CHECK_RACES="+l.races)
	}
	if l.engine != "" {
		env = append(env, "POR_CHECK_ENGINE="+l.engine)
	}
	return env
}

// outcome is what came of one test.
type outcome struct {
	status     string // PASS, FAIL, SKIP, or "" if it did not end
	executions int    // complete ones
	steps      int    // performed, not counting replayed ones
	millis     float64
	text       string
}

// passed reports whether the test has passed, at least once from start to end.
func (o *outcome) passed() bool { return o.status == "PASS" && o.executions > 0 }

// printed returns what a test has printed, and package por has not.
func (o *outcome) printed() string {
	var lines []string
	ours := -1 // how far the latest line of package por is indented, if what follows may belong to it
	for line := range strings.Lines(o.text) {
		text := strings.TrimLeft(line, " ")
		switch indent := len(line) - len(text); {
		case strings.HasPrefix(text, "por: "):
			ours = indent
		case ours >= 0 && indent > ours:
		case strings.HasPrefix(line, "=== NAME"), line == "PASS\n", line == "FAIL\n":
		default:
			ours, lines = -1, append(lines, line)
		}
	}
	return strings.TrimSpace(strings.Join(lines, ""))
}

// build builds the test binaries of suites as por check does.
func build(t *testing.T, dir string, suites []*suite) {
	t.Helper()
	args := []string{"test", "-check", "-c", "-o", filepath.Join(dir, "bin") + "/"}
	for _, s := range suites {
		args = append(args, "./"+s.name)
	}
	command(t, filepath.Join(dir, "mod"), kit.Por(t), args...)
}

func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// run runs tests of a suite in one process and returns what came of each.
func run(dir string, s *suite, tests []string, l limits) map[string]*outcome {
	cmd := exec.Command(filepath.Join(dir, "bin", path.Base(s.name)+".test"),
		"-test.v=test2json", fmt.Sprintf("-test.short=%v", !l.full), "-test.timeout=5m", "-test.run=^("+strings.Join(tests, "|")+")$")
	cmd.Dir = filepath.Join(dir, "mod", filepath.FromSlash(s.name))
	cmd.Env = l.environ()
	out, _ := cmd.CombinedOutput()
	return outcomes(out)
}

var (
	marker = regexp.MustCompile(`^--- (PASS|FAIL|SKIP): (\w+) `)
	figure = regexp.MustCompile(`por: ([\d,]+) executions?, .* pruned, ([\d,]+) steps? .*, ([\d.]+)(µs|ms|s) \(`)
)

// outcomes reads the output of a test binary. What package testing says of tests
// there begins with a control character.
func outcomes(out []byte) map[string]*outcome {
	all := make(map[string]*outcome)
	current := &outcome{}
	for _, piece := range bytes.Split(out, []byte{0x16}) {
		text := string(piece)
		line, rest, _ := strings.Cut(text, "\n")
		if name, ok := strings.CutPrefix(line, "=== RUN   "); ok {
			current = &outcome{}
			all[name] = current
		} else if m := marker.FindStringSubmatch(line); m != nil && all[m[2]] != nil {
			all[m[2]].status = m[1]
		} else {
			rest = text
		}
		current.text += rest
	}
	for _, o := range all {
		if m := figure.FindStringSubmatch(o.text); m != nil {
			o.executions, o.steps = number(m[1]), number(m[2])
			o.millis, _ = strconv.ParseFloat(m[3], 64)
			o.millis *= map[string]float64{"µs": 0.001, "ms": 1, "s": 1000}[m[4]]
		}
	}
	return all
}

func number(s string) int {
	n, _ := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
	return n
}
