// Command cost measures what one execution under control costs beside go test -race, and prints the
// table of docs/bench/cost.md. In a clone of this repository,
//
//	go run ./internal/test/cost [-turns N] [-run REGEXP] [-keep DIR] [-beside FILE]
//
// builds the tests of testdata/module natively, for the race detector and under control, and runs
// each by turns. The figures are medians of processor time.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/environ"
)

var (
	turns  = flag.Int("turns", 5, "how often each test is run in each way")
	only   = flag.String("run", ".", "a regular expression: the tests to run")
	keep   = flag.String("keep", "", "a folder for the test binaries, such as one for -beside of a later run")
	beside = flag.String("beside", "", "a test binary under control of an earlier state, to compare with")
)

func main() {
	flag.Parse()
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

// way is a way to run tests: a column of the table.
type way struct {
	name, binary string
	controlled   bool
}

// row is what a test costs, in each way.
type row struct {
	test  string
	costs []time.Duration
}

func run(out io.Writer) error {
	if *turns < 1 {
		return fmt.Errorf("-turns %d: a median needs one turn or more", *turns)
	}
	matches, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	dir := *keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "cost"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	ways, err := build(dir)
	if err != nil {
		return err
	}
	tests, err := exec.Command(ways[0].binary, "-test.list", ".").Output()
	if err != nil {
		return err
	}
	var rows []row
	for _, test := range strings.Fields(string(tests)) {
		if matches.MatchString(test) {
			costs, err := measure(test, ways)
			if err != nil {
				return err
			}
			rows = append(rows, row{test, costs})
		}
	}
	if len(rows) == 0 {
		return fmt.Errorf("-run %s: no test has such a name", *only)
	}
	_, err = io.WriteString(out, table(ways, rows))
	return err
}

// build builds the test binaries in a folder.
func build(dir string) ([]way, error) {
	file := func(name string) string {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		return filepath.Join(dir, name)
	}
	por := file("por")
	module := filepath.Join("internal", "test", "cost", "testdata", "module")
	ways := []way{{name: "natively", binary: file("native.test")}, {name: "-race", binary: file("race.test")},
		{name: "under control", binary: file("controlled.test"), controlled: true}}
	for _, c := range []struct {
		folder string
		args   []string
	}{
		{".", []string{"go", "build", "-o", por, "./cmd/por"}},
		{module, []string{"go", "test", "-c", "-o", ways[0].binary, "."}},
		{module, []string{"go", "test", "-race", "-c", "-o", ways[1].binary, "."}},
		{module, []string{por, "test", "-check", "-c", "-o", ways[2].binary, "."}},
	} {
		cmd := exec.Command(c.args[0], c.args[1:]...)
		cmd.Dir, cmd.Env = c.folder, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		if text, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s in %s: %w\n%s", strings.Join(c.args, " "), c.folder, err, text)
		}
	}
	if *beside != "" {
		before, err := filepath.Abs(*beside)
		if err != nil {
			return nil, err
		}
		ways = slices.Insert(ways, 2, way{name: "before", binary: before, controlled: true})
	}
	return ways, nil
}

// measure returns the median of the processor time that a test takes in each way.
func measure(test string, ways []way) ([]time.Duration, error) {
	all := make([][]time.Duration, len(ways))
	for range *turns {
		for i, w := range ways {
			d, err := w.once(test)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], d)
		}
	}
	var medians []time.Duration
	for _, list := range all {
		medians = append(medians, median(list))
	}
	return medians, nil
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// once runs a test, for one execution if it is under control.
func (w way) once(test string) (time.Duration, error) {
	cmd := exec.Command(w.binary, "-test.run", "^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), environ.CheckCommand+"="+environ.Rerun{Por: "por"}.String())
	for flag, value := range map[string]string{"EXECUTIONS": "1", "CLOCK": "discrete", "PROCESSES": "0", "TIME": "10m0s"} {
		cmd.Env = append(cmd.Env, environ.CheckPrefix+flag+"="+value)
	}
	text, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s %s: %w\n%s", w.name, test, err, text)
	}
	if explored := strings.Contains(string(text), "1 execution explored"); explored != w.controlled {
		return 0, fmt.Errorf("%s %s: an execution was explored: %v, want %v\n%s", w.name, test, explored, w.controlled, text)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// table returns the table as Markdown. The ratios are those to the race detector.
func table(ways []way, rows []row) string {
	var b strings.Builder
	b.WriteString("| test |")
	line := "\n|---|"
	for _, w := range ways {
		fmt.Fprintf(&b, " %s |", w.name)
		line += "---|"
		if w.controlled {
			b.WriteString(" ratio |")
			line += "---|"
		}
	}
	b.WriteString(line + "\n")
	products := make([]float64, len(ways))
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |", strings.TrimPrefix(r.test, "Test"))
		for i, w := range ways {
			fmt.Fprintf(&b, " %.3f |", r.costs[i].Seconds())
			if w.controlled {
				ratio := r.costs[i].Seconds() / cmp.Or(r.costs[1], time.Millisecond).Seconds()
				products[i] += math.Log(ratio)
				fmt.Fprintf(&b, " %.1f |", ratio)
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("| geometric mean |")
	for i, w := range ways {
		b.WriteString(" |")
		if w.controlled {
			fmt.Fprintf(&b, " %.1f |", math.Exp(products[i]/float64(len(rows))))
		}
	}
	b.WriteString("\n")
	return b.String()
}
