package instrument

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/instrument/divert"
	"github.com/gopor/gopor/instrument/edit"
	"github.com/gopor/gopor/instrument/network"
	"github.com/gopor/gopor/internal/known"
)

// withNetwork returns the sources of package net, or net/http, with the sockets of executions. A
// netFD gets a field that is nil except for sockets that controlled goroutines have made on this
// machine.
//
//	func (fd *netFD) Read(p []byte) (n int, err error) {
//
// becomes, in the same line,
//
//	func (fd *netFD) Read(p []byte) (n int, err error) { if fd.gopor != nil { return
//		fd.goporRead(p) };
//
// It is an error if a function is missing, or has other parameters than package known says.
func withNetwork(pkg string, sources []Source) ([]Source, error) {
	files, err := parseBare(sources)
	if err != nil {
		return nil, err
	}
	missing, hasField, out := maps.Clone(network.Statements[pkg]), pkg != "net", make([]Source, len(sources))
	for i, f := range files {
		for _, d := range f.AST.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				hasField = f.netField(d) || hasField
			case *ast.FuncDecl:
				if err := f.netPrologue(pkg, d, missing); err != nil {
					return nil, err
				}
				if d.Body != nil && f.isHushed(pkg, d) {
					f.hush(d)
				}
			}
		}
		out[i] = Source{f.Name, f.Result()}
	}
	if name := network.Lacks(missing); name != "" {
		return nil, fmt.Errorf("package %s has no function %s", pkg, name)
	} else if !hasField {
		return nil, fmt.Errorf("package net has no struct netFD")
	}
	for name, text := range network.Files(pkg) {
		out = append(out, Source{filepath.Join(filepath.Dir(sources[0].Name), "gopor_"+name), text})
	}
	return out, nil
}

// parseBare parses files for changes of their text.
func parseBare(sources []Source) (files []*File, err error) {
	fset := token.NewFileSet()
	for _, s := range sources {
		f, err := parser.ParseFile(fset, s.Name, s.Text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, &File{Name: s.Name, File: edit.New(fset, s.Text, f)})
	}
	return files, nil
}

// netField adds the field to the declaration of netFD, and reports whether d has that.
func (f *File) netField(d *ast.GenDecl) bool {
	for _, spec := range d.Specs {
		if s, ok := spec.(*ast.TypeSpec); ok && s.Name.Name == "netFD" {
			if t, ok := s.Type.(*ast.StructType); ok {
				f.Add(edit.After, t.Fields.Opening, t.Fields.Opening+1, edit.Literal(" gopor *goporSocket; "))
				return true
			}
		}
	}
	return false
}

// netPrologue adds the statement for a function of a package, if any, and takes it from the
// missing ones.
func (f *File) netPrologue(pkg string, fn *ast.FuncDecl, missing map[string]string) error {
	name, words := fn.Name.Name, []string(nil)
	if fn.Recv != nil {
		recv := fn.Recv.List[0]
		name = strings.TrimPrefix(f.Source(recv.Type), "*") + "." + name
		if len(recv.Names) > 0 {
			words = append(words, recv.Names[0].Name)
		}
	}
	text := missing[name]
	if text == "" || fn.Body == nil {
		return nil
	}
	want, _ := known.Of("hook", pkg+"."+name)
	if is := f.signature(fn.Type); is != want {
		if slices.Contains(network.NotEverywhere, name) {
			return nil
		}
		return fmt.Errorf("%s.%s is %s, not %s", pkg, name, is, want)
	}
	delete(missing, name)
	args, _ := divert.Arguments(fn.Type)
	words = append(words, strings.Split(args, ", ")...)
	for i := len(words) - 1; i >= 0; i-- {
		text = strings.ReplaceAll(text, fmt.Sprintf("$%d", i+1), words[i])
	}
	f.Add(edit.After, fn.Body.Lbrace, fn.Body.Lbrace+1, edit.Literal(" "+text+"; "))
	return nil
}

// signature returns the parameters and results of a function, as package known has them.
func (f *File) signature(t *ast.FuncType) string {
	return "func" + strings.Join(strings.Fields(string(f.Src[f.Offset(t.Params.Pos()):f.Offset(t.End())])), " ")
}
