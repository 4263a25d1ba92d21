package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

// rewritePointers replaces unsafe.Pointer(uintptr(p) + n) by unsafe.Pointer(gopor_.Add(p, 0 +
// n)), if n is not a constant. Between the two conversions p is a number, and no call may
// happen, since a stack that grows or shrinks moves the target of p. But the compiler announces
// an access of n there.
func rewritePointers(r *rewriting) {
	ast.Inspect(r.AST, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !r.converts(call, types.UnsafePointer) {
			return true
		}
		base := r.base(call.Args[0])
		if base == nil {
			return true
		}
		p := base.Args[0]
		r.Replace(base.Pos(), p.Pos(), native+".Add(")
		r.Replace(p.End(), base.End(), ", 0")
		r.Wrap(call.Args[0], "", ")")
		return true
	})
}

// converts reports whether a call is a conversion to a predeclared type.
func (r *rewriting) converts(call *ast.CallExpr, kind types.BasicKind) bool {
	fun := r.Info.Types[call.Fun]
	return fun.IsType() && len(call.Args) == 1 && types.Identical(fun.Type, types.Typ[kind])
}

// base returns the conversion of a pointer in a sum that adds something other than a constant.
// It returns nil if e is not such a sum.
func (r *rewriting) base(e ast.Expr) *ast.CallExpr {
	varies := false
	for {
		switch x := e.(type) {
		case *ast.BinaryExpr:
			if x.Op != token.ADD && x.Op != token.SUB {
				return nil
			}
			varies = varies || r.Info.Types[x.Y].Value == nil
			e = x.X
			continue
		case *ast.CallExpr:
			if varies && r.converts(x, types.Uintptr) && types.Identical(r.typeOf(x.Args[0]), types.Typ[types.UnsafePointer]) {
				return x
			}
		}
		return nil
	}
}
