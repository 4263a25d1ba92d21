package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/instrument/edit"
	"github.com/gopor/gopor/instrument/label"
)

// rewriteMapRanges puts a loop around each loop over a map. Package native determines the
// order.
//
//	for gopor_r := gopor_.Over(m); gopor_r.Next(); { for k, v := range gopor_r.Map() { ... } }
//
// Before Go 1.22 a loop has one pair of variables:
//
//	for gopor_r, k, v := gopor_.OverAll(m); gopor_r.Next(); {
//		for k, v = range gopor_r.Map() { ... } }
//
// Iterators of package maps are not rewritten, nor are most loops of the standard library: see
// maporder.go. The order that is drawn there goes by the hashes of the keys, and those of pointers
// differ from execution to execution. So a loop over connections of package net/http is rewritten.
func rewriteMapRanges(r *rewriting) {
	standard := build.IsControlled(r.Types.Path())
	l := label.Find(&r.File.File, r.Info, native+"L")
	ast.Inspect(r.AST, func(n ast.Node) bool {
		s, ok := n.(*ast.RangeStmt)
		if !ok || !ranged[*types.Map](r, s) || standard && !byAddress(r.Info.TypeOf(s.X)) {
			return true
		}
		outer, inner := l.Loop(s)
		at := *r
		walk, alike := native+"r", ""
		if r.commutes(s) {
			alike = ".Alike()"
		}
		init := walk + " := " + native + ".Over("
		if s.Tok == token.DEFINE && r.oneVariable() {
			init = walk + ", " + blankOr(s.Key) + ", " + blankOr(s.Value) + " := " + native + ".OverAll("
			r.Replace(s.TokPos, s.TokPos+2, "=")
			alike = "" // Over and OverAll have several results
		}
		r.Before(s, func() string {
			m := at.moving(s.For)
			m.say("%sfor %s", outer, init)
			m.put(s.X)
			m.say(")%s; %s.Next(); { ", alike, walk)
			m.at(s.For)
			m.say("%s", inner)
			return m.String()
		})
		r.Replace(s.X.Pos(), s.X.End(), r.Lines(s.X.Pos(), s.X.End())+walk+".Map()")
		r.After(s, edit.Literal(" }"))
		return true
	})
}

// byAddress reports whether keys of a map of type t are hashed by addresses.
func byAddress(t types.Type) bool {
	has := false
	var look func(t types.Type)
	look = func(t types.Type) {
		switch t := t.Underlying().(type) {
		case *types.Pointer, *types.Chan, *types.Interface:
			has = true
		case *types.Basic:
			has = has || t.Kind() == types.UnsafePointer
		case *types.Array:
			look(t.Elem())
		case *types.Struct:
			for f := range t.Fields() {
				look(f.Type())
			}
		}
	}
	if m, ok := t.Underlying().(*types.Map); ok {
		look(m.Key())
	}
	return has
}

// commutes reports whether a loop over a map does the same in every order of its keys: its
// iterations count, sum up, or change the entry of their own key. A loop without variables may
// also end with the first iteration, since all iterations are the same.
func (r *rewriting) commutes(s *ast.RangeStmt) bool {
	alike := (s.Key == nil || isBlank(s.Key)) && (s.Value == nil || isBlank(s.Value))
	if !alike && s.Tok != token.DEFINE {
		return false
	}
	return !slices.ContainsFunc(s.Body.List, func(stmt ast.Stmt) bool {
		switch stmt := stmt.(type) {
		case *ast.BranchStmt:
			return !alike || stmt.Tok == token.GOTO
		case *ast.ReturnStmt:
			return !alike || r.anyVaries(stmt.Results)
		}
		return !r.commuting(s, stmt)
	})
}

// anyVaries reports whether an expression of a list is not a constant.
func (r *rewriting) anyVaries(list []ast.Expr) bool {
	return slices.ContainsFunc(list, func(e ast.Expr) bool { return r.Info.Types[e].Value == nil && !r.Info.Types[e].IsNil() })
}

// commuting reports whether a statement of a loop changes only a number that it adds to, or the
// entry of a map with the key of the loop.
func (r *rewriting) commuting(s *ast.RangeStmt, stmt ast.Stmt) bool {
	key, value := r.loopVar(s.Key), r.loopVar(s.Value)
	is := func(e ast.Expr, v types.Object) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && v != nil && r.Info.Uses[id] == v
	}
	number := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok || is(e, key) || is(e, value) {
			return false
		}
		b, ok := r.Info.TypeOf(id).Underlying().(*types.Basic)
		return ok && b.Info()&types.IsInteger != 0
	}
	constant := func(e ast.Expr) bool {
		lit, ok := e.(*ast.CompositeLit)
		return r.Info.Types[e].Value != nil || is(e, key) || is(e, value) || ok && len(lit.Elts) == 0 && empty(r.Info.TypeOf(e))
	}
	entry := func(e ast.Expr) bool {
		x, ok := ast.Unparen(e).(*ast.IndexExpr)
		if !ok || !isMap(r.Info.TypeOf(x.X)) || !is(x.Index, key) {
			return false
		}
		_, named := x.X.(*ast.Ident)
		return named && !is(x.X, value)
	}
	switch stmt := stmt.(type) {
	case *ast.IncDecStmt:
		return number(stmt.X)
	case *ast.AssignStmt:
		if len(stmt.Lhs) != 1 {
			return false
		}
		l, v := stmt.Lhs[0], stmt.Rhs[0]
		switch stmt.Tok {
		case token.ADD_ASSIGN, token.SUB_ASSIGN, token.OR_ASSIGN, token.AND_ASSIGN, token.XOR_ASSIGN, token.MUL_ASSIGN:
			return number(l) && constant(v) && r.oneOperation(s, stmt)
		case token.ASSIGN:
			return entry(l) && constant(v)
		}
	case *ast.ExprStmt:
		call, ok := stmt.X.(*ast.CallExpr)
		if !ok || r.builtin(call) != "delete" || !is(call.Args[1], key) {
			return false
		}
		_, named := call.Args[0].(*ast.Ident)
		return named
	}
	return false
}

// oneOperation reports whether a statement is the only one of its loop: sums and products of
// one variable would not commute.
func (r *rewriting) oneOperation(s *ast.RangeStmt, stmt ast.Stmt) bool {
	return len(s.Body.List) == 1 && s.Body.List[0] == stmt
}

// loopVar returns the variable that a loop declares as e.
func (r *rewriting) loopVar(e ast.Expr) types.Object {
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil
	}
	return r.Info.Defs[id]
}

// oneVariable reports whether loops of the file have one variable each, and not one for every
// iteration.
func (r *rewriting) oneVariable() bool {
	v := r.Info.FileVersions[r.AST]
	return v != "" && version.Compare(v, "go1.22") < 0
}

// blankOr returns the name of a loop variable, or the blank identifier.
func blankOr(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return "_"
}

// ranged reports whether s is a loop over a value with a type of kind T. For a type parameter,
// all its types must be of that kind.
func ranged[T types.Type](r *rewriting, s *ast.RangeStmt) bool {
	t := r.Info.TypeOf(s.X)
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		list := terms(p.Constraint())
		for _, t := range list {
			if _, ok := t.Underlying().(T); !ok {
				return false
			}
		}
		return len(list) > 0
	}
	_, ok := t.Underlying().(T)
	return ok
}
