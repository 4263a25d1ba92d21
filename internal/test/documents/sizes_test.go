package documents

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	mostFields = 25
	mostLines  = 6000
)

// wide has the structs that may have more fields than mostFields. The numbers only go down.
var wide = map[string]int{}

// long has the packages that may have more lines than mostLines. The numbers only go down.
var long = map[string]int{
	"internal/machine": 15600, // clock, polling, primitives, sockets, faults of these, nodes and keys share the state of goroutines
}

// production reports whether a file of Go is code that users run, and not a test of it.
func production(path string) bool {
	return strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") &&
		!strings.HasPrefix(path, "internal/test/") && !strings.HasPrefix(path, "examples/internal/")
}

// goFiles calls visit for the files of production code, by their paths in the module.
func goFiles(t *testing.T, visit func(path string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if name == "testdata" || name == "docs" || strings.HasPrefix(name, ".") && strings.Trim(name, ".") != "" {
				return fs.SkipDir
			}
			return nil
		}
		in, err := filepath.Rel(home, path)
		if in = filepath.ToSlash(in); err != nil || !production(in) {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			visit(in, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fieldsOf returns how many fields each named struct of a file has. A field list such as "a, b int"
// has two, and an embedded field is one.
func fieldsOf(t *testing.T, path string, text []byte) map[string]int {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]int)
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			if s, ok := spec.Type.(*ast.StructType); ok {
				all[spec.Name.Name] = s.Fields.NumFields()
			}
		}
		return true
	})
	return all
}

// TestWidth counts the fields of structs.
func TestWidth(t *testing.T) {
	met := make(map[string]bool)
	goFiles(t, func(path string, text []byte) {
		for name, n := range fieldsOf(t, path, text) {
			name = filepath.ToSlash(filepath.Dir(path)) + "." + name
			switch most, excepted := wide[name]; {
			case excepted:
				met[name] = true
				if n != most {
					t.Errorf("%s has %d fields, and %d in the list of wide structs. If it has fewer, lower the number; up to %d need none", name, n, most, mostFields)
				}
			case n > mostFields:
				t.Errorf("%s: %s has %d fields; %d are allowed. Make those that change together a struct of their own", path, name, n, mostFields)
			}
		}
	})
	for name := range wide {
		if !met[name] {
			t.Errorf("%s is in the list of wide structs, and there is no such struct", name)
		}
	}
	const two = "package p\ntype T struct { a, b int; c string; U }\ntype U struct{}\n"
	if got := fieldsOf(t, "p.go", []byte(two)); got["T"] != 4 || got["U"] != 0 || len(got) != 2 {
		t.Errorf("fields are counted as %v in %q", got, two)
	}
}

// TestLength counts the lines of packages.
func TestLength(t *testing.T) {
	lines := make(map[string]int)
	goFiles(t, func(path string, text []byte) {
		lines[filepath.ToSlash(filepath.Dir(path))] += bytes.Count(text, []byte("\n"))
	})
	if lines["internal/machine"] == 0 {
		t.Fatal("no lines are counted")
	}
	for pkg, n := range lines {
		most, excepted := long[pkg]
		if !excepted {
			most = mostLines
		}
		if n > most {
			t.Errorf("package %s has %d lines of production code; %d are allowed. Move what is a subject of its own to another package", pkg, n, most)
		}
		if excepted && n <= mostLines {
			t.Errorf("package %s has %d lines: it needs no entry in the list of long packages", pkg, n)
		}
	}
	for pkg := range long {
		if lines[pkg] == 0 {
			t.Errorf("%s is in the list of long packages, and there is no such package", pkg)
		}
	}
}
