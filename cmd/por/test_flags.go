package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/checkflags"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/spell"
)

// testCommand is what the command line of por test, or por check, asks for.
type testCommand struct {
	name    string       // test or check
	check   bool         // tests are explored
	dir     string       // of flag -C
	options []string     // the flags that need -check
	again   []string     // the flags that a replay needs
	refused string       // a flag that does not go with -check
	unknown []string     // names of flags that nothing has, and that come before the packages
	given   string       // what is to say of a flag that the test program is given
	kept    []build.Flag // for go test
	json    bool         // what is printed is events

	runsNone bool   // no test is run, only listed or compiled
	strict   string // value of -check.strict
	total    string // value of -check.total
	time     string // value of -check.time
	pattern  string // value of -run
	skip     string // value of -skip
	lanes    string // value of -p
	written  string // a flag by which the go command writes a file of each run
	failfast bool   // no test runs after one that fails
	budget   *budget
	lists    bool   // por check -list: tests are listed, with what is known of them
	listed   string // the pattern of their names
	environ  []string
}

// limits are the flags of por check that make no difference to a replay.
var limits = map[string]bool{"check.time": true, "check.executions": true, "check.keep": true, "check.save": true, "check.output": true, checkflags.Strict: true, checkflags.Total: true, "check.processes": true}

// add adds a flag.
func (c *testCommand) add(f build.Flag) error {
	name := strings.TrimPrefix(f.Name, "test.")
	switch {
	case name == "list" && c.name == "check" && strings.HasPrefix(f.Value, "-"):
		return fmt.Errorf("-list %s: behind -list comes a pattern of names, or the packages; put %[1]s before it", f.Value)
	case name == "list" && c.name == "check":
		c.lists, c.listed = true, cmp.Or(f.Value, ".")
		return nil
	case f.Lacks:
		return fmt.Errorf("the flag -%s needs a value", f.Name)
	case f.Name == "check":
		if f.Value != "" && f.Value != "true" {
			return fmt.Errorf("-check=%s: the flag takes no value; to run tests once: por test", f.Value)
		}
		c.check = true
		return nil
	case strings.HasPrefix(f.Name, checkflags.Prefix):
		variable, err := checkflags.Env(f.Name, f.Value)
		if err != nil {
			return err
		}
		switch f.Name {
		case checkflags.Strict:
			c.strict = f.Value
		case checkflags.Total:
			c.total = f.Value
		case checkflags.Time:
			c.time = f.Value
			fallthrough
		default:
			c.environ = append(c.environ, variable)
		}
		c.options = append(c.options, "-"+f.Name)
		if !limits[f.Name] {
			c.again = append(c.again, "-"+f.Name+"="+f.Value)
		}
		return nil
	case !build.Known(f.Name) && checkflags.Mean(f.Name) != "":
		return fmt.Errorf("unknown flag -%s%s Flags of the test program come after -args", f.Name, checkflags.Mean(f.Name))
	case f.Name == "toolexec":
		return errors.New("-toolexec is not supported: por sets it itself")
	case f.Name == "vet" && f.Value != "off":
		return errors.New("-vet is not supported: vet would check rewritten code. Run go vet separately")
	case f.Name == "C":
		c.dir = f.Value
	case name == "bench" || name == "fuzz":
		c.refused = "-" + name
	case f.Name == "json":
		c.json = f.Value == "" || f.Value == "true"
	case name == "run":
		c.pattern = f.Value
	case name == "skip":
		c.skip = f.Value
	case name == "p":
		c.lanes = f.Value
	case name == "failfast":
		c.failfast = f.Value == "" || f.Value == "true"
	case strings.HasSuffix(name, "profile") || name == "trace":
		c.written = "-" + name
	case name == "list" || name == "c" || name == "n":
		c.runsNone = true
	case name == "short" || build.Compiled(f):
		c.again = append(c.again, f.Words...)
	}
	if !build.Known(f.Name) {
		c.unknown = append(c.unknown, f.Name)
	}
	c.kept = append(c.kept, f)
	return nil
}

// meant returns the question which flag was meant by an unknown one, "" if none is alike.
func (c *testCommand) meant(name string) string {
	if c.check && checkflags.Has(name) {
		return spell.Mean("-", checkflags.Prefix+name, []string{checkflags.Prefix + name})
	}
	return spell.Mean("-", strings.TrimPrefix(name, "test."), build.FlagNames())
}

// misplaced returns an error for an unknown flag before the packages: the go command would take
// these for arguments of the test program. It also refuses the name of a flag of por check
// without its prefix.
func (c *testCommand) misplaced(packages []string) error {
	for _, name := range c.unknown {
		mean := c.meant(name)
		switch {
		case len(packages) == 0 && !(c.check && checkflags.Has(name)):
		case mean != "":
			return fmt.Errorf("unknown flag -%s%s Flags of the test program come after the packages", name, mean)
		default:
			return fmt.Errorf("unknown flag -%s; flags of the test program come after the packages", name)
		}
	}
	return nil
}

// foreign returns the name of a flag that was given to the test program, with the question which
// other flag was meant. It is "" if no flag is alike.
func (c *testCommand) foreign(rest []string) string {
	for _, word := range rest {
		name, isFlag := strings.CutPrefix(strings.TrimPrefix(word, "-"), "-")
		if name, _, _ = strings.Cut(name, "="); word == "-args" || word == "--args" {
			break
		} else if isFlag || strings.HasPrefix(word, "-") {
			if mean := c.meant(name); mean != "" {
				return "-" + name + " was given to the test program" + mean
			}
		}
	}
	return ""
}

// explorer returns the words of the command line that ask for exploration.
func (c *testCommand) explorer() string {
	if c.name == "check" {
		return "por check"
	}
	return "-check"
}

// reportFlags refuses flags of reports, and of por check, that no test program has; the rest are
// arguments of these.
func reportFlags(rest []string) error {
	names := []string{"full", "html", "json"} // as package por has them
	for _, word := range rest {
		if word == "-args" || word == "--args" {
			break
		}
		flag := strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-")
		if flag, _, _ = strings.Cut(flag, "="); word != flag && strings.Contains(flag, ".") && checkflags.Mean(flag) != "" {
			return fmt.Errorf("unknown flag -%s%s", flag, checkflags.Mean(flag))
		}
		name, own := strings.CutPrefix(flag, "por.")
		if own && word != flag && !slices.Contains(names, name) {
			return fmt.Errorf("unknown flag -por.%s%s", name, spell.Unknown(spell.Mean("-por.", name, names), "-por.full -por.html -por.json"))
		}
	}
	return nil
}

// finish looks at the flags together.
func (c *testCommand) finish() error {
	switch {
	case !c.check && len(c.options) > 0:
		return fmt.Errorf("%s needs -check; use por check", c.options[0])
	case c.check && c.refused != "":
		return fmt.Errorf("%s does not go with %s, which explores tests; use go test %[1]s", c.refused, c.explorer())
	}
	if c.total != "" && c.written != "" {
		return fmt.Errorf("%s does not go with -%s, which runs some tests several times", c.written, checkflags.Total)
	}
	c.setTotal()
	again := environ.Rerun{Por: commandName(), Dir: c.dir, Flags: c.again}
	c.environ = build.Environ(c.environ, environ.CheckCommand, again.String())
	c.environ = build.Environ(c.environ, environ.CheckWithin, "")
	folder, err := filepath.Abs(c.dir)
	c.environ = build.Environ(c.environ, environ.CheckFolder, folder)
	return err
}
