package instrument

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// atomics is what command cover calls package sync/atomic, where it counts with -covermode=atomic.
const atomics = "_cover_atomic_"

// uncount takes out of the syntax of a file what command cover has put there to count what is executed. The counters are
// none of the program's: without them a loop that polls is still known as one, and one over a map as one whose order does
// not matter. In the text they stay, with functions of package access in place of those of sync/atomic, which
// would be operations of the program.
func (f *File) uncount() {
	counts := func(s ast.Stmt) bool {
		at, is := counter(s)
		if is && at != nil {
			f.Replace(at.Pos(), at.End(), access)
		}
		return is
	}
	ast.Inspect(f.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			n.List = slices.DeleteFunc(n.List, counts)
		case *ast.CaseClause:
			n.Body = slices.DeleteFunc(n.Body, counts)
		case *ast.CommClause:
			n.Body = slices.DeleteFunc(n.Body, counts)
		}
		return true
	})
}

// counter reports whether a statement sets one of command cover's variables. If it calls a function of sync/atomic for
// that, package is what it calls that.
func counter(s ast.Stmt) (pkg *ast.Ident, is bool) {
	var x ast.Expr
	switch s := s.(type) {
	case *ast.IncDecStmt:
		x = s.X
	case *ast.AssignStmt:
		if s.Tok != token.ASSIGN || len(s.Lhs) != 1 {
			return nil, false
		}
		x = s.Lhs[0]
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return nil, false
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return nil, false
		}
		pkg, ok = fun.X.(*ast.Ident)
		return pkg, ok && pkg.Name == atomics
	}
	at, ok := x.(*ast.IndexExpr)
	if !ok {
		return nil, false
	}
	of, ok := at.X.(*ast.Ident)
	return nil, ok && isCounter(of.Name)
}

// isCounter reports whether a variable is one that command cover adds.
func isCounter(name string) bool {
	return strings.HasPrefix(name, "goCover_") || strings.HasPrefix(name, "_cover_")
}
