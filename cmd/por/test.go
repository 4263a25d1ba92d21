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
	"strings"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/sched/std"
)

const testUsage = `usage: por test [-check] [FLAGS OF GO TEST] [PACKAGES]

Runs go test on code that has been brought under control: go statements,
channels, select, locks, atomics, time, contexts and plain memory, in the packages
and in all that they use outside the standard library. Inside por.Check that code
is explored; outside it behaves as ever.

  -check  explore existing tests as they are: every test function is run under
          every schedule that matters, or as many as the limits allow

With -check:
  -check.time D         stop exploring a test after D (10s; 1s with -short; 0: never)
  -check.executions N   stop exploring a test after N executions
  -check.steps N        an execution of more operations is a livelock (1,000,000)
  -check.engine NAME    optimal, source, dpor, dfs, random, pct, pos (optimal)
  -check.seed N         seed of the engines that draw at random
  -check.races MODE     fail, explore or ignore data races (fail)
  -check.clock MODE     discrete, or any: timers may fire at any moment (discrete)
  -check.rand MODE      seeded, or explore: a draw from few numbers is a choice (seeded)
  -check.leaks allow    goroutines that wait for ever are no failure
`

// test runs go test with the tool that this program is.
func test(args []string, e env) int {
	flags, packages, rest := build.SplitFlags(args)
	var (
		b     = &build.Build{Home: home()}
		twins = std.Packages()
		kept  []build.Flag
	)
	environ := build.Environ(nil, build.EnvInstrument, "off") // what it builds is instrumented
	for _, f := range flags {
		option, isOption := strings.CutPrefix(f.Name, "check.")
		switch {
		case f.Name == "check":
			twins = append(twins, "testing")
		case isOption:
			environ = build.Environ(environ, "POR_CHECK_"+strings.ToUpper(option), f.Value)
		case f.Name == "h" || f.Name == "help":
			fmt.Fprint(e.out, testUsage)
			return exitOK
		case f.Name == "toolexec":
			return e.misused("test: -toolexec is what por test uses itself")
		default:
			kept = append(kept, f)
		}
	}
	if len(environ) > len(os.Environ())+1 && len(twins) == len(std.Packages()) {
		return e.misused("test: flags that begin with -check. need -check")
	}
	others := b.SetFlags(kept)
	if err := setTool(b); err != nil {
		return e.failed(err)
	}
	ours, err := b.Prepare(twins)
	if err != nil {
		return e.failed(err)
	}
	cmd := exec.Command("go", slices.Concat([]string{"test", "-vet=off"}, others, ours, packages, rest)...)
	cmd.Dir, cmd.Env = b.Dir, environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, e.out, e.err
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		return e.failed(err)
	}
	return exitOK
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
