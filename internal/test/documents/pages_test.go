package documents

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/checkflags"
	"github.com/gopor/gopor/internal/environ"
	_ "github.com/gopor/gopor/por" // has flags
)

// The folder of the pages that one page has links to, in place of README.
const (
	measurements = "docs/bench"
	measuredBy   = "docs/engines.md"
)

// pages returns the names of the documents for people, from the module's folder.
func pages(t *testing.T) (all []string) {
	t.Helper()
	for _, folder := range []string{"docs", measurements} {
		entries, err := os.ReadDir(filepath.Join(home, folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".md") {
				all = append(all, folder+"/"+e.Name())
			}
		}
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

// TestLinks follows the links of the documents, and looks whether README leads to all of them, and the
// page on engines to those with measurements.
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
			if name == "README.md" || name == measuredBy && strings.HasPrefix(to, measurements+"/") {
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
			t.Errorf("neither README.md nor, of a measurement, %s has a link to %s", measuredBy, name)
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
		flags = append(flags, strings.Fields(line)[0])
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
