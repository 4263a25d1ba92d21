package testing

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/gopor/gopor/internal/checkflags"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/por"
)

// maxSteps is how long an execution of a whole test may be. Tests of plain
// sequential code do many thousand operations.
const maxSteps = 1_000_000

// options returns what the command line asks of every Check.
func options() ([]por.Option, error) {
	opts, err := checkflags.Options()
	return append([]por.Option{por.MaxSteps(maxSteps)}, opts...), err
}

// quiet is the test that explores the function at pc. It logs without saying
// where: no position is of use that is in this package.
type quiet struct {
	*testing.T
	pc   uintptr
	once func() // runs the function once
}

func (t *quiet) say(text string) { fmt.Fprintln(t.Output(), text) }

func (t *quiet) Logf(format string, args ...any) { t.say(fmt.Sprintf(format, args...)) }

func (t *quiet) Errorf(format string, args ...any) {
	t.Logf(format, args...)
	t.Fail()
}

func (t *quiet) Fatalf(format string, args ...any) {
	t.Logf(format, args...)
	t.FailNow()
}

// Leave is called when the function has asked for a search itself.
func (t *quiet) Leave() { t.once() }

// Rerun tells reports how to replay what they show.
func (t *quiet) Rerun() (command, function string) {
	command = os.Getenv(environ.CheckCommand)
	if command == "" {
		command = "por test -check"
	}
	return command, runtime.FuncForPC(t.pc).Name()
}
