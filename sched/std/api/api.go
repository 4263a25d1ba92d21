// Package api compares the twins of standard packages with their originals.
package api

import (
	"errors"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/gopor/gopor/sched/std"
)

// twinPath is the prefix of the import path of every twin.
const twinPath = "github.com/gopor/gopor/sched/std/"

// Missing compares the exported API of the standard packages that have a twin with the twin. It
// returns a line for every object, field and method that the twin lacks or has with another
// type. It runs the go command in the current directory, which has to be in a module that has
// this package.
func Missing() ([]string, error) { return twins(compare) }

// twins compares every standard package that has a twin with the twin, and returns all results
// of compare.
func twins(compare func(original, twin *types.Package) []string) (found []string, err error) {
	var paths []string
	for _, path := range std.Packages() {
		paths = append(paths, path, twinPath+path)
	}
	imp, err := importerOf(paths)
	if err != nil {
		return nil, err
	}
	for _, path := range std.Packages() {
		original, err := imp.Import(path)
		if err != nil {
			return nil, err
		}
		twin, err := imp.Import(twinPath + path)
		if err != nil {
			return nil, err
		}
		found = append(found, compare(original, twin)...)
	}
	return found, nil
}

// importerOf returns an importer for packages. Package go/importer reads their export data, so that
// no module decides which release of Go can be used.
func importerOf(paths []string) (types.Importer, error) {
	files, err := ExportFiles(paths...)
	if err != nil {
		return nil, err
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	}), nil
}

// ExportFiles returns the files with the exported API of the packages that patterns match, and of
// all their dependencies, by import path.
func ExportFiles(patterns ...string) (map[string]string, error) {
	roots, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedExportFile | packages.NeedImports | packages.NeedDeps,
		Env:  append(os.Environ(), "GOPACKAGESDRIVER=off"),
	}, patterns...)
	if err != nil {
		return nil, err
	}
	files := make(map[string]string)
	var wrong []error
	packages.Visit(roots, nil, func(p *packages.Package) {
		files[p.PkgPath] = p.ExportFile
		for _, err := range p.Errors {
			wrong = append(wrong, err)
		}
	})
	return files, errors.Join(wrong...)
}

// compare returns the parts of original's API that twin lacks.
func compare(original, twin *types.Package) (missing []string) {
	for _, name := range original.Scope().Names() {
		want := original.Scope().Lookup(name)
		if !want.Exported() {
			continue
		}
		if have := twin.Scope().Lookup(name); have == nil {
			missing = append(missing, original.Path()+": no "+describe(want))
		} else if describe(have) != describe(want) {
			missing = append(missing, original.Path()+": "+describe(have)+", want "+describe(want))
		} else if w, ok := want.(*types.TypeName); ok {
			missing = append(missing, compareTypes(w, have.(*types.TypeName))...)
		}
	}
	return missing
}

// compareTypes returns the methods and fields of want that have lacks. An alias of the original
// has them all.
func compareTypes(want, have *types.TypeName) (missing []string) {
	if origin(have.Type()) == origin(want.Type()) {
		return nil
	}
	note := func(kind string, w, h types.Object) {
		place := want.Pkg().Path() + "." + want.Name() + ": "
		if h == nil {
			missing = append(missing, place+"no "+kind+" "+describe(w))
		} else if describe(h) != describe(w) {
			missing = append(missing, place+kind+" "+describe(h)+", want "+describe(w))
		}
	}
	methods := types.NewMethodSet(types.NewPointer(want.Type()))
	others := types.NewMethodSet(types.NewPointer(have.Type()))
	for m := range methods.Methods() {
		if !m.Obj().Exported() {
			continue
		}
		var h types.Object
		if found := others.Lookup(nil, m.Obj().Name()); found != nil {
			h = found.Obj()
		}
		note("method", m.Obj(), h)
	}
	if s, ok := want.Type().Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if f.Exported() {
				h, _, _ := types.LookupFieldOrMethod(have.Type(), true, have.Pkg(), f.Name())
				note("field", f, h)
			}
		}
	}
	return missing
}

// origin returns the type that t is another name of, or an instance of.
func origin(t types.Type) types.Type {
	t = types.Unalias(t)
	if n, ok := t.(*types.Named); ok {
		return n.Origin()
	}
	return t
}

// describe returns the kind, name and type of an object. Packages are given by name, since a
// type may be the twin's own.
func describe(o types.Object) string {
	name := func(p *types.Package) string { return p.Name() }
	switch o := o.(type) {
	case *types.Const:
		return "const " + o.Name() + " " + types.TypeString(o.Type(), name) + " = " + o.Val().ExactString()
	case *types.TypeName:
		return "type " + o.Name()
	case *types.Func:
		text := "func " + o.Name()
		for p := range o.Signature().TypeParams().TypeParams() {
			text += "[" + p.Obj().Name() + " " + types.TypeString(p.Constraint(), name) + "]"
		}
		return text + strings.TrimPrefix(types.TypeString(bare(o.Signature()), name), "func")
	}
	return "var " + o.Name() + " " + types.TypeString(o.Type(), name)
}

// bare returns s without the names of parameters and results.
func bare(s *types.Signature) *types.Signature {
	unnamed := func(t *types.Tuple) *types.Tuple {
		vars := make([]*types.Var, t.Len())
		for i := range vars {
			vars[i] = types.NewParam(token.NoPos, nil, "", t.At(i).Type())
		}
		return types.NewTuple(vars...)
	}
	return types.NewSignatureType(nil, nil, nil, unnamed(s.Params()), unnamed(s.Results()), s.Variadic())
}
