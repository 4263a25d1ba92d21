package instrument

import (
	"go/ast"
	"go/types"
	"strings"
)

// twinOfTesting is the twin of package testing.
const twinOfTesting = "github.com/gopor/gopor/por/testing"

// rewriteTests makes tests usable that a program constructs, to see the effect of other code on
// them. The twin of package testing has no useful zero value of T; the original has.
//
//	new(testing.T)     becomes   testing.Gopor__New()
//	&testing.T{}       becomes   testing.Gopor__New()
//	testing.T{}        becomes   *testing.Gopor__New()
//	var t testing.T    becomes   var t testing.T = *testing.Gopor__New()
func rewriteTests(r *rewriting) {
	addressed := make(map[ast.Expr]bool)
	ast.Inspect(r.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if r.builtin(n) == "new" && r.isTest(n.Args[0]) {
				r.Replace(n.Pos(), n.End(), r.newTest(n.Args[0]))
			}
		case *ast.UnaryExpr:
			if lit, ok := n.X.(*ast.CompositeLit); ok && r.isTest(lit.Type) {
				addressed[lit] = true
				r.Replace(n.Pos(), n.End(), r.newTest(lit.Type))
			}
		case *ast.CompositeLit:
			if r.isTest(n.Type) && !addressed[n] {
				r.Replace(n.Pos(), n.End(), "*"+r.newTest(n.Type))
			}
		case *ast.ValueSpec:
			if n.Values == nil && r.isTest(n.Type) {
				values := strings.Repeat(", *"+r.newTest(n.Type), len(n.Names))
				r.Wrap(n.Type, "", " = "+values[len(", "):])
			}
		}
		return true
	})
}

// isTest reports whether an expression is the type T of the twin of package testing.
func (r *rewriting) isTest(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "T" {
		return false
	}
	t, ok := r.Info.Uses[sel.Sel].(*types.TypeName)
	return ok && t.Pkg() != nil && t.Pkg().Path() == twinOfTesting
}

// newTest returns an expression that makes a test. The file names its type t.
func (r *rewriting) newTest(t ast.Expr) string {
	return string(r.Src[r.Offset(t.Pos()):r.Offset(t.End())-1]) + "Gopor__New()"
}
