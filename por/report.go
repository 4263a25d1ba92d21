package por

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// A report is built in two stages: rows, which are data, and text. Rows are
// printed as one column per goroutine if that fits a terminal, else as one line
// per row that begins with the goroutine's name.

// The dimensions of a report, in characters and rows.
const (
	reportWidth  = 110
	sourceWidth  = 36 // the most and the least that is shown of a source line
	sourceLeast  = 16
	firstRows    = 30 // of a long execution, from its beginning
	lastRows     = 80 // and up to its end
	loopRows     = 15 // the same, where the execution has no end
	maxColumns   = 6
	stepWidth    = 6
	columnGap    = 2
	failureArrow = "==> "
)

// row is one line of the table.
type row struct {
	step   int    // number of the event, -1 for a remark
	mark   bool   // the event is a preemption
	name   string // of the goroutine
	cell   string // what it does
	where  string // file:line
	source string // the text of that line
	across string // if not empty, the row is this text
	gap    int    // if not 0, the row stands for so many that are left out
}

// text returns the report of a failing execution.
func (s *session) text(rep *FailureReport, t *trial, note string) string {
	var b strings.Builder
	writeFailure(&b, t.primary, rep.Entries)
	for _, f := range rep.All {
		if keyOf(f) != keyOf(t.primary) {
			b.WriteString("\nalso: ")
			writeFailure(&b, f, rep.Entries)
		}
	}
	b.WriteByte('\n')
	if note != "" {
		fmt.Fprintf(&b, "%s\n\n", note)
	}
	fmt.Fprintf(&b, "%s\n\n", describeSchedule(rep))
	if len(rep.Entries) > 0 {
		writeTable(&b, rows(rep, t))
	}
	if log := strings.TrimSpace(rep.Log); log != "" && log != t.primary.Msg {
		fmt.Fprintf(&b, "\nlog of this execution:\n%s", indent(rep.Log))
	}
	fmt.Fprintf(&b, "\nto replay it:\n    %s\n", s.where.replayCommand(rep))
	return b.String()
}

// describeSchedule says what the table shows.
func describeSchedule(rep *FailureReport) string {
	size := fmt.Sprintf("%s and %s", counted(int64(rep.Preemptions), "preemption"), counted(int64(rep.Steps), "step"))
	if rep.Time == sched.TimeLag {
		size += ", by lag,"
	}
	if rep.Execution == 0 {
		return "the schedule that was replayed, with " + size + ":"
	}
	fewest := ""
	switch {
	case rep.Preemptions == 0:
	case rep.Fewest:
		fewest = " (fewer preemptions do not show it)"
	default:
		fewest = " (the fewest found)"
	}
	return fmt.Sprintf("found in execution %s; a schedule with %s shows it%s:", group(rep.Execution), size, fewest)
}

// writeFailure writes the kind and message of a failure, and its stack.
func writeFailure(b *strings.Builder, f trace.Failure, entries []sched.Entry) {
	headline, text := told(f, entries)
	b.WriteString(headline + "\n")
	if f.Stack == "" {
		return
	}
	if f.Kind == trace.FailPanic || f.Kind == trace.FailFatal {
		for _, frame := range userFrames(stack.Frames(f.Stack)) {
			fmt.Fprintf(b, "    %s\n", frame)
		}
		return
	}
	b.WriteString(indent(text))
}

func indent(text string) string {
	text = strings.TrimRight(text, "\n")
	return "    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n"
}

// rows turns the entries of a report into the rows of its table.
func rows(rep *FailureReport, t *trial) []row {
	var out []row
	src := sources{}
	failedAt := math.MaxInt // the number of the event that shows the failure
	if f := t.primary; shows(f.Kind) && f.Step >= 0 {
		failedAt = f.Step
	}
	after := 0 // steps after the failure
	for i, e := range rep.Entries {
		if e.Step > failedAt {
			after = e.Step - failedAt
		}
		if after > 0 {
			continue
		}
		if e.Omitted > 0 {
			out = append(out, gapRow(e.Omitted))
		}
		if rep.private[i] || e.Op == "end" && e.Step < 0 && e.Name != "main" {
			continue
		}
		r := row{step: e.Step, name: e.Name, cell: cell(e)}
		_, r.mark = slices.BinarySearch(t.preempted, e.Step)
		if e.File != "" {
			r.where = fmt.Sprintf("%s:%d", filepath.Base(e.File), e.Line)
			r.source = src.line(e.File, e.Line)
		}
		out = append(out, r)
	}
	if shows(t.primary.Kind) {
		const width = reportWidth - stepWidth - columnGap - len(failureArrow)
		out = append(out, row{step: -1, across: failureArrow + shorten(t.primary.String(), width)})
	}
	if after > 0 {
		out = append(out, row{step: -1, across: "(and " + counted(int64(after), "step") + " after that)"})
	}
	if k := t.primary.Kind; k == trace.FailSteps || k == trace.FailLong {
		return cut(out, loopRows, loopRows)
	}
	return cut(out, firstRows, lastRows)
}

// cut leaves out all rows but the first and the last.
func cut(rs []row, first, last int) []row {
	n := len(rs)
	if n <= first+last {
		return rs
	}
	left := 0
	for _, r := range rs[first : n-last] {
		left += max(r.gap, 1)
	}
	return slices.Concat(rs[:first:first], []row{gapRow(left)}, rs[n-last:])
}

// gapRow returns the row that stands for n others.
func gapRow(n int) row {
	return row{step: -1, gap: n, across: fmt.Sprintf("... %s left out ...", counted(int64(n), "row"))}
}

// cell says what an entry does.
func cell(e sched.Entry) string {
	text := e.Op
	if name := object(&e); name != "" {
		text += " " + name
	}
	switch {
	case e.Value == "":
	case e.Step < 0 && e.Obj == "":
		text += " " + e.Value
	default:
		text += " = " + e.Value
	}
	if e.Waits {
		text += ", waits"
	}
	return text
}

// writeTable writes the rows. If the columns leave little room the text of the
// source gives way first.
func writeTable(b *strings.Builder, rs []row) {
	names, widths := columns(rs)
	whereWidth, sourceMax := 0, 0
	for _, r := range rs {
		whereWidth = max(whereWidth, utf8.RuneCountInString(r.where))
		sourceMax = max(sourceMax, utf8.RuneCountInString(r.source))
	}
	room := reportWidth - stepWidth - columnGap - whereWidth - columnGap // for columns and source
	for _, w := range widths {
		room -= w + columnGap
	}
	if len(names) > maxColumns || room < 0 {
		names, widths = fold(rs)
		room = sourceWidth
	} else {
		line := pad("  step", stepWidth+columnGap)
		for i, name := range names {
			line += pad(name, widths[i]+columnGap)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if room < min(sourceMax, sourceLeast) {
		room = 0
	}
	marked := false
	for _, r := range rs {
		marked = marked || r.mark
		r.source = shorten(r.source, room)
		writeRow(b, r, names, widths, whereWidth)
	}
	if marked {
		b.WriteString("  * a preemption: the goroutine before could have gone on\n")
	}
}

func writeRow(b *strings.Builder, r row, names []string, widths []int, whereWidth int) {
	if r.across != "" {
		fmt.Fprintf(b, "%s%s\n", pad("", stepWidth+columnGap), r.across)
		return
	}
	line := pad("", stepWidth)
	if r.step >= 0 {
		line = fmt.Sprintf("%*d", stepWidth, r.step)
	}
	if r.mark {
		line += "*"
	}
	line = pad(line, stepWidth+columnGap)
	for i, name := range names {
		text := ""
		switch name {
		case r.name:
			text = r.cell
		case foldedName:
			text = r.name
		case foldedCell:
			text = r.cell
		}
		line += pad(text, widths[i]+columnGap)
	}
	line += pad(r.where, whereWidth+columnGap) + r.source
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// columns returns the goroutines in the order in which they appear, main first,
// and how wide their columns have to be.
func columns(rs []row) (names []string, widths []int) {
	for _, r := range rs {
		if r.across != "" {
			continue
		}
		i := slices.Index(names, r.name)
		if i < 0 {
			i = len(names)
			names, widths = append(names, r.name), append(widths, utf8.RuneCountInString(r.name))
		}
		widths[i] = max(widths[i], utf8.RuneCountInString(r.cell))
	}
	return names, widths
}

// The columns of a folded table.
const (
	foldedName = "\x00name"
	foldedCell = "\x00cell"
)

// fold returns the columns of a table with one line per row, whoever acts.
func fold(rs []row) (names []string, widths []int) {
	widths = make([]int, 2)
	for _, r := range rs {
		widths[0] = max(widths[0], utf8.RuneCountInString(r.name))
		widths[1] = max(widths[1], utf8.RuneCountInString(r.cell))
	}
	return []string{foldedName, foldedCell}, widths
}

// pad fills s with blanks up to the width.
func pad(s string, width int) string {
	if n := width - utf8.RuneCountInString(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

// sources reads lines of source files, keeping what it has read.
type sources map[string][]string

// line returns a line of a file, trimmed and cut, or "" if it cannot be read.
func (s sources) line(file string, n int) string {
	lines, ok := s[file]
	if !ok {
		if data, err := os.ReadFile(file); err == nil {
			lines = strings.Split(string(data), "\n")
		}
		s[file] = lines
	}
	if n < 1 || n > len(lines) {
		return ""
	}
	text := strings.TrimSpace(lines[n-1])
	return shorten(text, sourceWidth)
}

// shorten cuts text to a width.
func shorten(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	if width < len("...") {
		return ""
	}
	return string(runes[:width-len("...")]) + "..."
}

// transcript runs a schedule of a program that does not record, and returns its
// events as entries.
func transcript(p trace.Program, schedule trace.Schedule) []sched.Entry {
	n := namingOf(p)
	r := p.Start()
	defer r.Close()
	var out []sched.Entry
	for i, c := range schedule {
		ev, err := r.Step(c)
		if err != nil {
			break
		}
		e := sched.Entry{Step: i, G: c.G, Name: n.Name(c.G), Op: ev.Kind.String()}
		if ev.Obj >= 0 {
			e.Obj = fmt.Sprintf("object %d", ev.Obj)
		}
		if c.Alt > 0 {
			e.Value = fmt.Sprintf("alternative %d", c.Alt)
		}
		out = append(out, e)
	}
	return out
}
