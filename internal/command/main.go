package command

import (
	"fmt"
	"io"
	"os"
	"os/signal"
)

// Main performs the command line of the process, and ends the process.
func (c *Command) Main() {
	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, os.Interrupt)
	e := Env{
		Name: c.Name, Out: os.Stdout, Err: os.Stderr,
		Interrupt: interrupt, Progress: isTerminal(os.Stderr),
	}
	args := os.Args[1:]
	out := &output{w: os.Stdout}
	if !c.hasOwnOutput(args) {
		e.Out = out
	}
	status := c.Run(args, e)
	if out.err != nil {
		failed := e.Failed(fmt.Errorf("the output is not complete: %w", out.err))
		if status == OK {
			status = failed
		}
	}
	os.Exit(status)
}

// hasOwnOutput reports whether the verb that the arguments begin with has OwnOutput.
func (c *Command) hasOwnOutput(args []string) bool {
	if len(args) == 0 {
		return false
	}
	v := c.verb(args[0])
	return v != nil && v.OwnOutput
}

// output is a writer that remembers its first error.
type output struct {
	w   io.Writer
	err error
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// isTerminal reports whether f is likely to be on a person's screen.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
