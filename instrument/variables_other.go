package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// This file is about variables of other packages that a file changes: those of the standard
// library have nobody who tells package native of them.

// led are functions that change what can be reached from a variable, and an expression of a
// pointer to it, with %s for the name of the package and a dot.
var led = map[string]struct{ functions, name, pointer string }{
	"flag": {"Bool BoolFunc BoolVar Duration DurationVar Float64 Float64Var Func Int Int64 Int64Var IntVar Parse Set String StringVar " +
		"TextVar Uint Uint64 Uint64Var UintVar Var", "CommandLine", "&%sCommandLine"},
	"log":      {"SetFlags SetOutput SetPrefix", "Default()", "%sDefault()"},
	"net/http": {"Handle HandleFunc", "DefaultServeMux", "&%sDefaultServeMux"},
}

// leading are variables that lead to what is changed by other names than theirs.
var leading = map[string]string{
	"flag":     "CommandLine",
	"net/http": "DefaultClient DefaultServeMux DefaultTransport",
	"os":       "Args",
}

// others returns calls that tell package native of the variables of other packages that
// executions may change by what is in the file.
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

// packageName returns the name of the package that a selector selects from, with the dot, or "".
func (r *rewriting) packageName(n *ast.SelectorExpr) string {
	if x, ok := n.X.(*ast.Ident); ok {
		if _, ok := r.Info.Uses[x].(*types.PkgName); ok {
			return x.Name + "."
		}
	}
	return ""
}

// otherVariable returns a call that tells package native of a variable of another package's if that may be
// changed where obj is used, and "" if not.
func (r *rewriting) otherVariable(obj types.Object, qualifier string, isFunction bool) string {
	if obj == nil || obj.Pkg() == nil || obj.Pkg() == r.Types || obj.Parent() != obj.Pkg().Scope() {
		return ""
	}
	name, pointer := obj.Name(), "&%s"+obj.Name()
	switch obj.(type) {
	case *types.Var:
		if !r.changes()[obj] && !has(leading[obj.Pkg().Path()], name) {
			return ""
		}
	case *types.Func:
		if call := registry(obj.Pkg().Path(), name); call != "" {
			return call
		}
		l := led[obj.Pkg().Path()]
		if !isFunction || !has(l.functions, name) {
			return ""
		}
		name, pointer = l.name, l.pointer
	default:
		return ""
	}
	return fmt.Sprintf("%s.Variables(%q, %q, "+pointer+")", native, obj.Pkg().Name(), name, qualifier)
}

// has reports whether a word is in a list.
func has(list, word string) bool { return slices.Contains(strings.Fields(list), word) }
