package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/record"
)

// class is what has come of a test function under control.
type class string

const (
	oneTrace  class = "one trace" // all its executions are the same
	exhausted class = class(record.Every)
	assumed   class = class(record.Assuming)
	bounded   class = class(record.Stopped)
	depends   class = class(record.Fails)  // under some schedules
	always    class = "always"             // fails whatever the schedule
	leaks     class = "leak"               // fails by goroutines that are leaked
	here      class = "under control only" // is not explored since it fails there, and passes natively
	beside    class = "beside"             // is not explored since goroutines are not under control
	long      class = "too long"
	unsteady  class = "not deterministic"
	waits     class = "waits" // for what is not under control
	skipped   class = "skip"  // by itself
	alone     class = class(record.NotExplored)
	none      class = "none" // no result
)

// classes are the columns of the table.
var classes = []class{oneTrace, exhausted, assumed, bounded, depends, always, leaks, here, beside, long, unsteady, waits, skipped, alone, none}

// passes reports whether no execution of such a test has failed.
func (c class) passes() bool { return slices.Contains(classes[:4], c) }

// progress is what a search says while it goes on.
var progress = regexp.MustCompile(`^[0-9,]+ executions? in `)

// says returns the paragraphs of por's that a test has printed, each in one line, but for its progress.
func (t *result) says() (all []string) {
	for line := range strings.Lines(t.output.String()) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "por: "); ok && !progress.MatchString(text) {
			all = append(all, text)
		}
	}
	return all
}

// class tells the class of a test from the first thing that por says of it: its verdict, or why
// there is none.
func (t *result) class() class {
	if t == nil || t.action == "" {
		return none
	}
	says := t.says()
	has := func(text string) bool {
		return slices.ContainsFunc(says, func(s string) bool { return strings.Contains(s, text) })
	}
	switch {
	case t.action == "fail":
		return failed(says, t.output.String())
	case len(says) == 0 && t.action == "pass":
		return alone
	case len(says) == 0, strings.HasPrefix(says[0], "every execution was skipped"), has("every execution was skipped"):
		return skipped
	case t.action == "skip":
		return unfit(says[0])
	case has("(exhaustive"), has("NOT exhaustive: "):
		switch {
		case has("the only trace explored"):
			return oneTrace
		case has("(exhaustive"):
			return exhausted
		}
		return assumed
	}
	return bounded
}

// failed tells the class of a test that fails from its report.
func failed(says []string, output string) class {
	switch {
	case len(says) > 0 && strings.HasPrefix(says[0], "goroutine leak"):
		return leaks
	case strings.Contains(strings.Join(strings.Fields(output), " "), ": this is no matter of timing."):
		return always
	}
	return depends
}

// unfit tells the class of a test that cannot be explored from what is said of it.
func unfit(headline string) class {
	switch {
	case strings.Contains(headline, "too long to explore"), strings.Contains(headline, "too large to explore"):
		return long
	case strings.HasPrefix(headline, "fails under control"):
		return here
	case strings.Contains(headline, "goroutines are not under control"), strings.Contains(headline, "goroutines meet in the network"):
		return beside
	case strings.Contains(headline, "not deterministic"), strings.HasPrefix(headline, "fails once"):
		return unsteady
	case strings.Contains(headline, "has performed no operation"):
		return waits
	}
	return alone
}

// slow says that a test fails by lag, if code is later than is usual, which is no failure.
func (t *result) slow() string {
	for _, s := range t.says() {
		if _, text, ok := strings.Cut(s, "none fails but when "); ok {
			return text
		}
	}
	return ""
}

// outside reports whether code ran that is not under control.
func (t *result) outside() bool {
	return t != nil && (strings.Contains(t.output.String(), "code runs that is not under control") ||
		strings.Contains(t.output.String(), "code which is not under control does the same"))
}

// headline returns the line of a report that says what is wrong, with the likely reason if there is one.
func (t *result) headline() string {
	if says := t.says(); len(says) > 0 {
		text := says[0]
		for line := range strings.Lines(t.output.String()) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "If it passes without control, this is probably no bug: ") || strings.HasPrefix(line, "It takes a delay: ") {
				text += ". " + line
			}
		}
		return text
	}
	for line := range strings.Lines(t.output.String()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "=== ") {
			return line
		}
	}
	return "no output"
}

// row is a row of the table.
type row struct {
	module
	builds           string
	pass, fail, skip int // natively
	count            map[class]int
	outside          int
	seconds          float64
	modules, built   int // of a sum
}

func (r *row) fill(native, controlled *results) {
	r.builds, r.count, r.seconds = "yes", make(map[class]int), controlled.seconds
	switch {
	case controlled.stopped && len(controlled.tests) == 0:
		r.builds = "not finished"
	case controlled.stopped:
		r.builds = "yes, as far as it came"
	case len(controlled.unbuilt) > len(native.unbuilt):
		r.builds = "no"
	case len(controlled.warnings) > 0:
		r.builds = "fallback"
	}
	for _, t := range native.tests {
		switch t.action {
		case "pass":
			r.pass++
		case "skip":
			r.skip++
		default:
			r.fail++
		}
	}
	names := slices.Clone(native.order)
	for _, name := range controlled.order {
		if native.tests[name] == nil { // a test before it has ended the process natively
			names = append(names, name)
		}
	}
	for _, name := range names {
		t := controlled.tests[name]
		r.count[t.class()]++
		if t.outside() {
			r.outside++
		}
	}
}

// add adds a row to a sum.
func (r *row) add(other row) {
	r.modules++
	if other.builds == "yes" || other.builds == "yes, as far as it came" {
		r.built++
	}
	r.pass, r.fail, r.skip = r.pass+other.pass, r.fail+other.fail, r.skip+other.skip
	r.outside, r.seconds = r.outside+other.outside, r.seconds+other.seconds
	if r.count == nil {
		r.count = make(map[class]int)
	}
	for c, n := range other.count {
		r.count[c] += n
	}
}

func heading() string {
	text := "| module | version | topic | builds | natively"
	for _, c := range classes {
		text += " | " + string(c)
	}
	text += " | outside | seconds |\n"
	return text + strings.Repeat("|---", 7+len(classes)) + "|"
}

func (r row) String() string {
	return fmt.Sprintf("| %s | %s | %s | %s |%s", r.path, r.version, r.topic, r.builds, r.figures())
}

// total is the last row of the table.
func (r row) total() string {
	return fmt.Sprintf("| %d modules | | | %d of %d |%s", r.modules, r.built, r.modules, r.figures())
}

func (r row) figures() string {
	if r.count == nil {
		return ""
	}
	text := fmt.Sprintf(" %d, %d, %d |", r.pass, r.fail, r.skip)
	for _, c := range classes {
		if n := r.count[c]; n > 0 {
			text += fmt.Sprintf(" %d |", n)
		} else {
			text += " |"
		}
	}
	return text + fmt.Sprintf(" %d | %.0f |", r.outside, r.seconds)
}
