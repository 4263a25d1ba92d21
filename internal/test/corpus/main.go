// Command corpus runs the tests of published modules, as they are, natively and under
// por test -check, and prints a table of what came of them: README.md has it. In this
// folder,
//
//	go run . [-time D] [-limit D] [WORD...]
//
// goes through the modules of modules.txt, or those whose paths have one of the words.
// The go command fetches them; what cannot be had is said to be so.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

var (
	perTest = flag.Duration("time", 300*time.Millisecond, "how long a test function is explored")
	limit   = flag.Duration("limit", 5*time.Minute, "how long the tests of a module may take, natively and under control each")
)

// module is a line of modules.txt.
type module struct{ path, version, topic string }

func main() {
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(words []string) error {
	list, err := read("modules.txt", words)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "corpus")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	por := filepath.Join(temp, "por")
	if out, err := exec.Command("go", "build", "-o", por, "../../../cmd/por").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	fmt.Println("| module | version | topic | builds | natively: pass | fail | skip | under control: pass | fail | skip | none | seconds |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, m := range list {
		row, notes := m.run(por, temp)
		fmt.Printf("| %s | %s | %s | %s |\n", m.path, m.version, m.topic, row)
		for _, n := range notes {
			fmt.Fprintln(os.Stderr, "-", n)
		}
	}
	return nil
}

// read reads the modules whose paths have one of the words, all if there are none.
func read(name string, words []string) (list []module, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		path, rest, _ := strings.Cut(s.Text(), " ")
		version, topic, _ := strings.Cut(rest, " ")
		has := func(w string) bool { return strings.Contains(path, w) }
		if !strings.HasPrefix(path, "#") && version != "" && (len(words) == 0 || slices.ContainsFunc(words, has)) {
			list = append(list, module{path, version, topic})
		}
	}
	return list, nil
}

// run runs the tests of a module, and returns the rest of its row, and what there is to
// say besides.
func (m module) run(por, temp string) (row string, notes []string) {
	dir, err := m.copy(temp)
	if err != nil {
		return "cannot be had", []string{fmt.Sprintf("%s: %v", m.path, err)}
	}
	defer os.RemoveAll(dir)
	tests := []string{"-json", "-count=1", "-run=^Test", "-timeout=" + limit.String()}
	native := m.test(dir, "go", append([]string{"test", "-vet=off"}, append(tests, "./...")...))
	if len(native.tests) == 0 {
		return "not natively", []string{fmt.Sprintf("%s: %s; %s", m.path, native.problem(), native.ended())}
	}
	controlled := m.test(dir, por, slices.Concat([]string{"test", "-check", "-check.leaks=allow", "-check.time=" + perTest.String()}, tests, []string{"./..."}))
	builds := "yes"
	switch {
	case controlled.stopped && len(controlled.tests) == 0:
		builds = "not finished"
	case controlled.stopped:
		builds = "yes, as far as it came"
	case len(controlled.unbuilt) > len(native.unbuilt):
		builds = "no"
	case len(controlled.warnings) > 0:
		builds = "fallback"
	}
	for _, w := range controlled.warnings {
		notes = append(notes, fmt.Sprintf("%s: %s", m.path, w))
	}
	for _, p := range controlled.unbuilt {
		if !slices.Contains(native.unbuilt, p) {
			notes = append(notes, fmt.Sprintf("%s: package %s does not build: %s", m.path, p, controlled.problem()))
		}
	}
	missing := 0
	for _, name := range native.order {
		was, is := native.tests[name], controlled.tests[name]
		switch {
		case is == nil || is.action == "":
			missing++
		case is.action == "fail" || is.action == "skip" && was.action != "skip":
			notes = append(notes, fmt.Sprintf("%s: %s (natively %s, under control %s): %s", m.path, name, was.action, is.action, is.headline()))
		}
	}
	for _, r := range []*results{native, controlled} {
		row += fmt.Sprintf("%d | %d | %d | ", r.count("pass"), r.count("fail"), r.count("skip"))
	}
	if controlled.stopped {
		notes = append(notes, fmt.Sprintf("%s: takes longer than %v under control", m.path, *limit))
	}
	return fmt.Sprintf("%s | %s%d | %.0f", builds, row, missing, controlled.seconds), notes
}

// copy puts the module into a directory of its own.
func (m module) copy(temp string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", m.path+"@"+m.version)
	cmd.Dir = temp // no module
	out, err := cmd.Output()
	var info struct{ Dir, Error string }
	if json.Unmarshal(out, &info); info.Dir == "" {
		return "", fmt.Errorf("%v %s", err, info.Error)
	}
	dir := filepath.Join(temp, "module", filepath.Base(m.path))
	if err := os.CopyFS(dir, os.DirFS(info.Dir)); err != nil {
		return "", err
	}
	mod := filepath.Join(dir, "go.mod")
	if _, err := os.Stat(mod); errors.Is(err, os.ErrNotExist) { // from before there were modules
		return dir, os.WriteFile(mod, []byte("module "+m.path+"\n"), 0o666)
	}
	return dir, nil
}

// results are those of one go test command.
type results struct {
	tests    map[string]*result // by package and name
	order    []string
	unbuilt  []string // packages
	warnings []string // of packages that are less under control than they should be
	output   strings.Builder
	stopped  bool
	seconds  float64
}

// result is what came of a test function.
type result struct {
	action string // of package test2json: pass, fail, skip
	output strings.Builder
}

// event is a line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
}

func (m module) test(dir, name string, args []string) *results {
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "POR_SAVE=off")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	begin := time.Now()
	out, _ := cmd.Output()
	r := &results{tests: make(map[string]*result), seconds: time.Since(begin).Seconds(), stopped: errors.Is(ctx.Err(), context.DeadlineExceeded)}
	for line := range bytes.Lines(out) {
		var e event
		if json.Unmarshal(line, &e) == nil {
			r.add(m, e)
		}
	}
	for line := range strings.Lines(problems.String()) {
		r.say(line)
	}
	slices.Sort(r.order)
	return r
}

// say adds a line that belongs to no test.
func (r *results) say(line string) {
	if line = strings.TrimSpace(line); strings.HasPrefix(line, "por: warning: package ") && !slices.Contains(r.warnings, line) {
		r.warnings = append(r.warnings, line)
	}
	r.output.WriteString(line + "\n")
}

func (r *results) add(m module, e event) {
	switch {
	case e.Action == "fail" && e.Test == "" && e.FailedBuild != "":
		r.unbuilt = append(r.unbuilt, e.Package)
	case e.Action == "build-output":
		r.say(e.Output)
	}
	if !strings.HasPrefix(e.Test, "Test") || strings.Contains(e.Test, "/") {
		return
	}
	name := strings.TrimPrefix(strings.TrimPrefix(e.Package, m.path), "/") + "." + e.Test
	t := r.tests[name]
	if t == nil {
		t = new(result)
		r.tests[name] = t
		r.order = append(r.order, name)
	}
	switch e.Action {
	case "output":
		t.output.WriteString(e.Output)
	case "pass", "fail", "skip":
		t.action = e.Action
	}
}

func (r *results) count(action string) (n int) {
	for _, t := range r.tests {
		if t.action == action {
			n++
		}
	}
	return n
}

// problem returns the first line that the compiler, or the go command, has to say.
func (r *results) problem() string {
	for line := range strings.Lines(r.output.String()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go: ") && !strings.HasPrefix(line, "por: ") {
			return line
		}
	}
	return strings.TrimSpace(r.output.String())
}

// ended says how the command has ended.
func (r *results) ended() string {
	if r.stopped {
		return "takes longer than " + limit.String()
	}
	return fmt.Sprintf("ends after %.0f s", r.seconds)
}

// headline returns the line of a report that says what is wrong.
func (t *result) headline() string {
	for line := range strings.Lines(t.output.String()) {
		if _, text, ok := strings.Cut(strings.TrimSpace(line), "por: "); ok {
			return text
		}
	}
	for line := range strings.Lines(t.output.String()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "=== ") {
			return line
		}
	}
	return "no output"
}
