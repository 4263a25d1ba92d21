package instrument

import (
	"go/ast"
	"go/types"
	"strings"
)

// rewriteUnused announces an atomic Add, And or Or whose result is not used:
//
//	n.Add(1)
//	n.Add(gopor_.UnusedInt64(1))
//
// Such operations commute. The last argument is evaluated right before the call.
func rewriteUnused(r *rewriting) {
	ast.Inspect(r.AST, func(n ast.Node) bool {
		s, ok := n.(*ast.ExprStmt)
		if !ok {
			return true
		}
		call, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if !ok {
			return true
		}
		if number := r.atomicSum(call); number != "" {
			r.Wrap(call.Args[len(call.Args)-1], native+".Unused"+number+"(", ")")
		}
		return true
	})
}

// atomicSum returns the name of the number that a call adds to, or ands or ors with: Int64 for
// atomic.AddInt64 and for (*atomic.Int64).Add. It returns "" for other calls.
func (r *rewriting) atomicSum(call *ast.CallExpr) string {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	f, ok := r.Info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || original(f.Pkg().Path()) != "sync/atomic" {
		return ""
	}
	number := f.Name()
	for _, verb := range []string{"Add", "And", "Or"} {
		if rest, ok := strings.CutPrefix(number, verb); ok {
			number = rest
			break
		}
	}
	if len(call.Args) != f.Signature().Params().Len() {
		return "" // they are the results of one call
	}
	if recv := f.Signature().Recv(); recv != nil && number == "" {
		if p, ok := recv.Type().(*types.Pointer); ok {
			if t, ok := p.Elem().(*types.Named); ok {
				number = t.Obj().Name()
			}
		}
	}
	switch number {
	case "Int32", "Int64", "Uint32", "Uint64", "Uintptr":
		return number
	}
	return ""
}
