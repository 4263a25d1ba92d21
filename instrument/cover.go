package instrument

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// atomics is the name by which command cover imports package sync/atomic, with
// -covermode=atomic.
const atomics = "_cover_atomic_"

// uncount removes the counters of command cover from the syntax of a file. They do not belong
// to the program: without them a polling loop is still recognised, and so is a loop over a map
// that does not depend on the order. The text keeps them, but calls functions of package access
// in place of sync/atomic. The latter would be operations of the program.
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

// counter reports whether a statement sets one of command cover's variables. If it calls a
// function of sync/atomic for that, pkg is its name of the package.
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

// isCounter reports whether a variable is a counter of command cover.
func isCounter(name string) bool {
	return strings.HasPrefix(name, "goCover_") || strings.HasPrefix(name, "_cover_")
}
