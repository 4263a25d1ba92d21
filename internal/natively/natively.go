// Package natively runs a test without control: once, in a process of its own, for a limited
// time. It builds the test binary like go test. The result shows whether a test that fails in
// every execution under control fails natively, too.
package natively

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gopor/gopor/internal/environ"
)

// Limits of time.
const (
	Limit     = 10 * time.Second // for a run that decides the class of a test
	Short     = 3 * time.Second  // for a run that adds information
	buildTime = 3 * time.Minute  // for building the test binary
	least     = time.Second      // a run with less time is inconclusive
	grace     = 2 * time.Second  // for a test binary that has reached its own limit
	beat      = 50 * time.Millisecond
)

// Result is the result of a run.
type Result int

// The results of runs.
const (
	Unknown Result = iota // the test was not run, or the run was inconclusive
	Passes
	Skips // the test skips itself
	Fails
	Hangs // the test did not end within the limit
)

// Outcome is the result of a run, with a reason.
type Outcome struct {
	Result Result
	Says   string        // the test's message for its failure, or why the result is unknown
	Waits  string        // the wait state of the function of a test that hangs; may be empty
	Limit  time.Duration // of the test
}

// Command says how to build and run test binaries. Por test passes it to test programs.
type Command struct {
	Dir     string   // working directory of the go command
	Folder  string   // for test binaries; removed at the end of por test
	Flags   []string // of the go command
	Files   []string // of the package, if it is not named by its import path
	Refused string   // why no test can be run without control, "" if that is possible
}

// Encode returns the command as the value of [environ.CheckNative].
func (c *Command) Encode() string {
	text, err := json.Marshal(c)
	if err != nil { // cannot happen: the fields are strings
		panic(err)
	}
	return string(text)
}

// A Runner runs tests of this test program. It builds the test binary once, and runs one test
// at a time.
type Runner struct {
	command *Command
	pkg     string   // package to build
	dir     string   // directory in which go test runs the test binary
	args    []string // of the test binary

	mu       sync.Mutex
	binary   string
	problem  string // why there is no binary
	outcomes map[string]Outcome
}

// NewRunner returns a runner for the current test program. It has to be called at the start of
// the program, before the working directory can change.
func NewRunner() *Runner {
	r := &Runner{args: argsOf(os.Args[1:]), outcomes: make(map[string]Outcome)}
	r.dir, _ = os.Getwd()
	// Reading the variable with package syscall keeps test results independent of it in the go
	// command's cache.
	text, ok := syscall.Getenv(environ.CheckNative)
	if ok {
		r.command = new(Command)
		if json.Unmarshal([]byte(text), r.command) != nil {
			r.command = nil
		}
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		r.pkg = strings.TrimSuffix(info.Path, ".test")
	}
	return r
}

// Run runs the test of the given name, which may be a seed of a fuzz test. The run ends after
// limit, at the time end, or when over returns true. Run does not repeat a test that was run
// before.
func (r *Runner) Run(test string, limit time.Duration, end time.Time, over func() bool) Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o, ok := r.outcomes[test]; ok {
		return o
	}
	switch {
	case r.command == nil:
		return Outcome{Says: "por check has not started the test program"}
	case r.command.Refused != "":
		return Outcome{Says: r.command.Refused}
	case r.pkg == "" || r.dir == "":
		return Outcome{Says: "the test program does not know its package"}
	}
	if r.binary == "" && r.problem == "" && !r.build(end, over) {
		return Outcome{Says: "there was no time to build the test binary"}
	}
	if r.problem != "" {
		return Outcome{Says: r.problem}
	}
	limit = min(limit, time.Until(end)-grace)
	if limit < least || over() {
		return Outcome{Says: "there was no time"}
	}
	o := r.run(test, limit, over)
	if !over() {
		r.outcomes[test] = o
	}
	return o
}

// build builds the test binary, or sets the problem. It returns false if it was cancelled.
func (r *Runner) build(end time.Time, over func() bool) bool {
	f, err := os.CreateTemp(r.command.Folder, "*.test")
	if err != nil {
		r.problem = "there is no place for the test binary: " + err.Error()
		return true
	}
	f.Close()
	what := []string{r.pkg}
	if r.pkg == "command-line-arguments" {
		what = r.command.Files
	}
	args := slices.Concat([]string{"test", "-c", "-vet=off", "-o", f.Name()}, r.command.Flags, what)
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = r.command.Dir, environment()
	var out buffer
	if limit := time.Now().Add(buildTime); limit.Before(end) {
		end = limit
	}
	err, ended := wait(cmd, &out, end, over)
	switch {
	case !ended:
		return false
	case err != nil:
		r.problem = "go test -c: " + firstLine(out.String(), err.Error())
		return true
	}
	if info, err := os.Stat(f.Name()); err != nil || info.Size() == 0 {
		r.problem = "go test -c has built no test binary"
		return true
	}
	r.binary = f.Name()
	return true
}

// run runs a test and returns its outcome.
func (r *Runner) run(test string, limit time.Duration, over func() bool) Outcome {
	args := append([]string{
		"-test.run=" + pattern(test), "-test.v=test2json", "-test.count=1", "-test.timeout=" + limit.String(),
	}, r.args...)
	cmd := exec.Command(r.binary, args...)
	cmd.Dir, cmd.Env = r.dir, environment()
	var out buffer
	err, ended := wait(cmd, &out, time.Now().Add(limit+grace), over)
	o := read(test, out.String(), err, ended)
	o.Limit = limit
	return o
}

// wait runs a command. It kills the command and its child processes at the time end, or when
// over returns true. It reports whether the command has ended by itself.
func wait(cmd *exec.Cmd, out *buffer, end time.Time, over func() bool) (err error, ended bool) {
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second // for child processes that outlive it
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return err, true
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			killGroup(cmd) // child processes that outlive the command
			return err, true
		case <-tick.C:
			if time.Now().After(end) || over() {
				killGroup(cmd)
				return <-done, false
			}
		}
	}
}

// environment returns the environment without the variables of this module. Tests that call
// por.Check stay without control.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return environ.Known(name) || name == "GOCOVERDIR"
	})
	return append(env, environ.Instrument+"=off", environ.Save+"=off")
}

// argsOf returns the arguments of a test program that also apply to a run without control: the
// program's own flags, and the flags of package testing that tests may read.
func argsOf(args []string) (kept []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" || arg == "-args" {
			return append(kept, args[i:]...)
		}
		name, _, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		flag := strings.HasPrefix(arg, "-")
		switch {
		case flag && strings.HasPrefix(name, "test."):
			if slices.Contains([]string{"test.short", "test.parallel", "test.paniconexit0", "test.fullpath"}, name) {
				kept = append(kept, arg)
			}
		case flag && strings.HasPrefix(name, "por."):
			if !hasValue && name != "por.full" {
				i++ // the flag's value
			}
		default:
			kept = append(kept, arg)
		}
	}
	return kept
}

// buffer keeps the beginning and the end of the text written to it.
type buffer struct {
	mu         sync.Mutex
	head, tail []byte
}

const kept = 256 << 10 // bytes of either

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(p)
	if room := kept - len(b.head); room > 0 {
		k := min(room, len(p))
		b.head, p = append(b.head, p[:k]...), p[k:]
	}
	b.tail = append(b.tail, p...)
	if len(b.tail) > 2*kept {
		b.tail = bytes.Clone(b.tail[len(b.tail)-kept:])
	}
	return n, nil
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.head) + string(b.tail)
}

// String describes the outcome in words that follow "without control the test".
func (o Outcome) String() string {
	switch o.Result {
	case Passes:
		return "passes"
	case Skips:
		return "is skipped"
	case Fails:
		return "fails: " + o.Says
	case Hangs:
		text := fmt.Sprintf("hangs: it was ended after %v", o.Limit.Round(100*time.Millisecond))
		if o.Waits != "" {
			text += ", waiting in " + o.Waits
		}
		return text
	}
	return "could not be run: " + o.Says
}
