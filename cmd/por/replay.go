package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/saved"
	"github.com/gopor/gopor/internal/share"
)

const replayUsage = `usage: por replay FILE [FLAGS OF GO TEST]

Runs a failing schedule that por.Check or por check has saved, such as
testdata/por/TestTransfer/3f2a9b4c5d6e7f80, in the package that it was saved for:
the test in question, and this schedule only. The exit status is that of go test.
`

// replay is the command of that name.
func replay(args []string, e command.Env) int {
	if len(args) > 0 && command.IsHelp(args[0]) {
		fmt.Fprint(e.Out, replayUsage)
		return command.OK
	}
	switch {
	case len(args) == 0:
		return e.Misused("replay: no file; give one below testdata/por")
	case strings.HasPrefix(args[0], "-"):
		return e.Misused("replay: the file comes first: por replay FILE %s", args[0])
	}
	given, _, _ := build.SplitFlags(args[1:])
	for _, f := range given {
		if c := new(testCommand); !build.Known(f.Name) && c.meant(f.Name) != "" {
			return e.Misused("replay: unknown flag -%s%s", f.Name, c.meant(f.Name))
		}
	}
	file, err := filepath.Abs(args[0])
	if err != nil {
		return e.Failed(err)
	}
	s, err := saved.Read(file)
	if err != nil {
		return e.Failed(fmt.Errorf("replay: %w", err))
	}
	dir := saved.Package(file)
	if dir == "" {
		return e.Failed(fmt.Errorf("replay: %s is not in the folder testdata/por of a package, so it is not known which test it belongs to", args[0]))
	}
	flags, _, _ := build.SplitFlags(s.Flags)
	for _, f := range flags {
		if !replayable(f) {
			return e.Failed(fmt.Errorf("replay: %s has the flag %s, which no saved schedule has; it is damaged", args[0], strings.Join(f.Words, " ")))
		}
	}
	words := append(s.Flags[:len(s.Flags):len(s.Flags)], "-run="+share.RunPattern(s.Test))
	words = append(append(words, args[1:]...), ".")
	fmt.Fprintf(e.Err, "por: %s: %s\n", s.Test, s.Headline)
	restore, err := inFolder(dir, file)
	if err != nil {
		return e.Failed(err)
	}
	defer restore()
	if s.By == saved.ByExisting {
		return check(append([]string{"-count=1", "-v"}, words...), e)
	}
	cmd := exec.Command("go", append([]string{"test", "-count=1", "-v"}, words...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, e.Out, e.Err
	var exit *exec.ExitError
	switch err := cmd.Run(); {
	case errors.As(err, &exit):
		return exit.ExitCode()
	case err != nil:
		return e.Failed(err)
	}
	return command.OK
}

// inFolder makes commands run in a folder, and tests replay a file, until restore is called.
func inFolder(dir, file string) (restore func(), err error) {
	before, err := os.Getwd()
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		return nil, err
	}
	old, had := os.LookupEnv(environ.Replay)
	if err := os.Setenv(environ.Replay, file); err != nil {
		return nil, err
	}
	return func() {
		os.Chdir(before)
		if os.Unsetenv(environ.Replay); had {
			os.Setenv(environ.Replay, old)
		}
	}, nil
}

// replayable reports whether a flag may be in a file: what other flags do is not for
// files to ask.
func replayable(f build.Flag) bool {
	switch f.Name {
	case "tags", "race", "msan", "asan", "short", "mod", "modfile", "overlay", "trimpath", "pgo", "buildmode", "compiler":
		return true
	}
	return strings.HasPrefix(f.Name, "check.")
}
