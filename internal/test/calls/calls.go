// Package calls runs command lines of a command in its tests.
package calls

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/command"
)

// Call runs a command line and returns what it leaves behind.
func Call(c *command.Command, args ...string) (status int, out, err string) {
	var o, e bytes.Buffer
	status = c.Run(args, command.Env{Out: &o, Err: &e})
	return status, o.String(), e.String()
}

// Refused performs command lines, of which lines has each with a part of its message. It checks that the
// command ends with a status, prints nothing, and says one line that begins with its name.
func Refused(t *testing.T, c *command.Command, status int, lines [][2]string) {
	t.Helper()
	for _, k := range lines {
		line, want := k[0], k[1]
		got, out, err := Call(c, strings.Fields(line)...)
		if got != status || out != "" || strings.Count(err, "\n") != 1 || !strings.Contains(err, want) || !strings.HasPrefix(err, c.Name+": ") {
			t.Errorf("%s %s: status %d, output %q, error %q; want status %d and one line with %q", c.Name, line, got, out, err, status, want)
		}
	}
}

// Helped performs command lines, of which lines has each with a part of what it prints. It checks that
// the command ends well and says nothing else.
func Helped(t *testing.T, c *command.Command, lines [][2]string) {
	t.Helper()
	for _, k := range lines {
		line, want := k[0], k[1]
		status, out, err := Call(c, strings.Fields(line)...)
		if status != command.OK || err != "" || !strings.Contains(out, want) {
			t.Errorf("%s %s: status %d, output %q, error %q; want %q", c.Name, line, status, out, err, want)
		}
	}
}
