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
	Name   string
	Usage  string  // what help prints
	Verbs  []Verb  // as messages list them; help is added
	Topics []Topic // what help explains besides verbs
	Usual  string  // the verb that flags without a verb are meant for, "" if there is none
	// Moved are words that were verbs once, and are verbs of another command now.
	Moved Moved
}

// Verb is what a command can be told to do.
type Verb struct {
	Name string
	Run  func(args []string, e Env) (status int)
	// Help is the help of a verb that has no flags. Other verbs print theirs for -help.
	Help string
	// OwnOutput says that the verb hands its output to another program, which reports errors
	// of writing itself and needs the file.
	OwnOutput bool
}

// Topic is a subject that help explains.
type Topic struct {
	Name string
	Text func() string
}

// Moved says where words are now.
type Moved struct {
	Words []string
	To    string // the name of the other command
	Path  string // its import path
}

// Run performs a command line and returns the exit status. Without arguments it prints the usage
// as the go command does: a person sees what to type, and a script that has lost its arguments
// does not pass.
func (c *Command) Run(args []string, e Env) (status int) {
	e.Name = c.Name
	if len(args) == 0 {
		fmt.Fprint(e.Err, c.Usage)
		return Misused
	}
	switch word, args := args[0], args[1:]; word {
	case "help", "-h", "-help", "--help":
		return c.help(args, e)
	default:
		v := c.verb(word)
		switch {
		case v == nil:
			return c.unknown(word, c.words(), e)
		case v.Help != "" && slices.ContainsFunc(args, IsHelp):
			return c.help([]string{word}, e)
		}
		return v.Run(args, e)
	}
}

// IsHelp reports whether an argument asks for help.
func IsHelp(arg string) bool { return arg == "-h" || arg == "-help" || arg == "--help" }

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
		all = append(all, v.Name)
	}
	return append(all, "help")
}

// help prints the usage of the command, or that of the verb or topic that is the first argument.
func (c *Command) help(args []string, e Env) (status int) {
	text := c.Usage
	if len(args) > 0 && args[0] != "help" {
		v := c.verb(args[0])
		t := slices.IndexFunc(c.Topics, func(t Topic) bool { return t.Name == args[0] })
		switch {
		case t >= 0:
			text = c.Topics[t].Text()
		case v == nil:
			words := c.words()
			for _, t := range c.Topics {
				words = append(words, t.Name)
			}
			return c.unknown(args[0], words, e)
		case v.Help == "":
			return v.Run([]string{"-help"}, e)
		default:
			text = v.Help
		}
	}
	fmt.Fprint(e.Out, text)
	return OK
}

// unknown says that a word is none of those that are allowed, and where it is or what was meant.
func (c *Command) unknown(word string, words []string, e Env) (status int) {
	if slices.Contains(c.Moved.Words, word) {
		return e.Misused("%s is a command of %s: go run %s %[1]s ...", word, c.Moved.To, c.Moved.Path)
	}
	mean := spell.Mean("", word, slices.Concat(words, c.Moved.Words))
	if mean == "" && c.Usual != "" && strings.ContainsAny(word[:min(1, len(word))], "-./") {
		mean = fmt.Sprintf("; did you mean %s %s %s?", c.Name, c.Usual, word)
	}
	return e.Misused("unknown command %q%s", word, spell.Unknown(mean, strings.Join(words, ", ")))
}
