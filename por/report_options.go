package por

import (
	"flag"
	"os"
	"testing"

	"github.com/gopor/gopor/internal/environ"
)

// Full makes reports show all steps of an execution and everybody's stacks, however long
// that gets. In a test the flag -por.full does so, and so does the environment variable
// POR_FULL=1. By default a report is at most some forty lines long.
func Full() Option {
	return option(func(c *config) error {
		c.full = true
		return nil
	})
}

// The flags of test binaries, which do as the environment variables of their names do.
var fullFlag, jsonFlag, htmlFlag = func() (full *bool, json, html *string) {
	if !testing.Testing() || flag.Lookup("por.full") != nil {
		return new(bool), new(string), new(string)
	}
	return flag.Bool("por.full", false, "show all of the executions that fail"),
		flag.String("por.json", "", "write every failure as data to `file`, which ends in .json, or to a folder"),
		flag.String("por.html", "", "write every failure as a page to `file`, which ends in .html, or to a folder")
}()

// wantsFull reports whether everything is to be shown, whatever the options say.
func wantsFull() bool { return *fullFlag || os.Getenv(environ.Full) == "1" }
