// Command por shows what systematic concurrency testing does, and measures the
// engines of this module.
//
//	por test    runs go test on code brought under control
//	por triage  finds out what is wrong with a flaky test
//	por replay  runs a failing schedule that a test has saved
//	por demo    finds a bug that golang.org/x/sync once had, and replays it
//	por bench   runs one engine on one program, or a whole table of a paper
//	por irs     measures what it costs to execute only what was verified
//	por unfold  draws the unfolding of a small program
//	por clean   removes the test binaries that are kept
//	por help    says more
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/gopor/gopor/instrument"
	"github.com/gopor/gopor/internal/spell"
)

// Exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1   // the thing was done, and did not come out well
	exitUsage       = 2   // the command line makes no sense
	exitUnfit       = 3   // por test -check: no test fails, and some could not be explored
	exitInterrupted = 130 // stopped by Ctrl-C; what was reached has been printed
)

const usage = `usage: por COMMAND [ARGUMENTS]

commands:
  test    run go test on code that has been brought under control, so that
          por.Check explores native Go: por test -help
  triage  find out what is wrong with a flaky test: por triage -help
  replay  run a failing schedule that a test has saved: por replay -help
  demo    find, report and replay a bug that golang.org/x/sync/semaphore had
          until March 2020, then show that the fixed logic has none
  bench   run an engine on a program and print what it did: por bench -help
  irs     measure what it costs to execute only what was verified: por irs -help
  unfold  draw what can happen in a small program: por unfold -help
  clean   remove the test binaries under control that are kept
  help    print this, or what a command does: por help test
`

func main() {
	interrupt := make(chan os.Signal, 1)
	signal.Notify(interrupt, os.Interrupt)
	e := env{os.Stdout, os.Stderr, interrupt, isTerminal(os.Stderr)}
	out := &output{w: os.Stdout}
	if !hasOwnOutput(os.Args[1:]) {
		e.out = out
	}
	status := run(os.Args[1:], e)
	if out.err != nil {
		failed := e.failed(fmt.Errorf("the output is not complete: %w", out.err))
		if status == exitOK {
			status = failed
		}
	}
	os.Exit(status)
}

// output is a writer that remembers its first error.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// hasOwnOutput reports whether a command hands its output to the go command, which sees to
// errors itself and is to have the file.
func hasOwnOutput(args []string) bool {
	return len(args) > 0 && (args[0] == "test" || args[0] == "replay" || args[0] == "toolexec")
}

// env is what a command has to do with the world.
type env struct {
	out, err  io.Writer
	interrupt <-chan os.Signal
	progress  bool // err is a terminal
}

// interrupted reports whether somebody has typed Ctrl-C.
func (e env) interrupted() bool {
	select {
	case <-e.interrupt:
		return true
	default:
		return false
	}
}

// commands are for people to give; toolexec is for the go command.
var commands = []string{"test", "triage", "replay", "demo", "bench", "irs", "unfold", "clean", "help"}

// run performs a command and returns its exit status.
func run(args []string, e env) int {
	if len(args) == 0 {
		return e.misused("no command; allowed: %s", strings.Join(commands, ", "))
	}
	switch command, args := args[0], args[1:]; command {
	case "demo":
		if len(args) > 0 {
			return e.misused("demo takes no arguments")
		}
		return demo(e)
	case "bench":
		return bench(args, e)
	case "irs":
		return enforcing(args, e)
	case "unfold":
		return unfolding(args, e)
	case "test":
		return test(args, e)
	case "replay":
		return replay(args, e)
	case "clean":
		return clean(args, e)
	case "triage":
		return triage(args, e)
	case "toolexec": // the go command calls it, for por test
		return instrument.Toolexec(args)
	case "help", "-h", "-help", "--help":
		return help(args, e)
	default:
		return e.unknown(command)
	}
}

// help says what the command does, or the one that it is asked for.
func help(args []string, e env) int {
	topic := ""
	if len(args) > 0 {
		topic = args[0]
	}
	switch topic {
	case "test", "triage", "replay", "bench", "irs", "unfold":
		return run([]string{topic, "-help"}, e)
	case "", "demo", "clean", "help":
		fmt.Fprint(e.out, usage)
		return exitOK
	}
	return e.unknown(topic)
}

// unknown says that there is no command of that name.
func (e env) unknown(command string) int {
	return e.misused("unknown command %q%s", command, spell.Unknown(spell.Mean("", command, commands), strings.Join(commands, ", ")))
}

// misused says in one line what is wrong with the command line.
func (e env) misused(format string, args ...any) int {
	fmt.Fprintf(e.err, "por: "+format+"\n", args...)
	return exitUsage
}

// failed says why a command could not do its work.
func (e env) failed(err error) int {
	fmt.Fprintf(e.err, "por: %v\n", err)
	return exitFailed
}

// isTerminal reports whether somebody is likely to look at f.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
