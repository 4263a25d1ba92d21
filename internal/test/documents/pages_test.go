package documents

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/checkflags"
	"github.com/gopor/gopor/internal/environ"
	_ "github.com/gopor/gopor/por" // has flags
	"github.com/gopor/gopor/por/engine"
)

// pages returns the names of the documents for people, from the module's folder.
func pages(t *testing.T) (all []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(home, "docs"), func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "example" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case strings.HasSuffix(file, ".md"):
			name, err := filepath.Rel(home, file)
			all = append(all, filepath.ToSlash(name))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return append(all, "README.md", "DEVELOPMENT.md")
}

var (
	fence   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns what links can name in a document after a #, as GitHub makes it of headings.
func anchors(text string) (all []string) {
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		all = append(all, strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return all
}

// TestLinks follows the links of the documents, and looks whether README and DEVELOPMENT lead to all of them. A page in a
// folder of docs may be led to by another page.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]*)\)`)
	reached := map[string]bool{"README.md": true, "DEVELOPMENT.md": true}
	for _, name := range pages(t) {
		text := code.ReplaceAllString(fence.ReplaceAllString(read(t, name), ""), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.HasPrefix(target, "http") {
				continue
			}
			to := name
			if target != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(name), target))
			}
			if name == "README.md" || strings.Count(to, "/") > 1 {
				reached[to] = true
			}
			if _, err := os.Stat(filepath.Join(home, to)); err != nil {
				t.Errorf("%s: the link %s leads nowhere: %v", name, m[1], err)
			} else if anchor != "" && !slices.Contains(anchors(read(t, to)), anchor) {
				t.Errorf("%s: %s has no heading #%s", name, to, anchor)
			}
		}
	}
	for _, name := range pages(t) {
		if !reached[name] {
			t.Errorf("no link leads to %s, or not from README.md", name)
		}
	}
}

// TestSettings compares the page on settings with the variables and flags that there are.
func TestSettings(t *testing.T) {
	text := read(t, "docs/settings.md")
	var variables, flags []string
	for _, v := range environ.Variables {
		variables = append(variables, v.Name)
		if !strings.Contains(text, "| `"+v.Name+"` | ") {
			t.Errorf("no row of a table is of %s", v.Name)
		}
	}
	for line := range strings.Lines(checkflags.Usage()) {
		if strings.HasPrefix(line, "  -") { // the other lines are the text of a flag
			flags = append(flags, strings.Fields(line)[0])
		}
	}
	flag.VisitAll(func(f *flag.Flag) {
		if strings.HasPrefix(f.Name, "por.") {
			flags = append(flags, "-"+f.Name)
		}
	})
	if len(flags) < 10 || !slices.Contains(flags, "-por.full") {
		t.Errorf("there are the flags %q", flags)
	}
	for _, f := range flags {
		if !regexp.MustCompile("(?m)^\\| `" + regexp.QuoteMeta(f) + "[ =`]").MatchString(text) {
			t.Errorf("no row of a table is of %s", f)
		}
	}
	// And in all pages nothing is named that there is not.
	for _, name := range pages(t) {
		text := read(t, name)
		for _, v := range regexp.MustCompile(`\bPOR_[A-Z_]+`).FindAllString(text, -1) {
			if !slices.Contains(variables, v) && v != environ.CheckPrefix && v != "POR_" {
				t.Errorf("%s names the variable %s", name, v)
			}
		}
		for _, f := range regexp.MustCompile(`-(check|por)\.[a-z]+\b`).FindAllString(text, -1) {
			if !slices.Contains(flags, f) && f != "-por.com" {
				t.Errorf("%s names the flag %s", name, f)
			}
		}
	}
}

// TestOptions looks for every option of package por on the page that lists them.
func TestOptions(t *testing.T) {
	text, n := read(t, "docs/writing.md"), 0
	names, err := filepath.Glob(filepath.Join(home, "por", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, o := range regexp.MustCompile(`(?m)^func ([A-Z]\w*)\(.*\) Option \{`).FindAllStringSubmatch(read(t, "por/"+filepath.Base(name)), -1) {
			n++
			if !strings.Contains(text, "`por."+o[1]+"(") {
				t.Errorf("no row of the table is of por.%s", o[1])
			}
		}
	}
	if n < 30 {
		t.Errorf("%d options are found", n)
	}
}

// TestEngines looks for every engine on the page about them.
func TestEngines(t *testing.T) {
	text := read(t, "docs/engines.md")
	for _, name := range engine.Names() {
		e, _ := engine.Named(name)
		if typ := reflect.TypeOf(e).Name(); !regexp.MustCompile("[`.]" + typ + "[`{]").MatchString(text) {
			t.Errorf("docs/engines.md does not name %T, which is %q", e, name)
		}
	}
}

// The example of the pages is a module of its own, and needs what this one does.
func TestExample(t *testing.T) {
	need := regexp.MustCompile(`\S+\.\S+/\S+ v[1-9]\S*`)
	if own, its := need.FindAllString(read(t, "go.mod"), -1), need.FindAllString(read(t, "docs/example/go.mod"), -1); len(own) == 0 || !slices.Equal(own, its) {
		t.Errorf("the example needs %q, and gopor %q", its, own)
	}
	sums := read(t, "docs/example/go.sum") // without what only tests of this module need
	for line := range strings.Lines(sums) {
		if !strings.Contains(read(t, "go.sum"), line) {
			t.Errorf("docs/example/go.sum has a line that go.sum has not: %s", line)
		}
	}
	for _, n := range need.FindAllString(read(t, "docs/example/go.mod"), -1) {
		if !strings.Contains(sums, n+" h1:") {
			t.Errorf("docs/example/go.sum does not have %s", n)
		}
	}
}

// TestHeadlines compares the headlines that docs/flaky.md explains with those of the reports that por's tests keep.
// "wrong result" is how a triage calls an assertion that failed.
func TestHeadlines(t *testing.T) {
	var told, printed []string
	_, table, _ := strings.Cut(read(t, "docs/flaky.md"), "| headline | what it means |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		for _, name := range names(cell) {
			told = append(told, strings.TrimSuffix(name, ": ..."))
		}
	}
	reports, err := filepath.Glob(filepath.Join(home, "por/testdata/report/*.txt"))
	histories, _ := filepath.Glob(filepath.Join(home, "por/history/testdata/report/*.txt"))
	reports = append(reports, histories...)
	if err != nil || len(reports) < 40 {
		t.Fatalf("%d reports: %v", len(reports), err)
	}
	for _, r := range reports {
		text, err := os.ReadFile(r)
		if err != nil {
			t.Fatal(err)
		}
		headline, _, _ := strings.Cut(strings.TrimPrefix(string(text), "por: "), "\n")
		kind, _, _ := strings.Cut(headline, ": ")
		kind, _, _ = strings.Cut(kind, " by broken atomicity")
		printed = append(printed, kind)
		if !slices.ContainsFunc(told, func(h string) bool { return h == kind }) {
			t.Errorf("docs/flaky.md does not explain the headline %q of %s", kind, filepath.Base(r))
		}
	}
	for _, h := range told {
		if !slices.Contains(printed, h) && h != "wrong result" {
			t.Errorf("docs/flaky.md explains the headline %q, with which no report begins", h)
		}
	}
}
