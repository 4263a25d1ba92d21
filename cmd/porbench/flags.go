package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/spell"
)

// parseAround reads flags that may come before and after other arguments. It
// returns these, and which flags were given.
func parseAround(fs *flag.FlagSet, args []string) (positionals []string, given map[string]bool, err error) {
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	for {
		if err := fs.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, nil, err
			}
			return nil, nil, fmt.Errorf("%w%s", err, spell.Unknown(meant(fs, err), flagNames(fs)))
		}
		if fs.NArg() == 0 {
			break
		}
		positionals = append(positionals, fs.Arg(0))
		args = fs.Args()[1:]
	}
	given = make(map[string]bool)
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	return positionals, given, nil
}

// meant returns the question which flag was meant by one that the error says is unknown.
func meant(fs *flag.FlagSet, err error) string {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return ""
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return spell.Mean("-", name, names)
}

func flagNames(fs *flag.FlagSet) string {
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
	return strings.Join(names, " ")
}

func programNames() []string {
	var names []string
	for _, p := range paper.Programs() {
		names = append(names, p.Name)
	}
	return names
}
