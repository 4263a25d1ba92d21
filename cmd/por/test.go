package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/checkflags"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/internal/spell"
	"github.com/gopor/gopor/internal/terminal"
	"github.com/gopor/gopor/sched/std"
)

const testUsage = `usage: por test [-check] [FLAGS OF GO TEST] [PACKAGES]

Runs go test on code that has been brought under control: go statements,
channels, select, locks, atomics, time, contexts and plain memory, in the packages
and in all that they use outside the standard library. Inside por.Check that code
is explored; outside it behaves as ever. The exit status is that of go test, unless
-check has something to add. Go vet is not run.

  -check  explore existing tests as they are: every test function is run under
          every schedule that matters, or as many as the limits allow, and so is
          every seed of a fuzz test. Examples run once, and so do tests that call
          por.Check or por.Explore themselves. With -v every test says how much
          was explored. A test fails if it does so under some schedules or under
          all, or has a data race. One that fails under every schedule is run once
          without control, too. If control may be the cause and it passes there, it
          was not explored; nor was one that gets stuck in what is not under control,
          or has one execution beside goroutines that are not. Such a test is shown
          as skipped, and named at the end with the reason. If there is one, and
          none fails, the exit status is 3

With -check:
`

// test runs go test with the tool that this program is.
func test(args []string, e command.Env) int { return testAnd(args, e, nil) }

// testAnd is test, and calls look, unless that is nil, with the name of the file in which
// test programs have told what has come of each search.
func testAnd(args []string, e command.Env, look func(told string)) int {
	if err := environ.Check(); err != nil {
		return e.Misused("%v", err)
	}
	flags, packages, rest := build.SplitFlags(args)
	c := testCommand{environ: build.Environ(nil, environ.Instrument, "off")} // what it builds is instrumented
	for _, f := range flags {
		if f.Name == "h" || f.Name == "help" {
			fmt.Fprint(e.Out, testUsage, checkflags.Usage())
			return command.OK
		}
		if err := c.add(f); err != nil {
			return e.Misused("test: %v", err)
		}
	}
	if err := cmp.Or(reportFlags(rest), c.finish()); err != nil {
		return e.Misused("test: %v", err)
	}
	b := &build.Build{Home: home()}
	others := b.SetFlags(c.kept)
	if err := setTool(b); err != nil {
		return e.Failed(err)
	}
	prepared := terminal.Open().While(func(d time.Duration) string {
		return fmt.Sprintf("por: building what code under control needs: %v", d.Round(time.Second))
	})
	ours, err := b.Prepare(c.twins())
	prepared()
	switch {
	case err != nil && e.Interrupted():
		fmt.Fprintln(e.Err, "por: interrupted before any test was built")
		return command.Interrupted
	case err != nil:
		return e.Failed(err)
	}
	if release := b.Unknown(); release != "" {
		fmt.Fprintf(e.Err, "por: %s, which is tried: no verdict is exhaustive\n", build.NotKnown(release))
	}
	told, err := c.record()
	if err != nil {
		return e.Failed(err)
	}
	defer os.Remove(told)
	folder, err := c.natively(flags, packages, b.Dir)
	if err != nil {
		return e.Failed(err)
	}
	defer os.RemoveAll(folder)
	c.setWidth(os.Stdout)
	return c.run(e, b.Dir, slices.Concat([]string{"test", "-vet=off"}, others, ours, packages, rest), told, look)
}

// run runs the go command in a folder, and says what test programs have told in a file of that name.
func (c *testCommand) run(e command.Env, dir string, args []string, told string, look func(told string)) int {
	if e.Out == e.Err { // both are written to at once, by what the go command prints
		e.Out = &shared{w: e.Out}
		e.Err = e.Out
	}
	lines := newCacheLines(e.Err)
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, lines.watch(c.environ)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, e.Out, lines
	err := cmd.Run()
	lines.flush()
	if look != nil {
		look(told)
	}
	all, lost := lines.settle(record.Read(told))
	summary := record.Summarise(all)
	c.say(e, summary, lost, err != nil, record.Behind(all))
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && e.Interrupted():
		return command.Interrupted
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		return e.Failed(err)
	case summary.Count[record.NotExplored] > 0:
		return command.Unfit
	}
	return command.OK
}

// record makes the file in which test programs tell what has come of each search, and
// returns its name.
func (c *testCommand) record() (string, error) {
	f, err := os.CreateTemp("", "por-check-")
	if err != nil {
		return "", err
	}
	c.environ = build.Environ(c.environ, environ.CheckRecord, f.Name())
	return f.Name(), f.Close()
}

// setWidth tells test programs how wide the terminal is, unless the environment does: they
// write to the go command, not to the terminal.
func (c *testCommand) setWidth(f *os.File) {
	const columns = "COLUMNS"
	if n := terminal.Columns(f); n > 0 && os.Getenv(columns) == "" {
		c.environ = build.Environ(c.environ, columns, strconv.Itoa(n))
	}
}

// testCommand is what the command line of por test asks for.
type testCommand struct {
	check   bool
	options []string     // the flags that need -check
	again   []string     // the flags that a replay needs
	refused string       // a flag that does not go with -check
	kept    []build.Flag // for go test
	json    bool         // what is printed is events

	runsNone bool // no test is run, only listed or compiled
	environ  []string
}

// limits are the flags of por test -check that make no difference to a replay.
var limits = map[string]bool{"check.time": true, "check.executions": true, "check.keep": true, "check.save": true, "check.output": true, "check.processes": true}

// add adds a flag.
func (c *testCommand) add(f build.Flag) error {
	name := strings.TrimPrefix(f.Name, "test.")
	switch {
	case f.Name == "check":
		if f.Value != "" && f.Value != "true" {
			return fmt.Errorf("-check=%s: the flag takes no value; leave the flag out to run tests once", f.Value)
		}
		c.check = true
		return nil
	case strings.HasPrefix(f.Name, checkflags.Prefix):
		variable, err := checkflags.Env(f.Name, f.Value)
		if err != nil {
			return err
		}
		c.environ = append(c.environ, variable)
		c.options = append(c.options, "-"+f.Name)
		if !limits[f.Name] {
			c.again = append(c.again, "-"+f.Name+"="+f.Value)
		}
		return nil
	case !build.Known(f.Name) && checkflags.Mean(f.Name) != "":
		return fmt.Errorf("unknown flag -%s%s Flags of the test program come after -args", f.Name, checkflags.Mean(f.Name))
	case f.Name == "toolexec":
		return errors.New("-toolexec is not supported: por test sets it itself")
	case f.Name == "vet" && f.Value != "off":
		return errors.New("-vet is not supported: vet would check rewritten code. Run go vet separately")
	case name == "bench" || name == "fuzz":
		c.refused = "-" + name
	case f.Name == "json":
		c.json = f.Value == "" || f.Value == "true"
	case name == "list" || name == "c" || name == "n":
		c.runsNone = true
	case name == "short" || build.Compiled(f):
		c.again = append(c.again, f.Words...)
	}
	c.kept = append(c.kept, f)
	return nil
}

// reportFlags refuses flags of reports that no test program has; the rest are arguments of these.
func reportFlags(rest []string) error {
	names := []string{"full", "html", "json"} // as package por has them
	for _, word := range rest {
		if word == "-args" || word == "--args" {
			break
		}
		name, own := strings.CutPrefix(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), "por.")
		if name, _, _ = strings.Cut(name, "="); own && word[0] == '-' && !slices.Contains(names, name) {
			return fmt.Errorf("unknown flag -por.%s%s", name, spell.Unknown(spell.Mean("-por.", name, names), "-por.full -por.html -por.json"))
		}
	}
	return nil
}

// finish looks at the flags together.
func (c *testCommand) finish() error {
	switch {
	case !c.check && len(c.options) > 0:
		return fmt.Errorf("%s needs -check", c.options[0])
	case c.check && c.refused != "":
		return fmt.Errorf("%s does not go with -check, which explores tests; use go test %s", c.refused, c.refused)
	}
	again := strings.Join(append([]string{commandName() + " test -check"}, c.again...), " ")
	c.environ = build.Environ(c.environ, environ.CheckCommand, again)
	c.environ = build.Environ(c.environ, environ.CheckWithin, "")
	return nil
}

// twins returns the standard packages that get a twin.
func (c *testCommand) twins() []string {
	if c.check {
		return append(std.Packages(), "testing", "testing/cryptotest", "testing/synctest")
	}
	return std.Packages()
}

// setTool makes this program the tool of b.
func setTool(b *build.Build) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	b.Tool, b.ToolID, b.ToolIsSelf = []string{self, "toolexec"}, hex.EncodeToString(sum[:]), true
	return nil
}

// home returns the folder of this module's source, if it is on this machine.
func home() string {
	_, file, _, ok := runtime.Caller(0)
	dir := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); !ok || err != nil {
		return ""
	}
	return dir
}
