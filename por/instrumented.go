package por

import (
	"errors"
	"os"
	"testing"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std"
)

// uncontrolled says why native code in this test binary is not under control,
// nil if it is or need not be.
var uncontrolled error

// native is the native code of a package whose tests use primitives of package
// sched, by the functions that it is in.
var native []build.Native

// A test binary that go test has built replaces itself by its instrumented
// counterpart before any test runs, so that flags, logs, coverage and results
// are those of the one process that is left.
func init() {
	if !testing.Testing() || sched.Instrumented() || environ.Check() != nil || os.Getenv(environ.Instrument) == "off" {
		return // a Check tells what is wrong with the environment
	}
	name, err := build.Instrumented(std.Packages())
	if err == nil {
		err = replaceProcess(name)
	}
	var d *build.DirectError
	if errors.As(err, &d) {
		native = d.Native
	} else {
		uncontrolled = err
	}
}
