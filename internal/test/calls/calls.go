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

// Refused performs command lines. Each of lines is a command line and a part of its message. Refused
// checks that the command ends with a status, prints nothing, and says one line that begins with its
// name.
func Refused(t *testing.T, c *command.Command, status int, lines [][2]string) {
	t.Helper()
	for _, k := range lines {
		line, want := k[0], k[1]
		got, out, err := Call(c, strings.Fields(line)...)
		oneLine := strings.Count(err, "\n") == 1 && strings.HasPrefix(err, c.Name+": ")
		if got != status || out != "" || !oneLine || !strings.Contains(err, want) {
			t.Errorf("%s %s: status %d, output %q, error %q; want status %d and one line with %q",
				c.Name, line, got, out, err, status, want)
		}
	}
}

// Helped performs command lines. Each of lines is a command line and a part of what it prints. Helped
// checks that the command ends with status OK and reports no error.
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
