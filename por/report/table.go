package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/sched/trace"
)

// The schedule is written in two stages: rows, which are data, and text. Rows are written as
// one column per goroutine if that fits, else as one line per row that begins with the
// goroutine's name.

// row is one line of the table.
type row struct {
	step   int    // number of the event, -1 for a remark
	mark   bool   // the event is a preemption
	name   string // of the goroutine
	cell   string // what it does
	where  string // file:line
	source string // the text of that line
	across string // if not empty, the row is this text
}

// longestValue is how many characters of a value are shown.
const longestValue = 24

// oneLine shows the ends of lines in a value, as Go writes them.
var oneLine = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`)

// roundRows is how many steps are shown of an execution that repeats them.
const roundRows = 16

// leastMatters is how many steps have to matter for the others to be left out.
const leastMatters = 4

// table returns the schedule as text of at most so many lines, or all of it.
func (d *Diagnosis) table(l Layout, budget int) string {
	if len(d.Steps) == 0 {
		return d.describe(format.Counted(int64(d.Length), "step")) + "\n"
	}
	shown, events := d.candidates(l.Full)
	text := ""
	for n := min(len(shown), budget); ; n-- {
		if l.Full {
			n = len(shown)
		}
		rs, titles := d.rows(shown, n)
		text = d.writeTable(rs, titles, l, events)
		if l.Full || n <= 1 || lines(text) <= budget {
			return text
		}
	}
}

// ranked is a step that may be shown.
type ranked struct {
	index, rank int
	round       round // what is left out before it
}

// candidates returns the steps that are worth showing, what matters most first, and how many
// of them are events. If that is all there is to show they are in order.
func (d *Diagnosis) candidates(full bool) (shown []ranked, events int) {
	objects := make(map[string]bool)
	for i := range d.Steps {
		if s := &d.Steps[i]; s.Fails && s.Object != "" {
			objects[s.Object] = true
		}
	}
	latest, endless := d.latestUses(objects), d.Kind == trace.FailSteps.String() || d.Kind == trace.FailLong.String() || d.repeats
	for i := range d.Steps {
		s := &d.Steps[i]
		rank := 3
		switch {
		case s.Private, s.After, s.Op == "end" && s.Goroutine != "main", !full && (!s.Matters || d.again(i)):
			continue
		case s.Fails:
			rank = 0
		case s.kind == trace.OpFault:
			rank = 1
		case s.Preempts && !endless:
			if n := len(shown); n > 0 {
				shown[n-1].rank = min(shown[n-1].rank, 1)
			}
			rank = 1
		case latest[i]:
			rank = 2
		}
		shown = append(shown, ranked{index: i, rank: rank})
	}
	if full {
		return shown, d.events(shown)
	}
	if own := d.outsideLibrary(shown); len(own) > 0 {
		shown = own
	}
	events = d.events(shown)
	if !endless {
		shown = d.foldRounds(shown)
	}
	if len(shown) < leastMatters {
		shown = d.context(shown)
	}
	slices.SortStableFunc(shown, func(a, b ranked) int { return cmp.Or(a.rank-b.rank, b.index-a.index) })
	if endless {
		shown = shown[:min(len(shown), roundRows)] // the same again and again
	}
	return shown, events
}

// again reports whether the step after step i is the same access of memory: a comparison of texts
// looks at a variable several times.
func (d *Diagnosis) again(i int) bool {
	if i+1 == len(d.Steps) {
		return false
	}
	s, next := &d.Steps[i], &d.Steps[i+1]
	return s.Number < 0 && isAccess(s.kind) && !s.Fails && s.Goroutine == next.Goroutine && s.kind == next.kind && s.After == next.After &&
		s.Does() == next.Does() && slices.EqualFunc(s.Stack, next.Stack, Frame.sameLine)
}

// sameLine reports whether two calls are on the same line.
func (f Frame) sameLine(o Frame) bool { return f.File == o.File && f.Line == o.Line }

// outsideLibrary returns the steps without those that only the standard library has to do with.
// What it locks, and the channels by which its goroutines talk, say little of the program.
func (d *Diagnosis) outsideLibrary(shown []ranked) (own []ranked) {
	for _, r := range shown {
		if r.rank < 3 || !d.Steps[r.index].Library {
			own = append(own, r)
		}
	}
	if decides := d.meetings(shown, own); len(decides) > 0 {
		own = own[:0]
		for _, r := range shown {
			if r.rank < 3 || !d.Steps[r.index].Library || decides[r.index] {
				own = append(own, r)
			}
		}
	}
	return own
}

// events returns how many of the steps are events.
func (d *Diagnosis) events(shown []ranked) (n int) {
	for _, r := range shown {
		if d.Steps[r.index].Number >= 0 {
			n++
		}
	}
	return n
}

// latestUses returns, of every goroutine, the latest steps that use some objects.
func (d *Diagnosis) latestUses(objects map[string]bool) map[int]bool {
	found := make(map[int]bool)
	seen := make(map[[2]string]bool)
	for i, s := range slices.Backward(d.Steps) {
		key := [2]string{s.Goroutine, s.Object}
		if s.Matters && !s.After && objects[s.Object] && !seen[key] {
			seen[key], found[i] = true, true
		}
	}
	return found
}

// context adds to a few steps that matter what else has happened last.
func (d *Diagnosis) context(shown []ranked) []ranked {
	const most = 2 * leastMatters
	for i := len(d.Steps) - 1; i >= 0 && len(shown) < most; i-- {
		s := &d.Steps[i]
		if s.Private || s.After || s.Matters || d.again(i) || s.Library || s.Op == "end" || isPseudo(s.Goroutine) {
			continue
		}
		shown = append(shown, ranked{index: i, rank: 4})
	}
	return shown
}

// rows turns the first n of the steps that are worth showing into rows. Titles are the calls
// above the columns.
func (d *Diagnosis) rows(shown []ranked, n int) (out []row, titles map[string]string) {
	take := slices.Clone(shown[:n])
	slices.SortFunc(take, func(a, b ranked) int { return a.index - b.index })
	rest := make([]int, 0, len(shown)-n)
	for _, r := range shown[n:] {
		rest = append(rest, r.index)
	}
	slices.Sort(rest)
	gap := func(before int, omitted int) {
		for len(rest) > 0 && rest[0] < before {
			rest = rest[1:]
			omitted++
		}
		if omitted > 0 {
			out = append(out, row{step: -1, across: fmt.Sprintf("... %s left out ...", format.Counted(int64(omitted), "row"))})
		}
	}
	headings, titles := d.headings(take)
	previous := 0
	for k, r := range take {
		s := &d.Steps[r.index]
		omitted := 0
		for ; previous <= r.index; previous++ {
			omitted += d.Steps[previous].Omitted
		}
		gap(r.index, omitted)
		if r.round.times > 0 {
			out = append(out, row{step: -1, across: r.round.String()})
		}
		for depth, text := range headings[k].before {
			if text != "" {
				out = append(out, row{step: -1, name: s.Goroutine, cell: strings.Repeat("  ", headings[k].from+depth) + text})
			}
		}
		h := &headings[k]
		out = append(out, row{step: s.Number, mark: s.Preempts, name: s.Goroutine, cell: strings.Repeat("  ", h.depth) + s.Does(), where: h.at.Where(), source: h.at.Source})
	}
	gap(len(d.Steps), 0)
	return append(out, d.ending()...), titles
}

// ending returns the rows below the last step.
func (d *Diagnosis) ending() (out []row) {
	after := 0
	for i := range d.Steps {
		if s := &d.Steps[i]; s.After {
			after += s.Omitted
			if s.Number >= 0 {
				after++
			}
		}
	}
	if d.shows() {
		out = append(out, row{step: -1, across: failureArrow + d.Message})
	}
	if after > 0 {
		out = append(out, row{step: -1, across: "(and " + format.Counted(int64(after), "step") + " after that)"})
	}
	return out
}

// shows reports whether the failure shows in an event.
func (d *Diagnosis) shows() bool {
	switch d.Kind {
	case trace.FailDeadlock.String(), trace.FailLeak.String(), trace.FailSteps.String(), trace.FailLong.String(), trace.FailStarved.String():
		return false
	}
	return true
}

// Does returns what the step does, in words: "lock alice.mu, waits for g1".
func (s *Step) Does() string {
	text := s.Op
	if s.Case != "" {
		text += " " + s.Case
	}
	isCall := s.Op == trace.OpCall.String() || s.Op == trace.OpReturn.String()
	if s.Object != "" && !isCall {
		text += " " + s.Object
	}
	switch {
	case s.Value == "":
	case isCall, s.Number < 0 && s.Object == "":
		text += " " + s.Value
	case s.Object == "" && (s.Op == "send" || s.Op == "recv"):
		text += " of a " + s.Value
	case isFile(s.Object):
		text += valued(s.Object, s.Value)
	default:
		text += valued(s.Object, shorten(oneLine.Replace(s.Value), longestValue))
	}
	if s.Ready > 1 {
		text += fmt.Sprintf(" (of %d ready)", s.Ready)
	}
	if s.Waits {
		text += ", waits"
		if s.For != "" {
			text += " for " + s.For
		}
	}
	return text
}

// valued returns what follows the name of an object: its value, or, of a file, with what it is
// opened and what has come of that.
func valued(object, value string) string {
	switch {
	case value == "":
		return ""
	case !isFile(object):
		return " = " + value
	case strings.HasPrefix(value, "("):
		return " " + value
	}
	return ": " + value
}

// isFile reports whether an object is a file.
func isFile(object string) bool { return strings.HasPrefix(object, `"`) }

// writeTable writes the rows below a line that says what they are. If the columns leave
// little room the text of the source gives way first.
func (d *Diagnosis) writeTable(rs []row, calls map[string]string, l Layout, events int) string {
	whereWidth := 0
	for _, r := range rs {
		whereWidth = max(whereWidth, utf8.RuneCountInString(r.where))
	}
	var names, titles []string
	var widths []int
	room := 0 // for source, beside the columns
	for _, started := range []bool{true, false} {
		names, widths, titles = d.columns(rs, calls, started)
		room = l.Width - stepWidth - columnGap - whereWidth - columnGap
		for _, w := range widths {
			room -= w + columnGap
		}
		if room >= 2*sourceLeast {
			break
		}
	}
	var b strings.Builder
	hidden := d.Length
	for _, r := range rs {
		if r.step >= 0 {
			hidden--
		}
	}
	steps := format.Counted(int64(d.Length), "step")
	if hidden > 0 && !l.Full && events > 0 && events < d.Length {
		steps = fmt.Sprintf("%s of %s matter", format.Grouped(int64(events)), steps)
	}
	writeWrapped(&b, "", d.describe(steps), l)
	b.WriteByte('\n')
	if len(names) > maxColumns || room < 0 {
		names, widths = fold(rs)
		room = l.Width - stepWidth - 4*columnGap - whereWidth - widths[0] - widths[1]
	} else if len(names) > 0 {
		line := format.Pad("  step", stepWidth+columnGap)
		for i := range names {
			line += format.Pad(titles[i], widths[i]+columnGap)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if room < sourceLeast {
		room = 0
	}
	marked := false
	for _, r := range rs {
		marked = marked || r.mark
		r.source = shorten(r.source, room)
		r.across = shorten(r.across, l.Width-stepWidth-columnGap)
		writeRow(&b, r, names, widths, whereWidth)
	}
	if marked {
		b.WriteString("  * a preemption: the goroutine before could have gone on\n")
	}
	if hidden > 0 && !l.Full {
		fmt.Fprintf(&b, "  %s not shown: %s\n", format.Counted(int64(hidden), "step"), seeAll)
	}
	return b.String()
}

func writeRow(b *strings.Builder, r row, names []string, widths []int, whereWidth int) {
	if r.across != "" {
		fmt.Fprintf(b, "%s%s\n", format.Pad("", stepWidth+columnGap), r.across)
		return
	}
	line := format.Pad("", stepWidth)
	if r.step >= 0 {
		line = fmt.Sprintf("%*d", stepWidth, r.step)
	}
	if r.mark {
		line += "*"
	}
	line = format.Pad(line, stepWidth+columnGap)
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
		line += format.Pad(text, widths[i]+columnGap)
	}
	line += format.Pad(r.where, whereWidth+columnGap) + r.source
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// columns returns the goroutines of rows in the order in which they have been started, how
// wide their columns have to be, and what is above them, with where they have been started
// or without.
func (d *Diagnosis) columns(rs []row, calls map[string]string, started bool) (names []string, widths []int, titles []string) {
	for i := range d.Goroutines {
		g := &d.Goroutines[i]
		if !slices.ContainsFunc(rs, func(r row) bool { return r.name == g.Name && r.across == "" }) {
			continue
		}
		title := g.Name
		if call := cmp.Or(calls[g.Name], g.Call); call != "" {
			title += " " + call
		} else if started && g.Started.File != "" {
			title += " (" + g.Started.Where() + ")"
		}
		names, titles = append(names, g.Name), append(titles, title)
		widths = append(widths, utf8.RuneCountInString(title))
	}
	for _, r := range rs {
		if i := slices.Index(names, r.name); i >= 0 && r.across == "" {
			widths[i] = max(widths[i], utf8.RuneCountInString(r.cell))
		}
	}
	return names, widths, titles
}

// The columns of a folded table.
const (
	foldedName = "\x00name"
	foldedCell = "\x00cell"
)

// fold returns the columns of a table with one line per row, for all goroutines.
func fold(rs []row) (names []string, widths []int) {
	widths = make([]int, 2)
	for _, r := range rs {
		if r.across == "" {
			widths[0] = max(widths[0], utf8.RuneCountInString(r.name))
			widths[1] = max(widths[1], utf8.RuneCountInString(r.cell))
		}
	}
	return []string{foldedName, foldedCell}, widths
}
