// Command porbench measures the engines of this module, and repeats the tables of the papers
// that they come from. It is for work on engines; command por is for tests.
//
//	porbench bench   runs one engine on one program, or a whole table of a paper
//	porbench irs     measures what it costs to execute only what was verified
//	porbench unfold  draws the unfolding of a small program
//	porbench help    says more
package main

import "github.com/gopor/gopor/internal/command"

const usage = `usage: porbench COMMAND [ARGUMENTS]

commands:
  bench   run an engine on a program and print what it did: porbench bench -help
  irs     measure what it costs to execute only what was verified:
          porbench irs -help
  unfold  draw what can happen in a small program: porbench unfold -help
  help    print this, or what a command does: porbench help bench
`

var porbenchCommand = &command.Command{
	Name:  "porbench",
	Usage: usage,
	Verbs: []command.Verb{
		{Name: "bench", Run: bench},
		{Name: "irs", Run: enforcing},
		{Name: "unfold", Run: unfolding},
	},
}

func main() { porbenchCommand.Main() }
