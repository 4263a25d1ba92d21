package documents

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

const (
	bulletWords = 40  // a bullet has no more words
	pageLines   = 200 // a page has no more lines, unless it is to be looked up
)

// uncounted are the pages to which the rules do not apply, or not yet.
var uncounted = map[string]string{
	"docs/CHANGELOG.md": "an entry for each change, until the first release",
	"DEVELOPMENT.md":    "for developers; its steps name many places each",
}

var (
	markdownLink = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	bullet       = regexp.MustCompile(`^( *)([-*]|\d+\.) `)
)

// passage is a paragraph, or a bullet, of a page.
type passage struct {
	line   int // from 1
	bullet bool
	text   string
}

// passages returns the prose of a page: no code, tables, headings and pictures. A link is its text.
func passages(text string) (all []passage) {
	var present []string
	var p passage
	end := func() {
		if len(present) > 0 {
			p.text = strings.TrimSpace(markdownLink.ReplaceAllString(strings.Join(present, " "), "$1"))
			all = append(all, p)
		}
		present, p = nil, passage{}
	}
	fenced := false
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch mark := bullet.FindString(line); {
		case strings.HasPrefix(trimmed, "```"):
			fenced = !fenced
			end()
		case fenced, len(present) == 0 && strings.HasPrefix(line, "    ") && mark == "":
		case trimmed == "", strings.HasPrefix(trimmed, "#"), strings.HasPrefix(trimmed, "|"), strings.HasPrefix(trimmed, "!["), strings.HasPrefix(trimmed, "<"):
			end()
		case mark != "":
			end()
			p = passage{line: i + 1, bullet: true}
			present = append(present, strings.TrimPrefix(line, mark))
		default:
			if p.line == 0 {
				p.line = i + 1
			}
			present = append(present, trimmed)
		}
	}
	end()
	return all
}

// faults says what is wrong with the prose of a page, by the rules that can be counted.
func faults(name, text string) (all []string) {
	fault := func(line int, what, text string) {
		all = append(all, fmt.Sprintf("%s:%d: %s: %s", name, line, what, text))
	}
	if n := strings.Count(text, "\n"); n > pageLines {
		fault(1, "long page", fmt.Sprintf("%d lines", n))
	}
	for _, p := range passages(text) {
		if n := words(p.text); p.bullet && n > bulletWords {
			fault(p.line, fmt.Sprintf("long bullet of %d words", n), p.text)
		}
		for _, s := range sentences(p.text) {
			if n := words(s); n > longWords {
				fault(p.line, fmt.Sprintf("long sentence of %d words", n), s)
			}
			if person.MatchString(quotation.ReplaceAllString(s, "")) {
				fault(p.line, "person", s)
			}
		}
	}
	return all
}

// TestPagesProse holds the pages to what can be counted of the rules for prose.
func TestPagesProse(t *testing.T) {
	for _, name := range pages(t) {
		if uncounted[name] != "" {
			continue
		}
		for _, f := range faults(name, read(t, name)) {
			t.Error(f)
		}
	}
	for name := range uncounted {
		if len(faults(name, read(t, name))) == 0 {
			t.Errorf("%s keeps the rules: delete its row of uncounted", name)
		}
	}
}

// TestFaults counts a page with one fault of each kind, and with what looks like one and is not.
func TestFaults(t *testing.T) {
	many := func(n int) string { return strings.Repeat("a ", n-1) + "a." }
	page := "# Heading who " + many(50) + `

` + many(longWords) + ` ` + many(longWords) + ` [This](x/who.md) is for "who" and ` + "`whom`" + `.

- ` + many(bulletWords/2) + `
  ` + many(bulletWords/2) + `
- ` + many(bulletWords/2) + `
  ` + many(bulletWords/2+1) + `
1. A goroutine for whom
   there is nothing.

| who | ` + many(50) + ` |
` + "```" + `
who
` + "```" + `

    code of whom

` + many(longWords+1) + `
`
	got := faults("p.md", page+strings.Repeat("\n", pageLines-strings.Count(page, "\n")+1))
	want := []string{"p.md:1: long page", "p.md:7: long bullet of 41 words", "p.md:9: person", "p.md:19: long sentence of 31 words"}
	if len(got) != len(want) {
		t.Fatalf("%q, want %q", got, want)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
}
