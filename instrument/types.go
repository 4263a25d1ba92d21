package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// This file has queries of rewriters about expressions and types.

func (r *rewriting) typeOf(e ast.Expr) types.Type { return r.Info.TypeOf(e) }

// waits reports whether the evaluation of an expression has calls or receives, which may run
// other goroutines.
func (r *rewriting) waits(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			f := r.Info.Types[n.Fun]
			found = found || !f.IsType() && !f.IsBuiltin() && r.Info.Types[n].Value == nil
		}
		return !found
	})
	return found
}

func (r *rewriting) anyWaits(list []ast.Expr) bool { return slices.ContainsFunc(list, r.waits) }

// addressable reports whether an expression denotes a variable.
func (r *rewriting) addressable(e ast.Expr) bool {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		_, ok := r.Info.Uses[id].(*types.Var)
		return ok && id.Name != "_"
	}
	return r.Info.Types[e].Addressable()
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// original returns the path of the package of which path is the twin, or path itself.
func original(path string) string { return strings.TrimPrefix(path, twins) }

// twins is the prefix of the paths of twins.
const twins = "github.com/gopor/gopor/sched/std/"

func deref(t types.Type) types.Type {
	t = types.Unalias(t)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return types.Unalias(p.Elem())
	}
	return t
}

// core returns the underlying type. For a type parameter it is the underlying type that all its
// types have in common, or nil.
func core(t types.Type) types.Type {
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	var common types.Type
	for _, term := range terms(p.Constraint()) {
		u := core(term)
		if common != nil && !types.Identical(common, u) {
			return nil
		}
		common = u
	}
	return common
}

func isPointer(t types.Type) bool {
	_, ok := core(t).(*types.Pointer)
	return ok
}

func isMap(t types.Type) bool {
	_, ok := core(t).(*types.Map)
	return ok
}

// isSlice reports whether all types that t may stand for are slices of one type.
func isSlice(t types.Type) bool {
	_, ok := core(t).(*types.Slice)
	return ok
}

// empty reports whether values of a type take no memory.
func empty(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Array:
		return t.Len() == 0 || empty(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !empty(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}
