package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/internal/saved"
	"github.com/gopor/gopor/internal/share"
)

// regression is a test that fails deterministically.
type regression struct {
	file    string // from the folder of the package; "" if the saved schedule is all
	saved   string // the schedule with which it begins, from there as well
	command string // what runs it
}

// writeRegression writes a test that fails in the same way every time: por.Check of the test's
// function, with its schedule saved. In a module that does not have this one it is the
// schedule that por check has saved.
func (q *inquiry) writeRegression() (*regression, error) {
	function, sub, _ := strings.Cut(q.test, "/")
	kept := &regression{saved: q.found.Saved, command: q.checkCommand("")}
	if q.found.Time == "lag" {
		kept.command = q.checkCommand("-check.clock=lag ") // by default a delay is a note
	}
	if q.found.Saved != "" {
		kept.command = commandName() + " replay " + format.Quoted(filepath.Join(q.shown(), q.found.Saved))
	}
	switch {
	case strings.HasPrefix(function, "Fuzz") || sub != "":
		return kept, nil
	case q.checksItself():
		return kept, nil
	}
	if _, err := q.goCommand(append(append([]string{"list"}, q.flags...), "github.com/gopor/gopor/por")...); err != nil {
		return kept, fmt.Errorf("the module does not have gopor: go get github.com/gopor/gopor, and run this again")
	}
	pkg, err := q.packageOf(function)
	if err != nil {
		return kept, err
	}
	name := function + "Schedule"
	file := filepath.Join(q.dir, strings.ToLower(function)+"_schedule_test.go")
	if _, err := os.Stat(file); err == nil {
		return kept, fmt.Errorf("%s is there already, and was left as it is", filepath.Base(file))
	}
	text := fmt.Sprintf(`package %s

import (
	"testing"

	"github.com/gopor/gopor/por"
)

// %s runs %s under every schedule, that which is saved in
// testdata/por/%[2]s first: %[4]s.
func %[2]s(t *testing.T) { por.Check(t, %[3]s) }
`, pkg, name, function, oneLine(q.found.Headline))
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		return kept, err
	}
	first := q.run(name)
	if first == nil || q.run(name) == nil {
		os.Remove(file)
		return kept, fmt.Errorf("por.Check of %s in a test of its own does not fail every time", function)
	}
	if q.found.Saved != "" && q.found.Saved != first.Saved {
		saved.Remove(q.dir, q.found.Saved) // the test has taken its place
	}
	return &regression{file: filepath.Base(file), saved: first.Saved, command: "go test -run '^" + name + "$' " + format.Quoted(q.pkg)}, nil
}

// checkCommand returns the command that explores the test, with flags.
func (q *inquiry) checkCommand(flags string) string {
	return commandName() + " check " + flags + "-run " + format.Quoted(share.RunPattern(q.test)) + " " + format.Quoted(q.pkg)
}

// run runs a test that calls Check, and returns what it has found.
func (q *inquiry) run(name string) (found *record.Failure) {
	quiet := command.Env{Name: q.env.Name, Out: &q.output, Err: &q.output, Interrupt: q.env.Interrupt}
	testAnd("test", slices.Concat([]string{"-count=1", "-v", "-run=^" + name + "$"}, q.flags, []string{q.pkg}), quiet, func(told string) {
		for _, e := range record.Read(told) {
			if e.Failure != nil {
				found = e.Failure
			}
		}
	})
	return found
}

// checksItself reports whether the failure was found by a Check of the test's own.
func (q *inquiry) checksItself() bool {
	s, err := saved.Read(filepath.Join(q.dir, q.found.Saved))
	return q.found.Saved != "" && err == nil && s.By == saved.ByCheck
}

// packageOf returns the name of the package that declares a function, among the files of tests
// that are built.
func (q *inquiry) packageOf(function string) (string, error) {
	for _, name := range q.tests {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(q.dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.Name == function {
				return f.Name.Name, nil
			}
		}
	}
	return "", fmt.Errorf("no file of %s declares %s", q.path, function)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
