package suites

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// declaration is a function, or one type, variable or group of constants, of a
// package.
type declaration struct {
	in       *source
	from, to token.Pos
	names    []string // that it declares; none of an init or a blank variable
	needs    map[string]bool
	receiver string // the type, of a method
	missing  string // what it needs and cannot have; "" if it stays
}

// declarations returns what a file declares.
func declarations(s *source) []*declaration {
	var all []*declaration
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			f := &declaration{in: s, from: d.Pos(), to: d.End(), needs: needs(s, d)}
			switch {
			case d.Recv != nil:
				f.receiver = receiver(d)
			case d.Name.Name != "init":
				f.names = []string{d.Name.Name}
			}
			if d.Body == nil {
				f.missing = d.Name.Name + ", a function of the runtime's"
			}
			if d.Doc != nil {
				f.from = d.Doc.Pos() // it may hold a directive
			}
			all = append(all, f)
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			for _, spec := range d.Specs {
				g := &declaration{in: s, from: spec.Pos(), to: spec.End(), needs: needs(s, spec)}
				if !d.Lparen.IsValid() {
					g.from, g.to = d.Pos(), d.End()
				}
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					g.names = []string{spec.Name.Name}
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						if n.Name != "_" {
							g.names = append(g.names, n.Name)
						}
					}
				}
				all = append(all, g)
			}
		}
	}
	return all
}

// receiver returns the name of the type whose method d is.
func receiver(d *ast.FuncDecl) string {
	name := ""
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return name
}

// needs returns the names that are used in a piece of syntax: those of the
// package itself, and path.Name of other packages that are internal to the
// standard library.
func needs(s *source, root ast.Node) map[string]bool {
	internal := make(map[string]string)
	for _, spec := range s.file.Imports {
		if name, path := importPath(spec); strings.HasPrefix(path, "internal/") {
			internal[name] = path
		}
	}
	found := make(map[string]bool)
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr: // what is selected is no name of the package's
			if x, ok := n.X.(*ast.Ident); ok && internal[x.Name] != "" {
				found[internal[x.Name]+"."+n.Sel.Name] = true
			}
			ast.Inspect(n.X, visit)
			return false
		case *ast.Ident:
			found[n.Name] = true
		}
		return true
	}
	ast.Inspect(root, visit)
	return found
}

// markMissing finds the declarations that cannot be had outside the standard
// library: those that need one of the names given, or a package of its own that
// has no stub, and those that need such a declaration.
func markMissing(all []*declaration, names map[string]string) {
	missing := make(map[string]string)
	for name, why := range names {
		missing[name] = why
	}
	for changed := true; changed; {
		changed = false
		for _, d := range all {
			if d.missing == "" {
				d.missing = d.lacks(missing)
			}
			for _, name := range d.names {
				if d.missing != "" && d.missing != notTaken && missing[name] == "" {
					missing[name] = d.missing
					changed = true
				}
			}
		}
	}
}

// lacks returns something that d needs and that is missing.
func (d *declaration) lacks(missing map[string]string) string {
	first := missing[d.receiver]
	for name := range d.needs {
		why := missing[name]
		if path, _, ok := strings.Cut(name, "."); ok && stubs[path] == "" {
			why = name
		}
		if why != "" && (first == "" || why < first) {
			first = why
		}
	}
	return first
}

// notTaken marks what is left in a file of which some declarations are taken
// only. Others may have names of their own that are the same.
const notTaken = "not taken"

// prune cuts the declarations that are missing, fixes the imports, and returns
// the missing ones by name. A file of which nothing is left is emptied.
func prune(files []*source, names map[string]string) (missing map[string]string) {
	var all []*declaration
	for _, s := range files {
		for _, d := range declarations(s) {
			if s.only != nil && !slices.ContainsFunc(d.names, func(n string) bool { return slices.Contains(s.only, n) }) {
				d.missing = notTaken
			}
			all = append(all, d)
		}
	}
	markMissing(all, names)
	missing = make(map[string]string)
	used := make(map[*source]map[string]bool)
	for _, d := range all {
		if used[d.in] == nil {
			used[d.in] = make(map[string]bool)
		}
		if d.missing == "" {
			for name := range d.needs {
				used[d.in][name] = true
			}
			continue
		}
		d.in.cut(d.from, d.to)
		for _, name := range d.names {
			missing[name] = d.missing
		}
	}
	for _, s := range files {
		if len(used[s]) == 0 {
			s.edits, s.text = nil, []byte("package "+s.file.Name.Name+"\n")
			continue
		}
		s.fixImports(used[s])
	}
	return missing
}
