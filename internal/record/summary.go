package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Summary is the summary of the results of all tests.
type Summary struct {
	Tests  []Entry // with a class; failing tests have the reason of their first failure
	Count  map[Class]int
	Needs  map[string]int // number of tests stopped by each limit
	Mended []string       // saved schedules that no longer fail, in a line each
	Last   string         // the package of the latest entry

	skipped []Entry // tests that skip themselves
}

// Summarise returns the summary of the entries of test programs.
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
			e.Place, e.Reason, e.Kind = f[0].Place, f[0].Headline, f[0].Kind
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

// String returns one line for all tests, one for each test that fails or is not explored, or for
// those that fail alike, one
// for all tests with an assumption in common, and one for each saved schedule that passes now.
// It is "" if no test was explored.
func (s *Summary) String() string {
	var lines []string
	switch {
	case len(s.Tests) > 0:
		lines = append(lines, s.counts())
	case len(s.skipped) > 0:
		lines = append(lines, "no test was explored: all skip themselves")
	}
	if len(s.Tests) > 1 {
		lines = append(lines, s.stopped()...)
	}
	lines = append(lines, s.assumed()...)
	lines = append(lines, s.failing()...)
	for _, e := range s.Tests {
		if e.Class == NotExplored {
			lines = append(lines, "  "+string(NotExplored)+": "+e.line())
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

// leak is the kind of failures that a setting lets pass.
const leak = "goroutine leak"

// many is how many tests have to fail alike to have one line.
const many = 4

// failing returns a line for each test that fails, or one for all that fail alike: with a failure
// of one kind in one place, as tests do that use one helper which leaks a goroutine.
func (s *Summary) failing() (lines []string) {
	type cause struct{ pkg, kind, place string }
	alike := make(map[cause][]Entry)
	of := func(e *Entry) cause { return cause{e.Package, e.Kind, e.Place} }
	for _, e := range s.Tests {
		if e.Class == Fails && e.Kind != "" && e.Place != "" {
			if all := alike[of(&e)]; !slices.ContainsFunc(all, func(o Entry) bool { return o.Test == e.Test }) {
				alike[of(&e)] = append(all, e)
			}
		}
	}
	said := make(map[cause]bool)
	for _, e := range s.Tests {
		switch group := alike[of(&e)]; {
		case e.Class != Fails, said[of(&e)]:
		case len(group) < many:
			lines = append(lines, "  "+string(Fails)+": "+e.line())
		default:
			said[of(&e)] = true
			names := make([]string, len(group))
			for i := range group {
				names[i] = group[i].Test
			}
			text := fmt.Sprintf("  %s: %d tests of %s, %s: %s: %s", Fails, len(group), e.Package, e.Place, e.reason(), strings.Join(names, ", "))
			if e.Kind == leak {
				text += " (-check.leaks=allow lets leaks pass)"
			}
			lines = append(lines, text)
		}
	}
	return lines
}

// slow is the least time of a search that is worth a mention.
const slow = time.Second

// stopped returns lines with the tests that a limit has stopped, and with the slowest others.
func (s *Summary) stopped() (lines []string) {
	var stopped, slowest []Entry
	for _, e := range s.Tests {
		switch {
		case e.Class == Stopped:
			stopped = append(stopped, e)
		case e.Took >= slow:
			slowest = append(slowest, e)
		}
	}
	if len(stopped) > 0 {
		lines = append(lines, "  "+string(Stopped)+": "+listed(stopped, (*Entry).name))
	}
	slices.SortStableFunc(slowest, func(a, b Entry) int { return cmp.Compare(b.Took, a.Took) })
	if len(slowest) > 0 {
		lines = append(lines, "  slowest: "+listed(slowest[:min(len(slowest), mostListed)], func(e *Entry) string {
			return fmt.Sprintf("%s (%v)", e.name(), e.Took.Round(100*time.Millisecond))
		}))
	}
	return lines
}

// Strictly returns why a run fails in which a test of these classes is a failure, nil if it has no
// such test. Packages with verdicts that are lost count, too. A line for each test that no other
// line of the summary names is followed by one with the reason.
func (s *Summary) Strictly(reason string, classes []Class, lost int) (lines []string) {
	if len(classes) == 0 {
		return nil
	}
	var counts []string
	for _, class := range classes {
		if n := s.Count[class]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, class))
		}
		for _, e := range s.Tests {
			switch {
			case e.Class != class || class == NotExplored:
			case class == Stopped && e.Needs != "":
				lines = append(lines, "  strict: "+e.name()+": "+string(class)+" of "+e.Needs)
			default:
				lines = append(lines, "  strict: "+e.name()+": "+string(class))
			}
		}
	}
	if lost > 0 {
		counts = append(counts, fmt.Sprintf("%d with no verdict kept", lost))
	}
	if len(counts) == 0 {
		return nil
	}
	return append(lines, "  the run fails by "+reason+": "+strings.Join(counts, ", "))
}

// assumed returns a line for every assumption, with the tests that rest on it, the most common
// one first. Tests that fail if code is late have a line each.
func (s *Summary) assumed() []string {
	tests := make(map[string][]Entry)
	var late []string
	for _, e := range s.Tests {
		for _, text := range e.Assumed {
			tests[text] = append(tests[text], e)
		}
		if line := "  late: " + e.name() + " fails " + oneLine(e.Late); e.Late != "" && !slices.Contains(late, line) {
			late = append(late, line)
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

// mostListed is the maximal number of tests in a line.
const mostListed = 3

// listed returns the names of the first tests of a list, and the number of the others. A test that
// has run several times is listed once.
func listed(all []Entry, name func(*Entry) string) string {
	var names []string
	for i := range all {
		if text := name(&all[i]); !slices.Contains(names, text) {
			names = append(names, text)
		}
	}
	return strings.Join(first(names, mostListed, "test"), ", ")
}

// name returns the name of a test with its package.
func (e *Entry) name() string { return e.Package + "." + e.Test }

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// counts returns the number of tests per class. It always has all classes in the same words, so
// that scripts can parse the line.
func (s *Summary) counts() string {
	return fmt.Sprintf("%d pass %s, %d %s, %d %s%s, %d %s, %d %s", s.Count[Every], Every, s.Count[Assuming], Assuming,
		s.Count[Stopped], Stopped, s.needs(), s.Count[Fails], Fails, s.Count[NotExplored], NotExplored)
}

// needs returns the limits that have stopped tests, the most frequent first, in parentheses.
func (s *Summary) needs() string {
	var texts []string
	for _, need := range slices.SortedFunc(maps.Keys(s.Needs), func(a, b string) int {
		return cmp.Or(s.Needs[b]-s.Needs[a], strings.Compare(a, b))
	}) {
		switch need {
		case "":
		case "interrupted":
			texts = append(texts, fmt.Sprintf("%d interrupted", s.Needs[need]))
		default:
			texts = append(texts, fmt.Sprintf("%d of %s", s.Needs[need], need))
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return " (" + strings.Join(texts, ", ") + ")"
}

// line returns the name of a test with the reason for its class, in one line.
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

// reason returns the reason for the class of a test in one line. It leaves out what the line
// has already: the place of an assertion, and that the test cannot be explored.
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

// Table has a line per package with the number of its tests in each class. It is "" if there is
// only one package.
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
