package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/command"
)

const irsUsage = `usage: porbench irs [PROGRAM ...] [flags]

Measures what it costs to execute only what was verified (package irs): for the programs
of the paper on iteratively relaxed scheduling, the constraints of some of the prefixes
that a verifier finds one after the other, and the time of executions under each of them
against that of the same program without any environment, beside the paper's figures.
"-opt" after a program's name says that its first trace was the fastest of some.
Work is what goroutines compute after every event. Ctrl-C stops after the present program.

flags:
`

// enforcement is what the command line of irs asks for.
type enforcement struct {
	programs []paper.RelaxedProgram
	runs     int
	work     []time.Duration
	svg      string
	picture  string
	json     bool
}

// enforcing is the command irs.
func enforcing(args []string, e command.Env) int {
	r, fs, err := parseEnforcement(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(e.Out, irsUsage)
		fs.SetOutput(e.Out)
		fs.PrintDefaults()
		return command.OK
	case err != nil:
		return e.Misused("irs: %v", err)
	}
	if r.picture != "" {
		return r.draw(e)
	}
	spin := newSpinner()
	if !r.json {
		fmt.Fprintf(e.Out, "%d executions of each; %d cores; work of %v after an event; overhead is mean/median, in percent\n", r.runs, runtime.GOMAXPROCS(0), r.work)
		fmt.Fprintf(e.Out, costFormat, "program", "traces", "constraints", "waiting", "printed", "work", "plain", "enforced", "overhead", "ns/constr.", "waits", "parked")
	}
	var all []cost
	for _, p := range r.programs {
		for _, opt := range []bool{false, true} {
			if opt && p.Opt == nil {
				continue
			}
			costs, err := r.measure(p, opt, spin)
			if err != nil {
				return e.Failedf("irs: %s: %v", p.Name, err)
			}
			all = append(all, costs...)
			for _, c := range costs {
				if r.json {
					err = writeJSON(e.Out, c)
				} else {
					_, err = fmt.Fprintln(e.Out, c)
				}
				if err != nil {
					return e.Failedf("irs: %v", err)
				}
			}
			if e.Interrupted() {
				return command.Interrupted
			}
		}
	}
	if r.svg != "" {
		if err := os.WriteFile(r.svg, plotCosts(all, r.work), 0o666); err != nil {
			return e.Failedf("irs: %v", err)
		}
	}
	return command.OK
}

// parseEnforcement reads the command line. A flag.ErrHelp asks for help.
func parseEnforcement(args []string) (*enforcement, *flag.FlagSet, error) {
	r := new(enforcement)
	fs := flag.NewFlagSet("irs", flag.ContinueOnError)
	fs.IntVar(&r.runs, "runs", 1000, "the `number` of executions under each prefix")
	work := fs.String("work", "0s,1us,100us", "what goroutines compute after an event, `times` with commas between them")
	fs.StringVar(&r.svg, "svg", "", "the `file` to draw overhead against constraints in")
	fs.StringVar(&r.picture, "picture", "", "draw in this `file` (.svg) the constraints of the longest prefix of the one program that is named, and measure nothing")
	fs.BoolVar(&r.json, "json", false, "print JSON, an object for every line of the table")
	positionals, _, err := parseAround(fs, args)
	if err != nil {
		return nil, fs, err
	}
	if r.runs < 1 {
		return nil, fs, fmt.Errorf("-runs is %d, but has to be at least 1", r.runs)
	}
	for _, text := range strings.Split(*work, ",") {
		d, err := time.ParseDuration(strings.TrimSpace(text))
		if err != nil || d < 0 {
			return nil, fs, fmt.Errorf("-work is %q, but has to be times such as 0s,1us,100us", *work)
		}
		r.work = append(r.work, d)
	}
	all := paper.RelaxedPrograms()
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	for _, name := range positionals {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fs, fmt.Errorf("unknown program %q; allowed: %s", name, strings.Join(names, ", "))
		}
		r.programs = append(r.programs, all[i])
	}
	if r.picture != "" && len(r.programs) != 1 {
		return nil, fs, fmt.Errorf("-picture is of one program, but %d are named", len(r.programs))
	}
	if r.programs == nil {
		r.programs = all
	}
	return r, fs, nil
}

// cost is a line of the table.
type cost struct {
	Program     string `json:"program"`
	Traces      int64  `json:"traces"` // verified, of
	AllTraces   int64  `json:"all_traces"`
	Constraints int    `json:"constraints"`
	Waiting     int    `json:"waiting"` // goroutines that wait
	// Printed is the paper's overhead in percent, at the same number of constraints or the nearest.
	Printed  string        `json:"printed"`
	Work     time.Duration `json:"work_nanoseconds"`
	Plain    spread        `json:"plain"`    // of the program without an environment
	Enforced spread        `json:"enforced"` // of the program in an environment, under the prefix
	// PerConstraint is what a constraint takes, in nanoseconds: the median time beyond
	// that under the prefix without any, by constraints. 0 if there is none.
	PerConstraint float64 `json:"nanoseconds_per_constraint"`
	// Of an execution, on average: how many events have waited, how often was a goroutine
	// parked for that, and how long.
	Waits  float64       `json:"waits"`
	Parks  float64       `json:"parks"`
	Parked time.Duration `json:"parked_nanoseconds"`

	figures []paper.PrintedOverhead
}

// spread is the mean and the median of some times.
type spread struct {
	Mean   time.Duration `json:"mean_nanoseconds"`
	Median time.Duration `json:"median_nanoseconds"`
}

func spreadOf(times []time.Duration) spread {
	slices.Sort(times)
	var sum time.Duration
	for _, t := range times {
		sum += t
	}
	return spread{sum / time.Duration(len(times)), times[len(times)/2]}
}

// overhead returns the overhead in percent, of the means and of the medians.
func (c cost) overhead() (mean, median float64) {
	percent := func(t, plain time.Duration) float64 { return 100 * (float64(t)/float64(plain) - 1) }
	return percent(c.Enforced.Mean, c.Plain.Mean), percent(c.Enforced.Median, c.Plain.Median)
}

const costFormat = "%-18s %13s %11s %7s %12s %6s %9s %9s %11s %10s %6s %9s\n"

func (c cost) String() string {
	mean, median := c.overhead()
	per := "-"
	if c.Constraints > 0 {
		per = fmt.Sprintf("%.0f", c.PerConstraint)
	}
	line := fmt.Sprintf(costFormat, c.Program, fmt.Sprintf("%d/%d", c.Traces, c.AllTraces), fmt.Sprint(c.Constraints), fmt.Sprint(c.Waiting),
		dash(c.Printed), c.Work.String(), micro(c.Plain.Median), micro(c.Enforced.Median), fmt.Sprintf("%.0f/%.0f", mean, median),
		per, fmt.Sprintf("%.1f", c.Waits), micro(c.Parked))
	return strings.TrimRight(line, " \n")
}

// micro writes a time in microseconds.
func micro(d time.Duration) string { return fmt.Sprintf("%.1fµs", float64(d)/1e3) }
