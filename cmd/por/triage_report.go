package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/record"
)

// shown returns the folder of the package as a person would type it.
func (q *inquiry) shown() string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, q.dir); err == nil {
			return rel
		}
	}
	return q.dir
}

// tell says what was found, as a description of a change would, and at last what to do next.
func (q *inquiry) tell(w io.Writer) {
	fmt.Fprintf(w, "## %s of %s\n\n", q.test, q.path)
	q.tellWhat(w)
	fmt.Fprintf(w, "\nAs it is:    %s\n", q.plain.String())
	fmt.Fprintf(w, "With -race:  %s\n", q.race.String())
	if q.found != nil {
		fmt.Fprintf(w, "Explored:    %s; %s\n", q.foundBy(), q.likelihood())
		if q.regression != nil && q.regression.file != "" {
			fmt.Fprintf(w, "Regression:  %s, with %s\n", filepath.Join(q.shown(), q.regression.file), q.regression.saved)
		} else if q.regression != nil && q.regression.saved != "" {
			fmt.Fprintf(w, "Regression:  %s, which por check begins with\n", filepath.Join(q.shown(), q.regression.saved))
		}
		if q.problem != "" {
			fmt.Fprintf(w, "             (no test was written: %s)\n", q.problem)
		}
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(q.found.Report))
	} else if out := strings.TrimSpace(q.plain.first + q.race.first); out != "" {
		fmt.Fprintf(w, "\n%s\n", out)
	}
	fmt.Fprintf(w, "\nNext: %s\n", q.next())
}

// tellWhat says what is wrong, and on what it depends.
func (q *inquiry) tellWhat(w io.Writer) {
	switch {
	case q.found != nil:
		fmt.Fprintf(w, "What:        %s\n", q.found.Headline)
		fmt.Fprintf(w, "Depends on:  %s\n", q.dependsOn())
		if o := q.found.Order; len(o) == 2 {
			fmt.Fprintf(w, "The order of %s\n         and %s\n         matters: it fails if the latter comes first\n", q.relative(o[0]), q.relative(o[1]))
		}
	case q.unfit != "":
		fmt.Fprintf(w, "What:        it %s\n", q.unfit)
		fmt.Fprintf(w, "Depends on:  neither the schedule nor time, as far as can be explored\n")
	case q.race.failed > 0 || q.plain.failed > 0:
		fmt.Fprintf(w, "What:        it fails where it is run, and under no schedule that was explored\n")
		fmt.Fprintf(w, "Depends on:  what is not under control, such as the network, files, other tests or real time\n")
	default:
		fmt.Fprintf(w, "What:        nothing was found\n")
	}
}

// relative returns a place with its file as seen from the folder of the command.
func (q *inquiry) relative(place string) string {
	file, rest, ok := strings.Cut(place, ".go:")
	dir, err := os.Getwd()
	if !ok || err != nil {
		return place
	}
	if rel, err := filepath.Rel(dir, file); err == nil && !strings.HasPrefix(rel, "..") {
		return rel + ".go:" + rest
	}
	return place
}

func (q *inquiry) dependsOn() string {
	switch {
	case q.found.Always && q.plain.failed == q.plain.n:
		return "neither the schedule nor time: it fails in every run, and under every schedule"
	case q.found.Always:
		return "what is not under control: it fails under every schedule, and not in every run as it is"
	case q.plain.n > 1 && q.plain.failed == q.plain.n:
		return "the schedule; as it is, every run has one that fails"
	case q.found.Time != "discrete":
		return "time: it needs code that is slow, or a timer that fires early"
	case q.found.Preemptions == 0 && q.found.Execution == 1:
		return "the schedule, but the first one that was explored fails, without a preemption"
	}
	return "the schedule, not on time"
}

func (q *inquiry) foundBy() string {
	fewest := ""
	if q.found.Fewest {
		fewest = ", and no fewer"
	}
	n := "by a schedule that was saved before"
	if q.found.Execution > 0 {
		n = fmt.Sprintf("in execution %d", q.found.Execution)
	}
	preemptions := fmt.Sprintf("%d preemptions", q.found.Preemptions)
	if q.found.Preemptions == 1 {
		preemptions = "1 preemption"
	}
	return fmt.Sprintf("%s: found %s, with %s%s", q.phase.name, n, preemptions, fewest)
}

// next says what to do.
func (q *inquiry) next() string {
	switch {
	case q.found != nil && q.regression != nil:
		then := ""
		if q.regression.saved != "" {
			then = ", and the saved schedule is removed"
		}
		return fmt.Sprintf("mend it, and run %s until that passes%s", q.regression.command, then)
	case q.unfit != "" && strings.HasPrefix(q.unfit, "fails"):
		return "read why it fails under control, since it does so whatever the schedule; if it is flaky without, look for what is not under control: " + q.checkCommand("-v ")
	case q.unfit != "":
		return "keep out of the test what is not under control, or look at it there: " + q.unfit
	case q.plain.failed > 0 || q.race.failed > 0:
		return "read what it has printed, above: no schedule explains it, so look at what the test has from outside"
	case q.class == record.Every:
		return "nothing: every schedule passes. If it fails elsewhere, compare the machine, the environment and other tests of the package"
	}
	return fmt.Sprintf("give it more time: %s triage -for %v %s -run %s", commandName(), 10*q.limit, format.Quoted(q.pkg), format.Quoted(q.test))
}
