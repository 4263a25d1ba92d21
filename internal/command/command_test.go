package command

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

// sample is a command with verbs of all kinds. Each prints the name of the command, its own name and its
// arguments.
var sample = &Command{
	Name:  "x",
	Usage: "usage: x\n",
	Usual: "draw",
	Verbs: []Verb{
		{Name: "draw", Run: echo("draw")},
		{Name: "clean", Run: echo("clean"), Help: "usage: x clean\n"},
		{Name: "tool", Run: echo("tool"), OwnOutput: true},
	},
	Topics: []Topic{{"status", func() string { return "0 or 1\n" }}},
	Moved:  Moved{Words: []string{"paint"}, To: "y", Path: "example.org/y"},
}

func echo(name string) func([]string, Env) int {
	return func(args []string, e Env) int {
		io.WriteString(e.Out, strings.Join(append([]string{e.Name, name}, args...), " "))
		return Unfit
	}
}

func TestRun(t *testing.T) {
	const words = "draw, clean, tool, help\n"
	for _, k := range []struct {
		line     string
		status   int
		out, err string
	}{
		{"", Misused, "", "usage: x\n"},
		{"draw a -b", Unfit, "x draw a -b", ""},
		{"clean", Unfit, "x clean", ""},
		{"tool -V=full", Unfit, "x tool -V=full", ""},
		{"help", OK, "usage: x\n", ""},
		{"-h", OK, "usage: x\n", ""},
		{"-help", OK, "usage: x\n", ""},
		{"--help", OK, "usage: x\n", ""},
		{"help help", OK, "usage: x\n", ""},
		{"help clean", OK, "usage: x clean\n", ""},
		{"clean -h", OK, "usage: x clean\n", ""},
		{"clean a -help", OK, "usage: x clean\n", ""},
		{"clean a", Unfit, "x clean a", ""},
		{"draw -help", Unfit, "x draw -help", ""},
		{"help status", OK, "0 or 1\n", ""},
		{"help stauts", Misused, "", `x: unknown command "stauts"; did you mean status? Allowed: draw, clean, tool, help, status` + "\n"},
		{"status", Misused, "", `x: unknown command "status"; allowed: ` + words},
		{"help draw", Unfit, "x draw -help", ""},
		{"help tool", Unfit, "x tool -help", ""},
		{"help nothing", Misused, "", `x: unknown command "nothing"; allowed: draw, clean, tool, help, status` + "\n"},
		{"drwa", Misused, "", `x: unknown command "drwa"; did you mean draw? Allowed: ` + words},
		{"./... -v", Misused, "", `x: unknown command "./..."; did you mean x draw ./...? Allowed: ` + words},
		{"-run X", Misused, "", `x: unknown command "-run"; did you mean x draw -run? Allowed: ` + words},
		{"-clean", Misused, "", `x: unknown command "-clean"; did you mean clean? Allowed: ` + words},
		{"pant", Misused, "", `x: unknown command "pant"; did you mean paint? Allowed: ` + words},
		{"too", Misused, "", `x: unknown command "too"; did you mean tool? Allowed: ` + words},
		{"paint a", Misused, "", "x: paint is a command of y: go run example.org/y paint ...\n"},
		{"help paint", Misused, "", "x: paint is a command of y: go run example.org/y paint ...\n"},
	} {
		var out, err bytes.Buffer
		if status := sample.Run(strings.Fields(k.line), Env{Out: &out, Err: &err}); status != k.status || out.String() != k.out || err.String() != k.err {
			t.Errorf("%q: status %d, output %q, error %q; want %d, %q, %q", k.line, status, out.String(), err.String(), k.status, k.out, k.err)
		}
	}
}

func TestHasOwnOutput(t *testing.T) {
	for line, want := range map[string]bool{"": false, "draw": false, "tool x": true, "paint": false, "help tool": false} {
		if got := sample.hasOwnOutput(strings.Fields(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestInterrupted(t *testing.T) {
	signals := make(chan os.Signal, 1)
	e := Env{Interrupt: signals}
	if e.Interrupted() || (Env{}).Interrupted() {
		t.Error("interrupted without a signal")
	}
	signals <- os.Interrupt
	if !e.Interrupted() || e.Interrupted() {
		t.Error("a signal is to interrupt once")
	}
}

// What cannot be written is told, not lost.
func TestOutput(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	o := &output{w: f}
	if status := sample.Run([]string{"help"}, Env{Out: o, Err: io.Discard}); status != OK || o.err == nil {
		t.Errorf("status %d, error %v", status, o.err)
	}
}
