package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/checkflags"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/internal/terminal"
	"github.com/gopor/gopor/sched/std"
)

const checkUsage = `usage: por check [FLAGS] [PACKAGES]

Explores the tests of the packages, as they are: every test function, and every seed
of a fuzz test, runs under every order of its goroutines that makes a difference, or
as many as the limits allow. Without packages it is that of the current folder.

  por check                       the tests of the current folder
  por check ./...                 all tests of the module
  por check -run TestX ./bank     one test
  por check -v -check.time=1m .   a minute for each test, and how much was explored
  por check -list ./...           which tests there are, and which start goroutines

A test fails if it does so under some order or under all, or has a data race. The
report shows the schedule, and ends with the command that replays it. A test that
cannot be explored is shown as skipped, and named at the end with the reason. One
that fails under every order is run once without control, too: if control may be the
cause and it passes there, it was not explored. Examples run once, and so do tests
that call por.Check or por.Explore themselves.

The exit status is 0 if no test fails, 1 if one does, 2 if the command line makes no
sense, and 3 if no test fails and some were not explored.

-list [REGEXP] runs no test and builds none. It reads the source, and prints a table,
or with -json an object for each test: whether the test starts goroutines (yes, no, or
not known), and why it is not explored if the source says so.

Flags are those of go test, but for -bench, -fuzz, -toolexec and -vet, and these:

`

const testUsage = `usage: por test [FLAGS OF GO TEST] [PACKAGES]

Runs go test on code that has been brought under control: go statements,
channels, select, locks, atomics, time, contexts and plain memory, in the packages
and in all that they use outside the standard library. Inside por.Check that code
is explored; outside it behaves as ever. The exit status is that of go test.
Go vet is not run.

To explore tests that do not call por.Check: por check, which is por test -check. With
it there are these flags:

`

// reportUsage is about the flags that package por adds to test programs.
const reportUsage = `
What is shown of a failure:

  -por.full
        show all steps, and goroutines of the standard library
  -por.html FILE
        write every failure as a page to FILE, which ends in .html, or to a folder
  -por.json FILE
        write every failure as data to FILE, which ends in .json, or to a folder
`

// check explores tests as they are.
func check(args []string, e command.Env) int { return testAnd("check", args, e, nil) }

// test runs go test with the tool that this program is.
func test(args []string, e command.Env) int { return testAnd("test", args, e, nil) }

// testAnd is the command of that name, test or check. Test programs tell what has come of each
// search in a file. Its name is passed to look, unless that is nil.
func testAnd(name string, args []string, e command.Env, look func(told string)) int {
	if err := environ.Check(); err != nil {
		return e.Misused("%v", err)
	}
	flags, packages, rest := build.SplitFlags(args)
	// What the command builds is instrumented.
	c := testCommand{name: name, check: name == "check", environ: build.Environ(nil, environ.Instrument, "off")}
	for _, f := range flags {
		if f.Name == "h" || f.Name == "help" {
			c.help(e.Out)
			return command.OK
		}
		if err := c.add(f); err != nil {
			return e.Misused("%s: %v", name, err)
		}
	}
	if err := cmp.Or(reportFlags(rest), c.misplaced(packages), c.finish()); err != nil {
		return e.Misused("%s: %v", name, err)
	}
	if c.lists {
		if strings.Contains(c.listed, "/") { // which no name has, so it is a package
			c.listed, packages = ".", append([]string{c.listed}, packages...)
		}
		return c.list(e, c.dir, packages)
	}
	c.given = c.foreign(rest)
	b := &build.Build{Home: home()}
	others := b.SetFlags(c.kept)
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
	return c.run(e, &program{
		dir: b.Dir, flags: slices.Concat([]string{"test", "-vet=off"}, others, ours), packages: packages, rest: rest, told: told, look: look,
	})
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

// program is what the go command is called for.
type program struct {
	dir                   string // it runs there
	flags, packages, rest []string
	told                  string            // the file that test programs write to
	look                  func(told string) // is called after that, unless it is nil
}

// help prints what the command does.
func (c *testCommand) help(w io.Writer) {
	text := testUsage
	if c.name == "check" {
		text = checkUsage
	}
	fmt.Fprint(w, text, checkflags.Usage(), reportUsage)
}

// run runs the tests, and says what has come of them.
func (c *testCommand) run(e command.Env, p *program) int {
	if e.Out == e.Err { // both are written to at once, by what the go command prints
		e.Out = &shared{w: e.Out}
		e.Err = e.Out
	}
	var res result
	if c.budget == nil || c.runsNone {
		res = c.once(e, p, nil, p.packages)
	} else {
		tests, err := c.countTests(p.dir, p.packages)
		if err != nil {
			return e.Failed(err)
		}
		limit := c.budget.first(tests)
		c.setLimit(limit)
		res = c.rounds(e, p, limit, c.once(e, p, nil, p.packages))
	}
	summary := record.Summarise(res.all)
	strict := summary.Strictly("-"+checkflags.Strict+"="+c.strict, strictly[c.strict], len(res.lost))
	c.say(e, summary, res.lost, strict, res.err != nil && !res.interrupted, record.Behind(res.all))
	var exit *exec.ExitError
	switch {
	case res.interrupted:
		return command.Interrupted
	case errors.As(res.err, &exit):
		return exit.ExitCode()
	case res.err != nil:
		return e.Failed(res.err)
	case len(strict) > 0:
		return command.Failed
	case summary.Count[record.NotExplored] > 0:
		return command.Unfit
	}
	return command.OK
}

// result is what has come of a call of the go command.
type result struct {
	all         []record.Entry
	lost        []string // packages with verdicts that the cache has lost
	err         error    // of the go command
	interrupted bool
}

// once calls the go command with more flags, for some packages.
func (c *testCommand) once(e command.Env, p *program, more, packages []string) (res result) {
	lines := newCacheLines(e.Err)
	cmd := exec.Command("go", slices.Concat(p.flags, more, packages, p.rest)...)
	cmd.Dir, cmd.Env = p.dir, lines.watch(c.environ)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, e.Out, lines
	os.Truncate(p.told, 0)
	res.err = cmd.Run()
	lines.flush()
	if p.look != nil {
		p.look(p.told)
	}
	res.all, res.lost = lines.settle(record.Read(p.told))
	res.interrupted = res.err != nil && e.Interrupted()
	return res
}

// strictly has the classes of tests that are failures, by the values of -check.strict.
var strictly = map[string][]record.Class{
	"on":  {record.Stopped, record.NotExplored},
	"all": {record.Assuming, record.Stopped, record.NotExplored},
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

// twins returns the standard packages that get a twin.
func (c *testCommand) twins() []string {
	if c.check {
		return append(std.Packages(), "testing", "testing/cryptotest", "testing/synctest")
	}
	return std.Packages()
}

// shared is a writer for several goroutines.
type shared struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements [io.Writer].
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(p)
}
