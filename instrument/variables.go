package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/instrument/edit"
	"github.com/gopor/gopor/instrument/setup"
)

// rewriteVariables tells package native of the package-level variables of a file that
// executions may change, so that every execution begins with the same values:
//
//	func init() { gopor_.Variables("pkg", "hits", &hits, "known", &known) }
//
// Variables are left out that keep the value of their declaration and lead to no other memory.
func rewriteVariables(r *rewriting) {
	if name := filepath.Base(r.Name); name == "covervars.go" || strings.HasPrefix(name, "_cgo_") {
		return
	}
	var list []string
	for _, d := range r.AST.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR {
			continue
		}
		for _, s := range d.Specs {
			s := s.(*ast.ValueSpec)
			for i, id := range s.Names {
				if v, ok := r.Info.Defs[id].(*types.Var); ok && r.changeable(v) && !(r.hasLinked(s, i) && !r.changes()[v]) {
					list = append(list, fmt.Sprintf("%q, &%s", v.Name(), v.Name()))
				}
			}
		}
	}
	calls := r.others()
	if len(list) > 0 {
		calls = append(calls, fmt.Sprintf("%s.Variables(%q, %s)", native, r.Types.Name(), strings.Join(list, ", ")))
	}
	if len(calls) > 0 {
		r.After(r.AST, edit.Literal("; func init() { "+strings.Join(calls, "; ")+" }"))
	}
}

// rewriteLocals tells package native of the local variables that outlive what runs before the tests
// of a package:
//
//	hits := 0; gopor_.Locals("pkg", "TestMain.hits", &hits)
func rewriteLocals(r *rewriting) {
	isTest := func(f *File) bool { return strings.HasSuffix(f.Name, "_test.go") }
	if !slices.ContainsFunc(r.Files, isTest) {
		return
	}
	if r.setUp == nil {
		r.setUp = setup.Find(r.syntax(), r.Info)
	}
	for _, p := range r.setUp[r.AST] {
		var list []string
		for _, v := range p.Vars {
			list = append(list, fmt.Sprintf("%q, &%s", p.Of+"."+v.Name(), v.Name()))
		}
		call := fmt.Sprintf("%s.Locals(%q, %s)", native, r.Types.Name(), strings.Join(list, ", "))
		if p.Node != nil {
			r.After(p.Node, edit.Literal("; "+call))
		} else {
			r.Add(edit.After, p.Body, p.Body+1, edit.Literal(" "+call+";"))
		}
	}
}

// hasLinked reports whether variable i of a declaration has a function of the runtime as its
// value. Such a variable is left out unless its own package changes it, although another
// package might change an exported one: if the runtime has no such function, the linker
// requires that the variable is not used.
func (r *rewriting) hasLinked(s *ast.ValueSpec, i int) bool {
	if i >= len(s.Values) {
		return false
	}
	id, ok := ast.Unparen(s.Values[i]).(*ast.Ident)
	if !ok {
		return false
	}
	fn, ok := r.Info.Uses[id].(*types.Func)
	return ok && r.isLinked(fn)
}

// changeable reports whether executions may change a package-level variable, or memory that can
// be reached from it.
func (r *rewriting) changeable(v *types.Var) bool {
	switch name := v.Name(); {
	case isCounter(name), strings.HasPrefix(name, "_C"), strings.HasPrefix(name, "_cgo"), name == "_", empty(v.Type()):
		return false
	case r.linked(r.Package, name) != "" && r.linked(r.Package, name) != name:
		// It belongs to the runtime, or to another package. A variable that others may link to
		// does not.
		return false
	}
	return setup.LeadsOn(v.Type()) || v.Exported() || r.changes()[v]
}

// changes returns the variables, of the package or others, that its code may change by name: it
// assigns to them or parts of them, or takes their addresses.
func (r *rewriting) changes() map[types.Object]bool {
	if r.changed == nil {
		r.changed = make(map[types.Object]bool)
		for _, f := range r.Files {
			ast.Inspect(f.AST, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					r.change(n.Lhs...)
				case *ast.IncDecStmt:
					r.change(n.X)
				case *ast.RangeStmt:
					r.change(n.Key, n.Value)
				case *ast.UnaryExpr:
					if n.Op == token.AND {
						r.change(n.X)
					}
				case *ast.SliceExpr:
					r.change(n.X)
				case *ast.SelectorExpr:
					if s := r.Info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
						r.change(n.X)
					}
				}
				return true
			})
		}
	}
	return r.changed
}

// change notes the variables in expressions that are assigned to.
func (r *rewriting) change(places ...ast.Expr) {
	for _, e := range places {
		for e != nil {
			switch x := ast.Unparen(e).(type) {
			case *ast.Ident:
				if v := r.Info.Uses[x]; v != nil {
					r.changed[v] = true
				}
				e = nil
			case *ast.SelectorExpr:
				if e = x.X; r.packageName(x) != "" {
					e = x.Sel
				}
			case *ast.IndexExpr:
				e = x.X
			default:
				e = nil
			}
		}
	}
}
