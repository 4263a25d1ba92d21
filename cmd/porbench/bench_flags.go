package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"
)

const benchUsage = `usage: porbench bench PROGRAM [flags]
       porbench bench -list
       porbench bench -table eager|qpor|bounded [-engine NAME] [-timeout D] [-json]
       porbench bench -table stateful [-pictures DIR] [-timeout D] [-json]

Runs an engine on a program and prints one line, or with -json one object, that
says what it did. Flags may come before or after PROGRAM. While it runs, progress
is shown if the standard error is a terminal; Ctrl-C stops the search and prints
what was reached.

flags:
`

// request is what the command line of bench asks for.
type request struct {
	program       string
	n, m          *int // nil if not given
	setting       setting
	maxExecutions int64
	timeout       time.Duration
	json          bool
	traces        bool
	list          bool
	table         string
	pictures      string // of the table: the folder for them
}

// parse reads the command line. A flag.ErrHelp asks for help.
func parse(args []string) (request, *flag.FlagSet, error) {
	var (
		r        request
		n, m     int
		k, bound int
		workers  int
	)
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.IntVar(&n, "n", 0, "the program's first `parameter`")
	fs.IntVar(&m, "m", 0, "the program's second `parameter`")
	fs.StringVar(&r.setting.name, "engine", "", "the engine's `name` (default \"optimal\"); see -list")
	fs.IntVar(&k, "k", 0, "the `k` of an engine with k-partial alternatives")
	fs.IntVar(&workers, "workers", 0, "explore with this `number` of workers at a time (engine reverse, if none is named)")
	fs.IntVar(&bound, "bound", 0, "the `bound` of a bounded engine")
	fs.StringVar(&r.setting.boundKind, "bound-kind", "", "what is bounded: `preemption` (the default) or delay")
	fs.BoolVar(&r.setting.keying.Tracked, "tracked", false, "states are told apart by what operations return: all shared memory is atomic or explored")
	fs.BoolVar(&r.setting.keying.Exact, "exact", false, "states are compared exactly, not by hashes")
	fs.Int64Var(&r.maxExecutions, "max-executions", 0, "stop after this `number` of complete executions")
	fs.DurationVar(&r.timeout, "timeout", 0, "stop after this `time`, such as 30s; of every row of a table (default 10s), and each engine and client of -table stateful (default 1s)")
	fs.BoolVar(&r.json, "json", false, "print JSON")
	fs.BoolVar(&r.traces, "traces", false, "count distinct traces, with -bound those that have an execution within it; takes time and memory")
	fs.BoolVar(&r.list, "list", false, "list programs and engines")
	fs.StringVar(&r.table, "table", "", "run a `table` of a paper: eager, qpor, bounded or stateful")
	fs.StringVar(&r.pictures, "pictures", "", "draw the plots of -table stateful in this `folder`")
	positionals, given, err := parseAround(fs, args)
	if err != nil {
		return r, fs, err
	}
	for name, p := range map[string]struct {
		to **int
		v  *int
	}{"n": {&r.n, &n}, "m": {&r.m, &m}, "k": {&r.setting.k, &k}, "bound": {&r.setting.bound, &bound}, "workers": {&r.setting.workers, &workers}} {
		if given[name] {
			*p.to = p.v
		}
	}
	return r, fs, r.check(given, positionals)
}

// check refuses what does not fit together.
func (r *request) check(given map[string]bool, positionals []string) error {
	if given["max-executions"] && r.maxExecutions < 1 {
		return fmt.Errorf("-max-executions is %d, but has to be at least 1", r.maxExecutions)
	}
	if given["timeout"] && r.timeout <= 0 {
		return fmt.Errorf("-timeout is %v, but has to be positive", r.timeout)
	}
	switch {
	case r.list:
		if err := onlyWith("-list", given, positionals, "list"); err != nil {
			return err
		}
		return nil
	case given["table"]:
		if r.table == statefulTable {
			return onlyWith("-table stateful", given, positionals, "table", "pictures", "timeout", "json")
		}
		if _, ok := tables[r.table]; !ok {
			return fmt.Errorf("unknown table %q; allowed: %s", r.table, strings.Join(tableNames, ", "))
		}
		return onlyWith("-table", given, positionals, "table", "engine", "timeout", "json")
	case given["pictures"]:
		return errors.New("-pictures goes with -table stateful only")
	case len(positionals) == 0:
		return fmt.Errorf("no program; allowed: %s", strings.Join(programNames(), ", "))
	case len(positionals) > 1:
		return fmt.Errorf("%d programs (%s), but one is allowed", len(positionals), strings.Join(positionals, " "))
	}
	r.program = positionals[0]
	return nil
}

// onlyWith says that flag goes with the allowed ones only.
func onlyWith(flag string, given map[string]bool, positionals []string, allowed ...string) error {
	if len(positionals) > 0 {
		return fmt.Errorf("%s takes no program (%s)", flag, strings.Join(positionals, " "))
	}
	var wrong []string
	for name := range given {
		if !slices.Contains(allowed, name) {
			wrong = append(wrong, "-"+name)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	slices.Sort(wrong)
	with := "nothing"
	if len(allowed) > 1 {
		with = "-" + strings.Join(allowed[1:], ", -")
	}
	return fmt.Errorf("%s does not go with %s; allowed with it: %s", flag, strings.Join(wrong, ", "), with)
}
