package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/known"
)

// This file handles variables of other packages that a file changes. Packages of the standard
// library do not tell package native of their variables.

// others returns calls that tell package native of the variables of other packages that
// executions may change by the code of the file.
func (r *rewriting) others() (calls []string) {
	for _, d := range r.AST.Decls {
		_, isFunction := d.(*ast.FuncDecl)
		ast.Inspect(d, func(n ast.Node) bool {
			qualifier, id := "", (*ast.Ident)(nil)
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if qualifier = r.packageName(n); qualifier == "" {
					return true
				}
				id = n.Sel
			case *ast.Ident:
				id = n // of a package that is imported by a dot
			default:
				return true
			}
			if call := r.otherVariable(r.Info.Uses[id], qualifier, isFunction); call != "" && !slices.Contains(calls, call) {
				calls = append(calls, call)
			}
			return false
		})
	}
	return calls
}

// packageName returns the name of the package that a selector selects from, with the dot, or
// "".
func (r *rewriting) packageName(n *ast.SelectorExpr) string {
	if x, ok := n.X.(*ast.Ident); ok {
		if _, ok := r.Info.Uses[x].(*types.PkgName); ok {
			return x.Name + "."
		}
	}
	return ""
}

// otherVariable returns a call that tells package native of a variable of another package, if
// the use of obj may change it. Otherwise it returns "".
func (r *rewriting) otherVariable(obj types.Object, qualifier string, isFunction bool) string {
	if obj == nil || obj.Pkg() == nil || obj.Pkg() == r.Types || obj.Parent() != obj.Pkg().Scope() {
		return ""
	}
	name, pointer := obj.Name(), "&%s"+obj.Name()
	switch obj.(type) {
	case *types.Var:
		if !r.changes()[obj] && !known.Is("leading", obj.Pkg().Path()+"."+name) {
			return ""
		}
	case *types.Func:
		if call := registry(obj.Pkg().Path(), name); call != "" {
			return call
		}
		if !isFunction || !known.Is("changes", obj.Pkg().Path()+"."+name) {
			return ""
		}
		led, _ := known.Of("led", obj.Pkg().Path())
		name, pointer, _ = strings.Cut(led, " ")
	default:
		return ""
	}
	return fmt.Sprintf("%s.Variables(%q, %q, "+pointer+")", native, obj.Pkg().Name(), name, qualifier)
}
