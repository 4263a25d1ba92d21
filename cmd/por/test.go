package main

import (
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
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/record"
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
          was explored. A test fails if it does so under some schedules, or has a
          data race. One that fails under every schedule, or gets stuck in what is
          not under control, is shown as skipped, and named at the end with the
          likely reason. If there is such a test, and none fails, the exit status is 3

With -check:
`

// test runs go test with the tool that this program is.
func test(args []string, e env) int { return testAnd(args, e, nil) }

// testAnd is test, and calls look, unless that is nil, with the name of the file in which
// test programs have told what has come of each search.
func testAnd(args []string, e env, look func(told string)) int {
	if err := environ.Check(); err != nil {
		return e.misused("%v", err)
	}
	flags, packages, rest := build.SplitFlags(args)
	c := testCommand{environ: build.Environ(nil, environ.Instrument, "off")} // what it builds is instrumented
	for _, f := range flags {
		if f.Name == "h" || f.Name == "help" {
			fmt.Fprint(e.out, testUsage, checkflags.Usage())
			return exitOK
		}
		if err := c.add(f); err != nil {
			return e.misused("test: %v", err)
		}
	}
	if err := c.finish(); err != nil {
		return e.misused("test: %v", err)
	}
	b := &build.Build{Home: home()}
	others := b.SetFlags(c.kept)
	if err := setTool(b); err != nil {
		return e.failed(err)
	}
	prepared := terminal.Open().While(func(d time.Duration) string {
		return fmt.Sprintf("por: building what code under control needs: %v", d.Round(time.Second))
	})
	ours, err := b.Prepare(c.twins())
	prepared()
	switch {
	case err != nil && e.interrupted():
		fmt.Fprintln(e.err, "por: interrupted before any test was built")
		return exitInterrupted
	case err != nil:
		return e.failed(err)
	}
	told, err := c.record()
	if err != nil {
		return e.failed(err)
	}
	defer os.Remove(told)
	c.setWidth(os.Stdout)
	cmd := exec.Command("go", slices.Concat([]string{"test", "-vet=off"}, others, ours, packages, rest)...)
	cmd.Dir, cmd.Env = b.Dir, c.environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, e.out, e.err
	err = cmd.Run()
	if look != nil {
		look(told)
	}
	rows, summary, unfit := record.Summary(told)
	if summary != "" {
		fmt.Fprintf(e.err, "%spor: %s\n", rows, summary)
	}
	sayBehind(e.err, told)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && e.interrupted():
		return exitInterrupted
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		return e.failed(err)
	case unfit > 0:
		return exitUnfit
	}
	return exitOK
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
	environ []string
}

// limits are the flags of por test -check that make no difference to a replay.
var limits = map[string]bool{"check.time": true, "check.executions": true, "check.keep": true, "check.save": true, "check.output": true, "check.processes": true}

// add adds a flag.
func (c *testCommand) add(f build.Flag) error {
	name := strings.TrimPrefix(f.Name, "test.")
	switch {
	case f.Name == "check":
		if f.Value != "" && f.Value != "true" {
			return fmt.Errorf("-check=%s: the flag takes no value; leave it out to run tests once", f.Value)
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
	case f.Name == "toolexec":
		return errors.New("-toolexec is what por test uses itself")
	case f.Name == "vet" && f.Value != "off":
		return errors.New("go vet would see the code neither as it is nor as it is run; run it by itself, or go test")
	case name == "bench" || name == "fuzz":
		c.refused = "-" + name
	case name == "short" || build.Compiled(f):
		c.again = append(c.again, f.Words...)
	}
	c.kept = append(c.kept, f)
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
	b.Tool, b.ToolID = []string{self, "toolexec"}, hex.EncodeToString(sum[:])
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
