package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/spell"
)

// testName matches names of tests that -run may have: one test, perhaps one of its subtests.
var testName = regexp.MustCompile(`^(Test|Fuzz)[\pL\pN_]*(/.+)?$`)

// parse reads the command line.
func (q *inquiry) parse(args []string) error {
	for i := 0; i < len(args); i++ { // the flag -for is not one of go test
		name, value, ok := strings.Cut(args[i], "=")
		if name != "-for" && name != "--for" {
			continue
		}
		n := 1
		if !ok && i+1 < len(args) {
			value, n = args[i+1], 2
		}
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return fmt.Errorf("-for %s: a time such as 30s is needed", value)
		}
		q.limit = d
		args = slices.Delete(slices.Clone(args), i, i+n)
		break
	}
	flags, packages, rest := build.SplitFlags(args)
	for _, f := range flags {
		switch {
		case f.Name == "run" || f.Name == "test.run":
			q.test = strings.Trim(strings.ReplaceAll(f.Value, "$/^", "/"), "^$")
		case build.Compiled(f) && f.Name != "race":
			q.flags = append(q.flags, f.Words...)
		default:
			mean := spell.Mean("-", f.Name, append(slices.DeleteFunc(build.FlagNames(), func(n string) bool { return !build.Compiled(build.Flag{Name: n}) }), "for", "run"))
			return fmt.Errorf("the flag -%s does not go with triage%s", f.Name, spell.Unknown(mean, "-for, -run and what packages are compiled by, such as -tags"))
		}
	}
	switch {
	case len(packages) != 1 || len(rest) > 0 || strings.Contains(packages[0], "..."):
		return errors.New("one package is needed, such as ./bank")
	case !testName.MatchString(q.test):
		return fmt.Errorf("-run %q: the name of one test is needed, such as TestTransfer", q.test)
	}
	q.pkg = packages[0]
	return nil
}

// located prints what triage asks of a package: its folder, its path, and the files of its tests.
const located = "{{.Dir}}\n{{.ImportPath}}{{range .TestGoFiles}}\n{{.}}{{end}}{{range .XTestGoFiles}}\n{{.}}{{end}}"

// locate finds the package with its tests, as the flags have them.
func (q *inquiry) locate() error {
	out, err := q.goCommand(append(append([]string{"list"}, q.flags...), "-f", located, q.pkg)...)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) < 2 {
		return fmt.Errorf("go list: %s matches no package", q.pkg)
	}
	q.dir, q.path, q.tests = lines[0], lines[1], lines[2:]
	return nil
}

// goCommand runs the go command and returns what it prints. The error is what it has to say.
func (q *inquiry) goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %s", args[0], strings.TrimSpace(problems.String()))
	}
	return out.String(), nil
}
