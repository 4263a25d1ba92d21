// Package documents holds DEVELOPMENT.md and README.md to what there is.
package documents

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

const (
	home   = "../../.."
	module = "github.com/gopor/gopor"
)

// room is a row of the table of packages.
type room struct {
	packages []string // without the module's path; "/..." at the end stands for all below
	imports  []string // that they may import besides each other
	free     bool     // they may import anything
}

var (
	row  = regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|[^|]*\\| ([^|]*) \\|$")
	code = regexp.MustCompile("`([^`\n]+)`")
)

// rooms reads the table.
func rooms(t *testing.T, text string) (all []room) {
	t.Helper()
	_, text, _ = strings.Cut(text, "| may import |")
	text, _, _ = strings.Cut(text, "\n\n")
	for _, cells := range row.FindAllStringSubmatch(text, -1) {
		r := room{packages: names(cells[1]), imports: names(cells[2]), free: cells[2] == "anything"}
		if len(r.imports) == 0 && !r.free && cells[2] != "nothing" {
			t.Errorf("may import %q: packages, nothing or anything", cells[2])
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		t.Fatal("DEVELOPMENT.md has no table of packages")
	}
	return all
}

// names returns what stands between backquotes.
func names(text string) (all []string) {
	for _, m := range code.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// matches returns how much of the package's path a pattern names, or -1.
func matches(pattern, pkg string) int {
	if below, ok := strings.CutSuffix(pattern, "..."); ok && strings.HasPrefix(pkg, below) {
		return len(below)
	}
	if pattern == pkg {
		return len(pkg) + 1
	}
	return -1
}

// has reports whether one of the patterns matches.
func has(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, pkg) >= 0 })
}

// find returns the row of a package, the most particular one if there are several.
func find(all []room, pkg string) (best *room) {
	most := -1
	for i := range all {
		for _, p := range all[i].packages {
			if n := matches(p, pkg); n > most {
				best, most = &all[i], n
			}
		}
	}
	return best
}

// imports returns what the packages of the module import of each other.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	// What the go command reads has to be read here as well, or go test would not know
	// when its cached result is old.
	err := filepath.WalkDir(home, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && strings.Trim(d.Name(), ".") != "" {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports, Dir: home}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	graph := make(map[string][]string)
	for _, p := range all {
		if len(p.Errors) > 0 {
			t.Fatal(p.Errors)
		}
		pkg, ok := strings.CutPrefix(p.PkgPath, module+"/")
		if !ok {
			continue // the root
		}
		graph[pkg] = nil
		for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
			if dep, ok := strings.CutPrefix(path, module+"/"); ok {
				graph[pkg] = append(graph[pkg], dep)
			}
		}
	}
	return graph
}

// TestRooms compares the table of packages with what go list says.
func TestRooms(t *testing.T) {
	all, graph := rooms(t, read(t, "DEVELOPMENT.md")), imports(t)
	for pkg, deps := range graph {
		r := find(all, pkg)
		if r == nil {
			t.Errorf("DEVELOPMENT.md has no row for package %s", pkg)
			continue
		}
		for _, dep := range deps {
			if !r.free && !has(r.packages, dep) && !has(r.imports, dep) {
				t.Errorf("%s imports %s; by DEVELOPMENT.md it may import %q", pkg, dep, r.imports)
			}
		}
	}
	for _, r := range all {
		for _, p := range slices.Concat(r.packages, r.imports) {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(graph)), func(pkg string) bool { return matches(p, pkg) >= 0 }) {
				t.Errorf("DEVELOPMENT.md names %s, which is no package", p)
			}
		}
	}
}

// consoleOut is what commands print, or say of a user's own folders.
var consoleOut = regexp.MustCompile("(?s)```.*?```")

// TestPaths looks up the files and folders that the documents name.
func TestPaths(t *testing.T) {
	path := regexp.MustCompile(`^(\./)?(` + strings.Join(folders(t), "|") + `)(/[\w.]+)*$`)
	for _, name := range pages(t) {
		text := consoleOut.ReplaceAllString(read(t, name), "")
		var paths []string
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \n`|,;:()", r) }) {
			if word = strings.TrimSuffix(strings.TrimRight(word, "."), "/"); path.MatchString(word) {
				paths = append(paths, word)
			}
		}
		if len(paths) < 5 && filepath.Dir(name) == "." {
			t.Errorf("%s names %d files and folders", name, len(paths))
		}
		for _, p := range paths {
			if _, err := os.Stat(filepath.Join(home, p)); err != nil && !exported(p) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// exported reports whether a path with a dot is an identifier of a package: trace.Op.
func exported(p string) bool {
	_, name, ok := strings.Cut(filepath.Base(p), ".")
	return ok && name != "" && name[0] >= 'A' && name[0] <= 'Z'
}

// folders returns the folders of the module.
func folders(t *testing.T) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(home)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			all = append(all, e.Name())
		}
	}
	return all
}

// read returns the text of a document.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(home, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
