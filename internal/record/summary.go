package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Summary is what has come of all tests.
type Summary struct {
	Tests  []Entry // that have a class; those that fail have the reason of their first failure
	Count  map[Class]int
	Needs  map[string]int // of the tests that a limit has stopped, by what has stopped them
	Mended []string       // of saved schedules that fail no longer, in a line each
	Last   string         // the package of which something was told last

	skipped []Entry // of the tests that skip themselves
}

// Summarise returns the summary of what test programs have told.
func Summarise(all []Entry) *Summary {
	s := &Summary{Count: make(map[Class]int), Needs: make(map[string]int)}
	type test struct{ pkg, name string }
	failures := make(map[test][]*Failure)
	for _, e := range all {
		of := test{e.Package, e.Test}
		s.Last = e.Package
		if e.Failure != nil {
			failures[of] = append(failures[of], e.Failure)
			continue
		}
		for _, text := range e.Mended {
			s.Mended = append(s.Mended, e.Package+"."+e.Test+": "+text)
		}
		if e.Skipped {
			s.skipped = append(s.skipped, e)
		}
		if e.Class == "" {
			continue
		}
		if f := failures[of]; e.Class == Fails && e.Reason == "" && len(f) > 0 {
			e.Place, e.Reason = f[0].Place, f[0].Headline
			if more := len(f) - 1; more > 0 {
				e.Reason += fmt.Sprintf(" (and %d more)", more)
			}
		}
		delete(failures, of) // with -count the test may run again
		s.Count[e.Class]++
		if e.Class == Stopped {
			s.Needs[e.Needs]++
		}
		s.Tests = append(s.Tests, e)
	}
	return s
}

// String returns one line for all tests, one for each that fails or is not explored, one for all that
// something is taken for granted of, and one for each saved schedule that passes now. It is "" if no test was explored.
func (s *Summary) String() string {
	var lines []string
	switch {
	case len(s.Tests) > 0:
		lines = append(lines, s.counts())
	case len(s.skipped) > 0:
		lines = append(lines, "no test was explored: all skip themselves")
	}
	lines = append(lines, s.assumed()...)
	for _, class := range []Class{Fails, NotExplored} {
		for _, e := range s.Tests {
			if e.Class == class {
				lines = append(lines, "  "+string(class)+": "+e.line())
			}
		}
	}
	if n := len(s.skipped); n > 0 {
		lines = append(lines, "  skip themselves: "+listed(s.skipped, func(e *Entry) string {
			if e.Reason == "" {
				return e.name()
			}
			return e.name() + " (" + oneLine(e.Reason) + ")"
		}))
	}
	for _, name := range s.Mended {
		lines = append(lines, "  mended: "+name)
	}
	return strings.Join(lines, "\n")
}

// assumed says in a line what is taken for granted, and of which tests, what most rest on first. Tests that fail if
// code is late have a line each.
func (s *Summary) assumed() []string {
	tests := make(map[string][]Entry)
	var late []string
	for _, e := range s.Tests {
		for _, text := range e.Assumed {
			tests[text] = append(tests[text], e)
		}
		if e.Late != "" {
			late = append(late, "  late: "+e.name()+" fails "+oneLine(e.Late))
		}
	}
	var lines []string
	for _, text := range slices.SortedFunc(maps.Keys(tests), func(a, b string) int {
		return cmp.Or(len(tests[b])-len(tests[a]), strings.Compare(a, b))
	}) {
		lines = append(lines, "  "+string(Assuming)+": "+text+": "+listed(tests[text], (*Entry).name))
	}
	return append(lines, late...)
}

// mostListed is how many tests a line names.
const mostListed = 3

// listed names the first tests of a list, and says how many others there are.
func listed(all []Entry, name func(*Entry) string) string {
	var names []string
	for i := range all {
		names = append(names, name(&all[i]))
	}
	return strings.Join(first(names, mostListed, "test"), ", ")
}

// name returns the name of a test with its package.
func (e *Entry) name() string { return e.Package + "." + e.Test }

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// counts says how many tests are of each class. All classes are there, in the same words, so
// that scripts can read the line.
func (s *Summary) counts() string {
	return fmt.Sprintf("%d pass %s, %d %s, %d %s%s, %d %s, %d %s", s.Count[Every], Every, s.Count[Assuming], Assuming,
		s.Count[Stopped], Stopped, s.needs(), s.Count[Fails], Fails, s.Count[NotExplored], NotExplored)
}

// needs says what has stopped tests, the most frequent first, in brackets.
func (s *Summary) needs() string {
	var texts []string
	for _, need := range slices.SortedFunc(maps.Keys(s.Needs), func(a, b string) int {
		return cmp.Or(s.Needs[b]-s.Needs[a], strings.Compare(a, b))
	}) {
		if need != "" {
			texts = append(texts, fmt.Sprintf("%d of %s", s.Needs[need], need))
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return " (" + strings.Join(texts, ", ") + ")"
}

// line names a test, with the reason for its class, in one line.
func (e *Entry) line() string {
	text := e.name()
	if e.Place != "" {
		text += ", " + e.Place
	}
	if reason := e.reason(); reason != "" {
		text += ": " + reason
	}
	return text
}

// reason returns the reason for the class of a test in one line, without what the line says before it: the place of an
// assertion, and that the test cannot be explored.
func (e *Entry) reason() string {
	reason := oneLine(e.Reason)
	if e.Class == NotExplored {
		reason = strings.TrimPrefix(reason, "cannot be explored: ")
	}
	if e.Place != "" {
		reason = strings.Replace(reason, ": "+e.Place+": ", ": ", 1)
	}
	return reason
}

// Table has a line for every package, and how many of its tests are of each class. It is "" if
// there is one package only.
func (s *Summary) Table() string {
	packages := make(map[string]map[Class]int)
	for _, e := range s.Tests {
		if packages[e.Package] == nil {
			packages[e.Package] = make(map[Class]int)
		}
		packages[e.Package][e.Class]++
	}
	if len(packages) < 2 {
		return ""
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, class := range Classes {
		fmt.Fprint(w, class, "\t")
	}
	fmt.Fprintln(w)
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		for _, class := range Classes {
			cell := "-"
			if n := packages[pkg][class]; n > 0 {
				cell = strconv.Itoa(n)
			}
			fmt.Fprint(w, cell, "\t")
		}
		fmt.Fprintf(w, "   %s\n", pkg)
	}
	w.Flush()
	return b.String()
}
