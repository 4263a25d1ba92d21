package command

import (
	"fmt"
	"io"
	"os"
)

// Env is what a verb has to do with the world.
type Env struct {
	Name      string // of the command; messages begin with it
	Out, Err  io.Writer
	Interrupt <-chan os.Signal
	Progress  bool // Err is a terminal
}

// Interrupted reports whether a signal has come, and takes it.
func (e Env) Interrupted() bool {
	select {
	case <-e.Interrupt:
		return true
	default:
		return false
	}
}

// Misused says in one line what is wrong with the command line, and returns the status of that.
func (e Env) Misused(format string, args ...any) (status int) {
	e.say(format, args)
	return Misused
}

// Failed says in one line why a verb could not do its work, and returns the status of that.
func (e Env) Failed(err error) (status int) { return e.Failedf("%v", err) }

// Failedf is Failed with a format: what failed, or did not come out as it should.
func (e Env) Failedf(format string, args ...any) (status int) {
	e.say(format, args)
	return Failed
}

func (e Env) say(format string, args []any) {
	fmt.Fprintf(e.Err, "%s: %s\n", e.Name, fmt.Sprintf(format, args...))
}
