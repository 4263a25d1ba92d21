package instrument

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"

	"github.com/gopor/gopor/instrument/edit"
)

// Package is a package under rewriting, with its types. Imports have the paths of the packages
// that they are compiled with, which may be twins.
type Package struct {
	Path  string
	Fset  *token.FileSet
	Files []*File
	Types *types.Package
	Info  *types.Info
}

// File is a source file under rewriting.
type File struct {
	edit.File
	Name   string // for positions in reports
	called string // the name of package native in it, "" for the usual one
}

// Source is a file to load. Name is its name in reports.
type Source struct {
	Name string
	Text []byte
}

// Load parses and checks a package. The version is that of the language, such as "go1.25".
func Load(path, version string, sources []Source, imports types.Importer, sizes types.Sizes) (*Package, error) {
	p := &Package{
		Path: path,
		Fset: token.NewFileSet(),
		Info: &types.Info{
			Types:        make(map[ast.Expr]types.TypeAndValue),
			Instances:    make(map[*ast.Ident]types.Instance),
			Defs:         make(map[*ast.Ident]types.Object),
			Uses:         make(map[*ast.Ident]types.Object),
			Implicits:    make(map[ast.Node]types.Object),
			Selections:   make(map[*ast.SelectorExpr]*types.Selection),
			Scopes:       make(map[ast.Node]*types.Scope),
			FileVersions: make(map[*ast.File]string),
		},
	}
	var err error
	if p.Files, err = parse(p.Fset, sources); err != nil {
		return nil, err
	}
	conf := types.Config{GoVersion: version, Importer: imports, Sizes: sizes}
	p.Types, err = conf.Check(path, p.Fset, p.syntax(), p.Info)
	return p, err
}

// syntax returns the files as they are parsed.
func (p *Package) syntax() (files []*ast.File) {
	for _, f := range p.Files {
		files = append(files, f.AST)
	}
	return files
}

// parse parses files.
func parse(fset *token.FileSet, sources []Source) (files []*File, err error) {
	for _, s := range sources {
		f, err := parser.ParseFile(fset, s.Name, s.Text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		file := &File{Name: s.Name, File: edit.New(fset, s.Text, f)}
		file.uncount()
		files = append(files, file)
	}
	return files, nil
}

// Refusal is something that cannot be controlled.
type Refusal struct {
	Pos    token.Position
	Reason string
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s", r.Pos, r.Reason) }

// archives imports packages from the export data of compiled ones. Package go/importer reads
// the data, so the tool has to be compiled by the toolchain that has written them.
type archives struct {
	names  map[string]string // the path for which an import path stands, if another
	reader types.Importer    // by the path that a package is compiled with
}

// newArchives returns an importer for the packages of some files. All imports share their
// types. Names are as in an importcfg file.
func newArchives(files, names map[string]string) *archives {
	open := func(path string) (io.ReadCloser, error) {
		name, ok := files[path]
		if !ok {
			return nil, fmt.Errorf("package %s is not among the compiled ones", path)
		}
		return os.Open(name)
	}
	return &archives{names, importer.ForCompiler(token.NewFileSet(), "gc", open)}
}

// Import implements [types.Importer].
func (a *archives) Import(path string) (*types.Package, error) {
	if as, ok := a.names[path]; ok {
		path = as
	}
	return a.reader.Import(path)
}
