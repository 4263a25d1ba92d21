package report

import (
	"fmt"
	"os"
	"strings"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/naming"
)

// A report is a [Diagnosis], and text that is written from it: the headline, the goroutines that
// wait, hold, race or panic with their stacks, and the schedule as a table with a column for each
// goroutine. What does not fit a screen is left out, the steps that matter least first.

// screenLines is how many lines the text of a report has at most, unless it is to be full.
const screenLines = 40

// The dimensions of a report.
const (
	leastRows    = 6  // of the table
	mostParties  = 20 // lines that parties take at most, where there is more to show
	mostHistory  = 24 // lines of the history of calls
	mostLog      = 12 // lines of the log, or half as many below a long head
	sourceLeast  = 12 // the least that is shown of a source line
	sourceWidth  = 60 // the most that is kept of one
	maxColumns   = 6
	stepWidth    = 6
	columnGap    = 2
	failureArrow = "==> "
	seeAll       = "-por.full shows all"
)

// Layout is how a text is to be written.
type Layout struct {
	Width int  // characters in a line
	Full  bool // nothing is left out
}

// Text returns the report as text.
func (d *Diagnosis) Text(l Layout) string {
	head := d.head(l)
	tail := d.tail(l, lines(head) > screenLines/2)
	budget := screenLines - lines(head) - lines(tail)
	table := d.table(l, max(budget, leastRows))
	return head + table + tail
}

func lines(text string) int { return strings.Count(text, "\n") }

// head returns what comes before the schedule.
func (d *Diagnosis) head(l Layout) string {
	var b strings.Builder
	b.WriteString(d.Headline + "\n")
	if d.Cause != "" {
		writeWrapped(&b, margin, d.Cause, l)
	}
	for _, f := range d.Faults {
		writeWrapped(&b, margin, "fault: "+f, l)
	}
	if d.Always != "" {
		writeWrapped(&b, margin, "It fails "+d.Always+": this is no matter of timing.", l)
	}
	room := mostParties
	writeParties(&b, d.Parties, d.Remarks, l, &room)
	for _, f := range d.Also {
		fmt.Fprintf(&b, "\nalso: %s\n", f.Headline)
		room -= 2
		writeParties(&b, f.Parties, f.Remarks, l, &room)
	}
	b.WriteByte('\n')
	if d.History != "" {
		b.WriteString(format.Indent(cutLines(d.History, mostHistory, l)) + "\n")
	}
	if d.Note != "" {
		fmt.Fprintf(&b, "%s\n\n", d.Note)
	}
	return b.String()
}

// cutLines leaves out what comes after the first n lines of a text.
func cutLines(text string, n int, l Layout) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if more := len(all) - n; more > 1 && !l.Full {
		all = append(all[:n:n], fmt.Sprintf("... %d lines left out (%s)", more, seeAll))
	}
	return strings.Join(all, "\n")
}

// tail returns what comes after the schedule. Long says that what comes before is.
func (d *Diagnosis) tail(l Layout, long bool) string {
	var b strings.Builder
	if log := strings.TrimSpace(d.Log); log != "" && !strings.HasSuffix(d.Message, ": "+log) {
		all := strings.Split(strings.TrimRight(d.Log, "\n"), "\n")
		cut, most := "", mostLog
		if long {
			most /= 2
		}
		if n := len(all) - most; n > 0 && !l.Full {
			all = all[n:]
			cut = fmt.Sprintf(" (its last %d lines; %s)", most, seeAll)
		}
		fmt.Fprintf(&b, "\nlog of this execution%s:\n%s", cut, format.Indent(strings.Join(all, "\n")))
	}
	fmt.Fprintf(&b, "\nto replay it:\n    %s\n", d.Command)
	return b.String()
}

// describe says what the table shows.
func (d *Diagnosis) describe(steps string) string {
	text := fmt.Sprintf("found in execution %s", format.Grouped(d.Execution))
	if d.Execution == 0 {
		text = "the schedule that was replayed"
	}
	text += ": " + format.Counted(int64(d.Preemptions), "preemption")
	switch {
	case d.Execution == 0, d.Preemptions == 0:
	case d.Fewest:
		text += " (fewer do not show it)"
	default:
		text += " (the fewest found)"
	}
	text += ", " + steps
	if d.Lag {
		text += ", by lag"
	}
	if d.Seed != 0 {
		text += fmt.Sprintf(", with the random numbers of seed %d", d.Seed)
	}
	return text + ":"
}

// margin is what the lines below a headline begin with.
const margin = "    "

// writeWrapped writes a text in as many lines as it takes, the first of which begins with
// an indentation.
func writeWrapped(b *strings.Builder, indent, text string, l Layout) {
	b.WriteString(format.Wrap(indent, indent+margin, text, l.Width) + "\n")
}

// sources reads lines of source files, keeping what it has read.
type sources map[string][]string

// line returns a line of a file, trimmed and cut, or "" if it cannot be read.
func (s sources) line(file string, n int) string {
	lines, ok := s[file]
	if !ok {
		if data, err := os.ReadFile(naming.OnDisk(file)); err == nil {
			lines = strings.Split(string(data), "\n")
		}
		s[file] = lines
	}
	if n < 1 || n > len(lines) {
		return ""
	}
	return shorten(strings.TrimSpace(lines[n-1]), sourceWidth)
}

// shorten cuts text to a width.
func shorten(text string, width int) string {
	if len(text) <= width {
		return text
	}
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	if width < len("...") {
		return ""
	}
	return string(runes[:width-len("...")]) + "..."
}
