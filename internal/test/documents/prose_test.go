package documents

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	columns   = 100 // a line with a comment is not longer
	tabWidth  = 4
	longWords = 30  // a sentence has no more words
	persons   = 0.5 // a finished room has persons in less than this percentage of sentences
)

// prose is what is counted in the comments of a room.
type prose struct {
	sentences int
	persons   int // sentences in which a pronoun for persons stands for a thing
	long      int // sentences of more than longWords words
	wide      int // lines with a comment that are longer than columns
	torn      int // comments that continue another one, by "..." at the beginning
	where     []string
	messages  []string // the string literals in which a pronoun for persons stands for a thing
}

// share returns n as a percentage of the sentences.
func (p *prose) share(n int) float64 {
	return 100 * float64(n) / float64(max(1, p.sentences))
}

func (p *prose) String() string {
	return fmt.Sprintf("%5d sentences, %5.2f %% persons, %5.2f %% long, %3d wide lines, %d torn",
		p.sentences, p.share(p.persons), p.share(p.long), p.wide, p.torn)
}

// limit is what a room that is not finished may have: the percentage of sentences with persons,
// and the number of wide lines. Both only go down.
type limit struct {
	persons float64
	wide    int
}

// unfinished has the packages of which the comments do not keep the rules yet. A package that keeps
// them has no row, and a new package gets none. A package that is split takes its row along. A
// limit is above what there is by as much as work on the code adds: lower it after a rewrite.
var unfinished = map[string]limit{
	"por": {0.5, 14},
}

// person matches the pronouns for persons. Goroutines, executions and processes are none.
var person = regexp.MustCompile(`(?i)\b(who|whoever|whom|whose|nobody|somebody|anybody|someone|anyone)\b`)

// inMessage is person for what programs print. A relative clause may begin with whose there.
var inMessage = regexp.MustCompile(`(?i)\b(who|whoever|whom|nobody|somebody|anybody|everybody|someone|anyone|everyone)\b`)

// quotation matches words that a comment only mentions.
var quotation = regexp.MustCompile("\"[^\"]*\"|`[^`]*`")

// fullStop matches the end of a sentence within a paragraph.
var fullStop = regexp.MustCompile(`[.?!][)"'’”]*\s+`)

// abbreviated reports whether a text ends in an abbreviation rather than a sentence.
func abbreviated(text string) bool {
	i := strings.LastIndexAny(text, " \n(")
	return slices.Contains([]string{"e.g.", "i.e.", "al.", "cf.", "vs.", "etc.", "resp.", "p.", "pp.", "Fig.", "Def.", "Sec."}, text[i+1:])
}

// sentences splits a paragraph.
func sentences(text string) (all []string) {
	begin := 0
	for _, at := range fullStop.FindAllStringIndex(text, -1) {
		if s := strings.TrimSpace(text[begin:at[1]]); !abbreviated(s) {
			all, begin = append(all, s), at[1]
		}
	}
	if rest := strings.TrimSpace(text[begin:]); rest != "" {
		all = append(all, rest)
	}
	return all
}

// paragraphs returns the prose of a comment: no directives, no code.
func paragraphs(group *ast.CommentGroup) (all []string) {
	var present []string
	end := func() {
		if len(present) > 0 {
			all = append(all, strings.Join(present, " "))
		}
		present = nil
	}
	for _, c := range group.List {
		text := strings.TrimSuffix(strings.TrimPrefix(c.Text, "/*"), "*/")
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			line, isLine := strings.CutPrefix(line, "//")
			switch directive := isLine && line != "" && line[0] != ' ' && line[0] != '\t'; {
			case directive:
			case strings.TrimSpace(line) == "", strings.HasPrefix(line, "\t"), strings.HasPrefix(line, "    "):
				end()
			case strings.HasPrefix(strings.TrimSpace(line), "- "):
				end()
				present = append(present, strings.TrimSpace(line)[2:])
			default:
				present = append(present, strings.TrimSpace(line))
			}
		}
	}
	end()
	return all
}

// words counts the words of a sentence.
func words(sentence string) (n int) {
	for _, w := range strings.Fields(sentence) {
		if strings.ContainsFunc(w, func(r rune) bool { return r >= '0' && r <= '9' || r >= 'A' && r <= 'z' || r > 127 }) {
			n++
		}
	}
	return n
}

// width returns how many columns a line takes.
func width(line string) int {
	return utf8.RuneCountInString(line) + (tabWidth-1)*strings.Count(line, "\t")
}

// read counts what the comments and the string literals of a file have. The name is for messages.
func (p *prose) read(name, source string) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return err
	}
	note := func(at int, what, text string) {
		p.where = append(p.where, fmt.Sprintf("%s:%d: %s: %s", name, at, what, text))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && inMessage.MatchString(l.Value) {
			p.messages = append(p.messages, fmt.Sprintf("%s:%d: %s", name, set.Position(l.Pos()).Line, l.Value))
		}
		return true
	})
	lines := strings.Split(source, "\n")
	for _, group := range file.Comments {
		first, last := set.Position(group.Pos()).Line, set.Position(group.End()).Line
		for i := first; i <= last; i++ {
			if line := lines[i-1]; width(line) > columns && !strings.HasPrefix(line, "//go:") {
				p.wide++
				note(i, "wide", strings.TrimSpace(line))
			}
		}
		for _, text := range paragraphs(group) {
			if strings.HasPrefix(text, "...") || strings.HasPrefix(text, "…") {
				p.torn++
				note(first, "torn", text)
			}
			for _, s := range sentences(text) {
				if words(s) == 0 {
					continue
				}
				p.sentences++
				if person.MatchString(quotation.ReplaceAllString(s, "")) {
					p.persons++
					note(first, "person", s)
				}
				if words(s) > longWords {
					p.long++
					note(first, "long", s)
				}
			}
		}
	}
	return nil
}

// forTests reports whether a package is there for tests or for examples of them.
func forTests(pkg string) bool {
	return strings.HasPrefix(pkg, "internal/test/") || strings.HasPrefix(pkg, "docs/") ||
		strings.HasSuffix(pkg, "/stdtest") || pkg == "examples/internal/witness"
}

// counts reads the comments of the module's production code, package by package.
func counts(t *testing.T) map[string]*prose {
	t.Helper()
	all := make(map[string]*prose)
	err := filepath.WalkDir(home, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(home, name)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil:
			return err
		case d.IsDir() && rel != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") || forTests(path.Dir(rel)):
			return nil
		}
		pkg := path.Dir(rel)
		if all[pkg] == nil {
			all[pkg] = new(prose)
		}
		return all[pkg].read(rel, read(t, rel))
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestProse holds the comments to what can be counted of the rules for prose. A finished room has
// no person in 0.5 % of its sentences, no line over 100 columns, and no comment that continues
// another one. With -v it prints all rooms, the worst ones first.
func TestProse(t *testing.T) {
	all := counts(t)
	order := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		p, q := all[a], all[b]
		return cmp.Or(cmp.Compare(q.share(q.persons), p.share(p.persons)), cmp.Compare(q.wide, p.wide), cmp.Compare(a, b))
	})
	for _, pkg := range order {
		p := all[pkg]
		t.Logf("%-32s %v", pkg, p)
		may, ok := unfinished[pkg]
		fine := p.share(p.persons) < persons && p.wide == 0 && p.torn == 0
		switch {
		case ok && fine:
			t.Errorf("%s keeps the rules: delete its row of unfinished", pkg)
		case ok && (p.share(p.persons) > may.persons || p.wide > may.wide):
			t.Errorf("%s: %v; the limits are %.1f %% and %d lines:\n%s", pkg, p, may.persons, may.wide, strings.Join(p.where, "\n"))
		case !ok && !fine:
			t.Errorf("%s: %v; a finished room has less than %.1f %% persons, no wide lines, and nothing torn:\n%s",
				pkg, p, persons, strings.Join(p.where, "\n"))
		}
	}
	for pkg := range unfinished {
		if all[pkg] == nil {
			t.Errorf("unfinished has a row for %s, which has no comments", pkg)
		}
	}
}

// TestMessages looks for pronouns for persons in what programs print.
func TestMessages(t *testing.T) {
	for _, p := range counts(t) {
		for _, text := range p.messages {
			t.Errorf("%s: name the goroutine, the execution or the code instead", text)
		}
	}
}

// TestProseCounts counts a text with one fault of each kind.
func TestProseCounts(t *testing.T) {
	const person = "no" + "body"
	source := `package p

// F waits for whoever holds it. A word that is "whom" is only mentioned, e.g. here. It returns nil.
//
//	who(code)
//
//go:noinline
func F() {}

type t struct {
	a int // the first
	b int // ... and what follows it
	c int // ` + strings.Repeat("x", columns-12) + `
	d int // ` + strings.Repeat("x", columns-13) + `
}

// G says ` + strings.Repeat("a ", longWords/2) + `
// and ` + strings.Repeat("a ", longWords/2) + `
func G() {}

const message = "held by ` + person + `"
`
	var p prose
	if err := p.read("p.go", source); err != nil {
		t.Fatal(err)
	}
	p.where = nil
	if want := (prose{sentences: 8, persons: 1, long: 1, wide: 1, torn: 1, messages: []string{`p.go:21: "held by ` + person + `"`}}); fmt.Sprint(p) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", p, want)
	}
	var none prose
	if err := none.read("p.go", "// Code generated by a test. DO NOT EDIT.\n\npackage p\n\n// who\nvar x int\n"); err != nil || none.sentences != 0 {
		t.Errorf("of generated code %d sentences are counted: %v", none.sentences, err)
	}
}
