package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/kit"
)

// tests returns the names of the tests of the module.
func tests(t *testing.T) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("testdata", "module", "bugs", "bugs_test.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(d.Name.Name, "Test") {
			names = append(names, d.Name.Name)
		}
	}
	return names
}

// The page has a row for each test, in the order of the file.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "compare.md"))
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, name := range tests(t) {
		i := strings.Index(string(text[at:]), "\n| "+words(strings.TrimPrefix(name, "Test"))+" |")
		if i < 0 {
			t.Fatalf("docs/compare.md has no row for %s in its place", name)
		}
		at += i + 1
	}
}

// Every bug is found with no options.
func TestFound(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds a module")
	}
	b := &bench{module: filepath.Join("testdata", "module"), por: kit.Por(t)}
	for _, name := range tests(t) {
		if cell, err := b.explored(name); err != nil || cell == "–" {
			t.Errorf("%s: %s, %v", name, cell, err)
		}
	}
}
