package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/gopor/gopor/docs"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/spell"
)

const explainUsage = `usage: por explain WORDS

Prints what the pages say of something that por has printed, such as

  por explain by lag
  por explain lost wakeup
  por explain with assumptions
  por explain -check.model

Without words it lists the terms of the glossary.
`

// passage is a part of a page: what is below a heading, or a row of a table.
type passage struct {
	page, heading string // heading is the nearest one
	title         string // the heading, or the first cell of the row
	text          string
	isRow         bool
}

// explain is the command of that name.
func explain(args []string, e command.Env) int {
	if len(args) == 1 && command.IsHelp(args[0]) {
		fmt.Fprint(e.Out, explainUsage)
		return command.OK
	}
	all := passages()
	words := strings.ToLower(strings.Join(strings.Fields(strings.Join(args, " ")), " "))
	if words == "" {
		fmt.Fprintf(e.Out, "%s\nterms:\n", explainUsage)
		for _, t := range terms(all) {
			fmt.Fprintf(e.Out, "  %s\n", t)
		}
		return command.OK
	}
	found := lookUp(all, words)
	if len(found) == 0 {
		return e.Misused("explain: no page has %q%s por explain lists the terms", words, cmp.Or(spell.Mean("", words, terms(all)), ";"))
	}
	for i, p := range found {
		if i > 0 {
			fmt.Fprintln(e.Out)
		}
		fmt.Fprint(e.Out, p.String())
	}
	return command.OK
}

// terms returns the terms of the glossary.
func terms(all []passage) (terms []string) {
	for _, p := range all {
		if p.page == "glossary.md" && p.isRow {
			terms = append(terms, p.title)
		}
	}
	slices.Sort(terms)
	return terms
}

// mostPassages is how many passages are printed, and mostLines how many lines of each.
const (
	mostPassages = 3
	mostLines    = 14
)

// lookUp returns the passages that say most of the words, the best first: those that are called so,
// those with a title that has the words, and those that speak of them most often.
func lookUp(all []passage, words string) []passage {
	type ranked struct {
		passage
		rank int
	}
	var found []ranked
	for _, p := range all {
		title, text := plain(p.title), strings.Join(strings.Fields(plain(p.text)), " ")
		rank := 0
		switch {
		case title == words:
			rank = 1000
		case hasWord(title, words):
			rank = 300
		case hasAll(title, words):
			rank = 200
		case hasWord(text, words):
			rank = 20 * min(strings.Count(text, words), 4)
		case hasAll(text, words):
			rank = 10
		}
		if rank == 0 {
			continue
		}
		if p.page == "glossary.md" || p.page == "verdict.md" {
			rank += 5
		}
		found = append(found, ranked{p, rank})
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return b.rank - a.rank })
	var best []passage
	for _, p := range found[:min(len(found), mostPassages)] {
		if p.rank*5 >= found[0].rank || p.rank >= 200 {
			best = append(best, p.passage)
		}
	}
	return best
}

// plain returns a title as a reader would type it.
func plain(title string) string {
	return strings.ToLower(strings.NewReplacer("`", "", "*", "").Replace(title))
}

// hasWord reports whether words are in a text, and not within longer words.
func hasWord(text, words string) bool {
	for rest := text; ; {
		i := strings.Index(rest, words)
		if i < 0 {
			return false
		}
		end := i + len(words)
		if (i == 0 || !isLetter(rest[i-1])) && (end == len(rest) || !isLetter(rest[end])) {
			return true
		}
		rest = rest[end:]
	}
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c >= 0x80 }

// hasAll reports whether a text has each of the words, with whatever ending.
func hasAll(text, words string) bool {
	for w := range strings.FieldsSeq(words) {
		for _, ending := range []string{"ing", "ed", "s", "d"} {
			if stem, has := strings.CutSuffix(w, ending); has && len(stem) > 3 {
				w = stem
				break
			}
		}
		if i := strings.Index(" "+text, " "+w); i < 0 {
			return false
		}
	}
	return true
}

// String returns a passage as lines, and where it is.
func (p *passage) String() string {
	var b strings.Builder
	if p.isRow {
		fmt.Fprintf(&b, "%s: %s\n", strings.ReplaceAll(p.title, "`", ""), p.text)
	} else {
		fmt.Fprintf(&b, "%s\n\n", p.title)
		lines := strings.Split(p.text, "\n")
		for _, l := range lines[:min(len(lines), mostLines)] {
			b.WriteString(strings.TrimRight("  "+l, " ") + "\n")
		}
		if len(lines) > mostLines {
			b.WriteString("  ...\n")
		}
	}
	anchor := ""
	if p.heading != "" {
		anchor = "#" + anchorOf(p.heading)
	}
	fmt.Fprintf(&b, "  https://github.com/gopor/gopor/blob/main/docs/%s%s\n", p.page, anchor)
	return b.String()
}

var noAnchor = regexp.MustCompile(`[^\p{L}\p{N}\- ]`)

// anchorOf returns the name of a heading in links.
func anchorOf(heading string) string {
	return strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// gap is where a table was, or several lines are empty.
var gap = regexp.MustCompile(`\n\n\n+`)

var link = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)

// passages returns the passages of all pages that users read.
func passages() (all []passage) {
	fs.WalkDir(docs.Pages, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "CHANGELOG.md" || name == "compare.md" {
			return err
		}
		text, err := docs.Pages.ReadFile(name)
		all = append(all, passagesOf(name, string(text))...)
		return err
	})
	return all
}

// passagesOf returns the passages of a page.
func passagesOf(page, text string) (all []passage) {
	here := passage{page: page}
	var lines []string
	end := func() {
		here.text = link.ReplaceAllString(strings.Trim(gap.ReplaceAllString(strings.Join(lines, "\n"), "\n\n"), "\n"), "$1")
		if here.title != "" && here.text != "" {
			all = append(all, here)
		}
		lines = nil
	}
	code, table := false, false
	for l := range strings.SplitSeq(text, "\n") {
		cells, isRow := cellsOf(l)
		switch {
		case strings.HasPrefix(l, "```"):
			code = !code
			continue
		case code:
			l = "    " + l
		case strings.HasPrefix(l, "#"):
			end()
			title := link.ReplaceAllString(strings.TrimLeft(l, "# "), "$1")
			here = passage{page: page, title: title, heading: title}
			continue
		case isRow && !table, isRow && strings.Trim(l, "|- ") == "":
			table = true
			continue // the heading of a table, and the line below it
		case isRow:
			if page == "glossary.md" {
				cells = cells[:2] // the rest is for developers
			}
			all = append(all, passage{page: page, heading: here.heading, title: cells[0], text: strings.Join(cells[1:], "; "), isRow: true})
			continue
		}
		table = false
		lines = append(lines, l)
	}
	end()
	return all
}

// cellsOf returns the cells of a row of a table that are not empty.
func cellsOf(line string) (cells []string, is bool) {
	if !strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "|-") {
		return nil, false
	}
	for c := range strings.SplitSeq(strings.Trim(line, "|"), " | ") {
		if c = link.ReplaceAllString(strings.TrimSpace(c), "$1"); c != "" {
			cells = append(cells, c)
		}
	}
	return cells, len(cells) > 0
}
