// Command por finds out why a Go test is flaky: it runs the test under every order of its
// goroutines that makes a difference.
//
//	por check   explores tests as they are
//	por test    runs go test on code brought under control
//	por triage  finds out what is wrong with a flaky test
//	por replay  runs a failing schedule that a test has saved
//	por demo    finds a bug that golang.org/x/sync once had, and replays it
//	por clean   removes the test binaries that are kept
//	por help    says more
//
// Command porbench measures the engines of this module.
package main

import "github.com/gopor/gopor/internal/command"

const usage = `usage: por COMMAND [ARGUMENTS]

commands:
  check   explore tests as they are: por check ./...
  test    run go test on code that has been brought under control, so that
          por.Check explores native Go: por test -help
  triage  find out what is wrong with a flaky test: por triage -help
  replay  run a failing schedule that a test has saved: por replay -help
  demo    find, report and replay a bug that golang.org/x/sync/semaphore had
          until March 2020, then show that the fixed logic has none
  clean   remove the test binaries under control that are kept
  help    print this, or what a command does: por help test
`

var porCommand = &command.Command{
	Name:  "por",
	Usage: usage,
	Verbs: []command.Verb{
		{Name: "check", Run: check, OwnOutput: true},
		{Name: "test", Run: test, OwnOutput: true},
		{Name: "triage", Run: triage},
		{Name: "replay", Run: replay, OwnOutput: true},
		{Name: "demo", Run: demo, Plain: true},
		{Name: "clean", Run: clean, Plain: true},
		{Name: "toolexec", Run: toolexec, Hidden: true, OwnOutput: true},
	},
	Moved: command.Moved{
		Words: []string{"bench", "irs", "unfold"},
		To:    "porbench",
		Path:  "github.com/gopor/gopor/cmd/porbench",
	},
}

func main() { porCommand.Main() }
