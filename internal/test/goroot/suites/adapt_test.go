package suites

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/version"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// stubs are the packages internal to the standard library of which the tests
// need no more than a few words.
var stubs = map[string]string{
	"internal/testenv": `package testenv

import (
	"os"
	"testing"
)

func Executable(t testing.TB) string        { return exe(t) }
func MustHaveExec(t testing.TB)             {}
func SkipFlaky(t testing.TB, issue int)     { t.Helper(); t.Skipf("skipping known flaky test: issue %d", issue) }
func SkipIfOptimizationOff(t testing.TB)    {}
func SkipFlakyNet(t testing.TB)             { t.Helper(); t.Skip("skipping test that fails on some machines") }
func MustHaveExternalNetwork(t testing.TB)  { t.Helper(); t.Skip("skipping test: no external network") }
func HasExternalNetwork() bool              { return false }
func MustHaveSymlink(t testing.TB)          {}
func HasSymlink() bool                      { return true }
func MustHaveParallelism(t testing.TB)      {}
func Builder() string                       { return "" }
func CPUIsSlow() bool                       { return false }

func exe(t testing.TB) string {
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return name
}
`,
	"internal/race": "package race\n\nconst Enabled = false\n",
	"internal/asan": "package asan\n\nconst Enabled = false\n",
	// Tests of net/http name them since Go 1.27, and run nothing by HTTP/3.
	"golang.org/x/net/http3": "package http3\n",
	"golang.org/x/net/quic": `package quic

import (
	"context"
	"net/netip"
)

type Endpoint struct{}

func (*Endpoint) LocalAddr() netip.AddrPort     { return netip.AddrPort{} }
func (*Endpoint) Close(_ context.Context) error { return nil }
`,
}

const modulePath = "example.org/suites"

// source is one file on its way into the temporary module.
type source struct {
	name  string // base name
	text  []byte
	fset  *token.FileSet
	file  *ast.File
	edits []edit
	only  []string // what is taken of it, nil for all
}

// edit replaces the text between two offsets.
type edit struct {
	from, to int
	text     string
}

func parse(name string, text []byte) (*source, error) {
	s := &source{name: filepath.Base(name), text: text, fset: token.NewFileSet()}
	var err error
	s.file, err = parser.ParseFile(s.fset, s.name, text, parser.ParseComments|parser.SkipObjectResolution)
	return s, err
}

func parseFiles(dir string, names ...string) ([]*source, error) {
	var all []*source
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		s, err := parse(name, text)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

func (s *source) replace(from, to token.Pos, text string) {
	s.edits = append(s.edits, edit{s.offset(from), s.offset(to), text})
}

// cut removes a declaration, and keeps the lines of the others.
func (s *source) cut(from, to token.Pos) {
	old := s.text[s.offset(from):s.offset(to)]
	s.replace(from, to, strings.Repeat("\n", strings.Count(string(old), "\n")))
}

// bytes returns the text with the edits made. An edit inside another one is
// lost.
func (s *source) bytes() []byte {
	slices.SortStableFunc(s.edits, func(a, b edit) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	var out []byte
	at := 0
	for _, e := range s.edits {
		if e.from < at {
			continue
		}
		out = append(append(out, s.text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, s.text[at:]...)
}

// importPath returns the path of an import, and the name by which the file
// knows it.
func importPath(spec *ast.ImportSpec) (name, importPath string) {
	importPath, _ = strconv.Unquote(spec.Path.Value)
	if spec.Name != nil {
		return spec.Name.Name, importPath
	}
	return path.Base(importPath), importPath
}

// fixImports points imports of internal packages to their stubs, and drops those
// that nothing uses any more.
func (s *source) fixImports(used map[string]bool) {
	for _, spec := range s.file.Imports {
		name, path := importPath(spec)
		switch {
		case name != "." && name != "_" && !used[name]:
			s.cut(spec.Pos(), spec.End())
		case stubs[path] != "":
			s.replace(spec.Path.Pos(), spec.Path.End(), strconv.Quote(modulePath+"/"+path))
		}
	}
}

// write writes a file of the module in dir.
func write(dir, name string, text []byte) error {
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

// startModule writes what all packages of the module in dir need.
func startModule(dir, checkout string) error {
	language := strings.TrimPrefix(version.Lang(runtime.Version()), "go")
	goMod := fmt.Sprintf("module %s\n\ngo %s.0\n\nrequire github.com/gopor/gopor v0.0.0\n\nreplace github.com/gopor/gopor => %s\n", modulePath, language, checkout)
	if err := write(dir, "go.mod", []byte(goMod)); err != nil {
		return err
	}
	for p, text := range stubs {
		if err := write(dir, filepath.Join(p, path.Base(p)+".go"), []byte(text)); err != nil {
			return err
		}
	}
	return nil
}
