// Command por finds out why a Go test is flaky: it runs the test under every order of its
// goroutines that makes a difference.
//
//	por check    explores tests as they are
//	por triage   finds out what is wrong with a flaky test
//	por replay   runs a failing schedule that a test has saved
//	por test     runs go test on code brought under control
//	por demo     finds a bug that golang.org/x/sync once had, and replays it
//	por explain  prints what the pages say of words that por has printed
//	por sarif    prints failures in the format SARIF
//	por clean    removes the test binaries that are kept
//	por version  prints the version, and the releases of Go that it knows
//	por help     says more
//
// Command porbench measures the engines of this module.
package main

import "github.com/gopor/gopor/internal/command"

const usage = `usage: por COMMAND [ARGUMENTS]

Por finds out why a Go test is flaky. In a folder of a module: por check ./...

commands:
  check    explore tests as they are, under every schedule that matters
  triage   find out what is wrong with one flaky test, and write a regression test
  replay   run a failing schedule that a test has saved
  test     run go test on code that has been brought under control, so that
           por.Check explores native Go
  demo     find, report and replay a bug that golang.org/x/sync/semaphore had
           until March 2020, then show that the fixed logic has none
  explain  print what the pages say of words in the output: por explain by lag
  sarif    print failures in the format SARIF, for GitHub and editors
  clean    remove the test binaries under control that are kept
  version  print the versions of por, and of Go that it knows and uses
  help     print this, or what a command does: por help check

topics:
  por help environment  the variables of the environment
  por help status       what the exit status means
`

var porCommand = &command.Command{
	Name:  "por",
	Usage: usage,
	Usual: "check",
	Verbs: []command.Verb{
		{Name: "check", Run: check, OwnOutput: true},
		{Name: "triage", Run: triage},
		{Name: "replay", Run: replay, OwnOutput: true},
		{Name: "test", Run: test, OwnOutput: true},
		{Name: "demo", Run: demo, Help: demoUsage},
		{Name: "explain", Run: explain, Help: explainUsage},
		{Name: "sarif", Run: toSARIF},
		{Name: "clean", Run: clean, Help: cleanUsage},
		{Name: "version", Run: version},
	},
	Topics: []command.Topic{
		{Name: "environment", Text: environmentTopic},
		{Name: "status", Text: statusTopic},
	},
	Moved: command.Moved{
		Words: []string{"bench", "irs", "unfold"},
		To:    "porbench",
		Path:  "github.com/gopor/gopor/cmd/porbench",
	},
}

func main() { porCommand.Main() }
