package divert

import (
	"go/ast"
	gobuild "go/build"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/instrument/edit"
	"github.com/gopor/gopor/internal/known"
)

// The functions of the standard library that look at what it keeps, or change it, are there, in files that are rewritten.
func TestKeepers(t *testing.T) {
	for _, path := range known.Paths("touch") {
		all := known.Names("touch", path)
		if path == "os" {
			all = slices.AppendSeq(all, maps.Keys(fileCalls))
		}
		names, err := filepath.Glob(filepath.Join(gobuild.Default.GOROOT, "src", path, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatal(path, err)
		}
		said := make(map[string]bool)
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			syntax, err := parser.ParseFile(set, name, text, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			f := edit.New(set, text, syntax)
			for _, d := range f.AST.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && (Touches(path, &f, fn) != "" || path == "os" && filePrologue(&f, fn) != "") {
					key := fn.Name.Name
					if fn.Recv != nil {
						key = strings.TrimPrefix(f.Source(fn.Recv.List[0].Type), "*") + "." + key
					}
					said[key] = true
				}
			}
		}
		for _, name := range all {
			if !said[name] {
				t.Errorf("package %s has no %s", path, name)
			}
		}
	}
}
