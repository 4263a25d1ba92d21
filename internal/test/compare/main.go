// Command compare looks for ten bugs by the means that a Go developer has, and prints the table
// of docs/compare.md. In a clone of this repository,
//
//	go run ./internal/test/compare [-runs N] [-limit D]
//
// builds the tests of testdata/module natively, for the race detector and under control. A cell
// says in which run, or execution, the bug shows first.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

var (
	runs  = flag.Int("runs", 1000, "how often a test is run natively, if it does not fail")
	limit = flag.Duration("limit", 20*time.Second, "how long a run may take before it hangs")
)

// perRun is more than a run of any of the tests takes that does not hang.
const perRun = 50 * time.Millisecond

func main() {
	flag.Parse()
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// way is a means of finding bugs: a column of the table.
type way struct {
	name string
	env  string // of the test binary
	race bool
}

var ways = []way{
	{name: "`go test`"},
	{name: "`go test -race`", race: true},
	{name: "`testing/synctest`", env: "COMPARE=synctest"},
	{name: "goleak", env: "COMPARE=goleak"},
}

func run(out io.Writer) error {
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{module: filepath.Join("internal", "test", "compare", "testdata", "module"), dir: dir}
	b.por = b.executable("por")
	if err := b.build(); err != nil {
		return err
	}
	list, err := exec.Command(b.binary(ways[0]), "-test.list", ".").Output()
	if err != nil {
		return err
	}
	header, line := "| bug |", "|---|"
	for _, w := range ways {
		header, line = header+" "+w.name+" |", line+"---|"
	}
	fmt.Fprintf(out, "%s `por check` |\n%s---|\n", header, line)
	for _, test := range strings.Fields(string(list)) {
		fmt.Fprintf(out, "| %s |", words(strings.TrimPrefix(test, "Test")))
		for _, w := range ways {
			fmt.Fprintf(out, " %s |", b.natively(w, test))
		}
		cell, err := b.explored(test)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, " %s |\n", cell)
	}
	return nil
}

var inside = regexp.MustCompile(`([a-z])([A-Z])`)

// words returns a name as words.
func words(name string) string {
	return strings.ToLower(inside.ReplaceAllString(name, "$1 $2"))
}

// bench runs the tests of a module by way of binaries in a folder, and by the command por.
type bench struct{ module, dir, por string }

func (b *bench) executable(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(b.dir, name)
}

func (b *bench) binary(w way) string {
	if w.race {
		return b.executable("race.test")
	}
	return b.executable("native.test")
}

func (b *bench) build() error {
	for _, c := range []struct {
		folder string
		args   []string
	}{
		{".", []string{"go", "build", "-o", b.por, "./cmd/por"}},
		{b.module, []string{"go", "test", "-c", "-o", b.executable("native.test"), "./bugs"}},
		{b.module, []string{"go", "test", "-race", "-c", "-o", b.executable("race.test"), "./bugs"}},
	} {
		cmd := exec.Command(c.args[0], c.args[1:]...)
		cmd.Dir, cmd.Env = c.folder, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s in %s: %w\n%s", strings.Join(c.args, " "), c.folder, err, text)
		}
	}
	return nil
}

// natively runs a test until it fails, and says in which run that was. A run that hangs is the last
// one: it ends when there is no more time, of which there is plenty for all runs.
func (b *bench) natively(w way, test string) string {
	cmd := exec.Command(b.binary(w), "-test.run=^"+test+"$", "-test.v", "-test.failfast",
		fmt.Sprintf("-test.count=%d", *runs), fmt.Sprint("-test.timeout=", *limit+time.Duration(*runs)*perRun))
	if w.env != "" {
		cmd.Env = append(os.Environ(), w.env)
	}
	text, err := cmd.CombinedOutput()
	n := strings.Count(string(text), "--- PASS: "+test) + 1
	switch {
	case err == nil:
		return "–"
	case strings.Contains(string(text), "panic: test timed out"):
		return fmt.Sprintf("hangs in run %d", n)
	}
	return fmt.Sprintf("run %d", n)
}

var execution = regexp.MustCompile(`found in execution (\d+)`)

// explored runs a test under control, with no options.
func (b *bench) explored(test string) (string, error) {
	cmd := exec.Command(b.por, "check", "-run=^"+test+"$", "./bugs")
	cmd.Dir, cmd.Env = b.module, append(os.Environ(), "GOWORK=off", "GOFLAGS=", "POR_SAVE=off")
	text, err := cmd.CombinedOutput()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		return "", err
	}
	if found := execution.FindSubmatch(text); found != nil {
		return "execution " + string(found[1]), nil
	}
	if err == nil {
		return "–", nil
	}
	return "", fmt.Errorf("%s fails, and says not in which execution:\n%s", test, text)
}
