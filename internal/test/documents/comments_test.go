package documents

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// sources parses the Go files below the module's folder, those of the modules inside of it
// included. Test data is left out, and so are folders that begin with a dot.
func sources(t *testing.T, do func(fset *token.FileSet, path string, f *ast.File)) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && strings.Trim(d.Name(), ".") != "" {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		path, err = filepath.Rel(home, path)
		do(fset, filepath.ToSlash(path), f)
		n++
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 500 {
		t.Errorf("%d Go files were found", n)
	}
}

// continues reports whether a comment continues that of another line.
func continues(comments ...*ast.CommentGroup) bool {
	for _, c := range comments {
		if text := strings.TrimSpace(c.Text()); strings.HasPrefix(text, "...") || strings.HasSuffix(text, " ...") && !strings.HasSuffix(text, ", ...") {
			return true
		}
	}
	return false
}

// tornComments returns the fields, constants and variables of a file whose comments need another one.
func tornComments(f *ast.File) (torn []*ast.Ident) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if len(n.Names) > 0 && continues(n.Doc, n.Comment) {
				torn = append(torn, n.Names[0])
			}
		case *ast.ValueSpec:
			if continues(n.Doc, n.Comment) {
				torn = append(torn, n.Names[0])
			}
		}
		return true
	})
	return torn
}

// TestFieldComments sees to it that the comment of a field stands alone: one that continues the comment of the
// line above is torn off it when a field is put in between.
func TestFieldComments(t *testing.T) {
	sources(t, func(fset *token.FileSet, path string, f *ast.File) {
		for _, id := range tornComments(f) {
			t.Errorf("%s:%d: the comment of %s continues another one; it has to stand alone", path, fset.Position(id.Pos()).Line, id.Name)
		}
	})
}

// TestTorn holds the judge of comments to those that were torn, and to some that are not.
func TestTorn(t *testing.T) {
	const text = `package p
type T struct {
	held  int // locks
	file  int // in between
	since int // ... and when it took the first of them
	maker int // whose ...
	// ... number-th one this is
	number int
	fine   int // from 1 on, ... and so on
	kind   int // lock, send, ...
}
const (
	first = 1 // a
	next  = 2 // ... b
)`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, id := range tornComments(f) {
		got = append(got, id.Name)
	}
	if s := strings.Join(got, " "); s != "since maker number next" {
		t.Errorf("the comments of %s are torn, not of since, maker, number and next", s)
	}
}

// wrongName returns what the documentation of an exported function calls it, if that is not its name: "" if it is.
func wrongName(d *ast.FuncDecl) string {
	if !d.Name.IsExported() || d.Doc == nil {
		return ""
	}
	words := strings.Fields(d.Doc.Text())
	if len(words) == 0 || words[0] == "Deprecated:" || strings.TrimRight(words[0], ",:;") == d.Name.Name {
		return ""
	}
	return words[0]
}

// TestDocNames sees to it that what documents an exported function, or several that follow one another, names it.
func TestDocNames(t *testing.T) {
	sources(t, func(fset *token.FileSet, path string, f *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if w := wrongName(d); w != "" {
					t.Errorf("%s:%d: the documentation of %s begins with %q", path, fset.Position(d.Pos()).Line, d.Name.Name, w)
				}
			}
		}
	})
}
