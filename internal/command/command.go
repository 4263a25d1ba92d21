// Package command has what the commands of this module share: a command gives the first word of
// its arguments to the verb of that name, explains itself, and ends with the same statuses.
package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/spell"
)

// Exit statuses.
const (
	OK          = 0
	Failed      = 1   // the thing was done, and did not come out well
	Misused     = 2   // the command line makes no sense
	Unfit       = 3   // por check: no test fails, and some could not be explored
	Interrupted = 130 // stopped by Ctrl-C; what was reached has been printed
)

// Command is a program with verbs, such as por.
type Command struct {
	Name  string
	Usage string // what help prints
	Verbs []Verb // as messages list them; help is added
	// Moved are words that were verbs once, and are verbs of another command now.
	Moved Moved
}

// Verb is what a command can be told to do.
type Verb struct {
	Name string
	Run  func(args []string, e Env) (status int)
	// Plain says that the verb takes no flags. Its help is the usage of the command; that of
	// others is what they print for -help.
	Plain bool
	// Hidden says that only programs use the verb. No message names it, and it has no help.
	Hidden bool
	// OwnOutput says that the verb hands its output to another program, which reports errors
	// of writing itself and needs the file.
	OwnOutput bool
}

// Moved says where words are now.
type Moved struct {
	Words []string
	To    string // the name of the other command
	Path  string // its import path
}

// Run performs a command line and returns the exit status.
func (c *Command) Run(args []string, e Env) (status int) {
	e.Name = c.Name
	if len(args) == 0 {
		return e.Misused("no command; allowed: %s", strings.Join(c.words(), ", "))
	}
	switch word, args := args[0], args[1:]; word {
	case "help", "-h", "-help", "--help":
		return c.help(args, e)
	default:
		if v := c.verb(word); v != nil {
			return v.Run(args, e)
		}
		return c.unknown(word, e)
	}
}

// verb returns the verb of that name, nil if there is none.
func (c *Command) verb(name string) *Verb {
	i := slices.IndexFunc(c.Verbs, func(v Verb) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Verbs[i]
}

// words returns the words that people may begin with.
func (c *Command) words() (all []string) {
	for _, v := range c.Verbs {
		if !v.Hidden {
			all = append(all, v.Name)
		}
	}
	return append(all, "help")
}

// help prints the usage of the command, or that of the verb that is the first argument.
func (c *Command) help(args []string, e Env) (status int) {
	if len(args) > 0 && args[0] != "help" {
		v := c.verb(args[0])
		switch {
		case v == nil || v.Hidden:
			return c.unknown(args[0], e)
		case !v.Plain:
			return v.Run([]string{"-help"}, e)
		}
	}
	fmt.Fprint(e.Out, c.Usage)
	return OK
}

// unknown says that the command has no such verb, and where it is or what was meant.
func (c *Command) unknown(word string, e Env) (status int) {
	if slices.Contains(c.Moved.Words, word) {
		return e.Misused("%s is a command of %s: go run %s %[1]s ...", word, c.Moved.To, c.Moved.Path)
	}
	words := c.words()
	mean := spell.Mean("", word, slices.Concat(words, c.Moved.Words))
	return e.Misused("unknown command %q%s", word, spell.Unknown(mean, strings.Join(words, ", ")))
}
