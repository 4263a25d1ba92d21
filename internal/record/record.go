// Package record is how test programs tell por test what has come of each search.
package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/gopor/gopor/internal/environ"
)

// Entry is what has come of a test.
type Entry struct {
	Class    string
	Package  string
	Test     string
	Headline string // of one that is unfit
	// Failure is one that was found. The entry is told beside that of the test, and has no
	// class.
	Failure *Failure `json:",omitempty"`
	// Behind has the goroutines that the test leaves behind and that something still reaches, a line for each. The entry
	// is told beside that of the test, and has no class.
	Behind []string `json:",omitempty"`
}

// Failure is what is told of a failure.
type Failure struct {
	Kind, Headline string
	Time           string // how time passes: "discrete", "lag", "any"
	Execution      int64  // in which it was found, 0 if by a saved schedule
	Preemptions    int
	Steps          int
	Fewest         bool   // it does not show with fewer preemptions
	Saved          string // the file of its schedule, from the folder of the package
	// Order is two places, as "file:line: what", of which the second has to come between what is
	// before the first and the first for the failure to show; empty if that is not known.
	Order  []string
	Report string
}

// The classes of tests.
const (
	Exhausted = "exhausted" // passes under every schedule
	Explored  = "explored"  // passes under those that were tried
	Fails     = "fails"     // fails under some schedules
	Unfit     = "unfit"     // fails under all, or cannot be explored
)

// Told reports whether por test runs the test program.
func Told() bool {
	_, ok := syscall.Getenv(environ.CheckRecord)
	return ok
}

// Add tells por test, if that runs the test program, what has come of a test.
func Add(e Entry) {
	// By this package, so that it is no matter for the results that the go command keeps.
	name, ok := syscall.Getenv(environ.CheckRecord)
	if !ok {
		return
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return // por test has ended
	}
	defer f.Close()
	if line, err := json.Marshal(e); err == nil {
		f.Write(append(line, '\n')) // at once: test programs run at the same time
	}
}

// Read returns what is recorded in a file.
func Read(name string) (all []Entry) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	for line := range bytes.Lines(data) {
		var e Entry
		if json.Unmarshal(line, &e) == nil {
			all = append(all, e)
		}
	}
	return all
}

// Summary returns what has come of the tests that are recorded in a file: a table, if there
// are several packages, and a line for all, with one for each of those that are unfit. The
// text is empty if none were run.
func Summary(name string) (rows, text string, unfit int) {
	count := make(map[string]int)
	packages := make(map[string]map[string]int)
	var list strings.Builder
	for _, e := range Read(name) {
		if e.Failure != nil || e.Behind != nil {
			continue
		}
		count[e.Class]++
		if packages[e.Package] == nil {
			packages[e.Package] = make(map[string]int)
		}
		packages[e.Package][e.Class]++
		if e.Class == Unfit {
			fmt.Fprintf(&list, "  %s.%s %s\n", e.Package, e.Test, e.Headline)
		}
	}
	if len(count) == 0 {
		return "", "", 0
	}
	fail := "fail"
	if count[Fails] == 1 {
		fail = "fails"
	}
	text = fmt.Sprintf("%d exhausted, %d explored in part, %d %s under some schedules", count[Exhausted], count[Explored], count[Fails], fail)
	if n := count[Unfit]; n > 0 {
		text += fmt.Sprintf("; %d not explored:\n%s", n, strings.TrimSuffix(list.String(), "\n"))
	}
	if len(packages) > 1 {
		rows = table(packages)
	}
	return rows, text, count[Unfit]
}

// table has a line for every package, and how many of its tests are of each class.
func table(packages map[string]map[string]int) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "exhaustive\tbounded\tfound\tnot under control\t")
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		for i, class := range []string{Exhausted, Explored, Fails, Unfit} {
			cell := "-"
			if n := packages[pkg][class]; n > 0 {
				cell = strconv.Itoa(n)
			}
			fmt.Fprint(w, cell, "\t")
			if i == 3 {
				fmt.Fprintf(w, "   %s\n", pkg)
			}
		}
	}
	w.Flush()
	return b.String()
}
