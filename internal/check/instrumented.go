package check

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/caller"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/terminal"
	"github.com/gopor/gopor/sched/std"
)

// Uncontrolled says why native code in this test binary is not under control,
// nil if it is or need not be.
var Uncontrolled error

// native is the native code of a package with tests that use primitives of package
// sched, by the functions that it is in.
var native []build.Native

// A test binary that go test has built replaces itself by its instrumented
// counterpart before any test runs, so that flags, logs, coverage and results
// are those of the one process that is left.
func init() {
	if !testing.Testing() || hook.Instrumented() || environ.Check() != nil || os.Getenv(environ.Instrument) == "off" {
		return // a Check tells what is wrong with the environment
	}
	built := building()
	name, err := build.Instrumented(std.Packages())
	built()
	if err == nil {
		if traced() {
			fmt.Fprintln(os.Stderr, losesBreakpoints)
		}
		err = replaceProcess(name)
	}
	var d *build.DirectError
	if errors.As(err, &d) {
		native = d.Native
	} else {
		Uncontrolled = err
	}
}

// building shows, on a terminal, or under -v on the standard error, that the test binary is
// being built anew, if that takes long. It ends when the function that it returns is called.
func building() (end func()) {
	verbose := slices.Contains(os.Args, "-test.v=true") || slices.Contains(os.Args, "-test.v=test2json")
	var logged time.Duration
	return terminal.Open().While(func(d time.Duration) string {
		text := fmt.Sprintf("por: building the tests of %s under control: %v", caller.Tested(), d.Round(time.Second))
		if verbose && d-logged >= explore.LogTime {
			logged = d
			fmt.Fprintln(os.Stderr, text)
		}
		return text
	})
}
