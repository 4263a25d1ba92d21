package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
)

// rewriteMapRanges puts a loop around each loop over a map. Package native says
// what it does.
//
//	for gopor_r := gopor_.Over(m); gopor_r.Next(); { for k, v := range gopor_r.Map() { ... } }
//
// Before Go 1.22 a loop has one pair of variables:
//
//	for gopor_r, k, v := gopor_.OverAll(m); gopor_r.Next(); { for k, v = range gopor_r.Map() { ... } }
//
// Where others may use the map, the functions are OverShared and OverAllShared.
// Iterators of package maps are left to themselves.
func rewriteMapRanges(r *rewriting) {
	l := r.labels()
	ast.Inspect(r.AST, func(n ast.Node) bool {
		s, ok := n.(*ast.RangeStmt)
		if !ok || !ranged[*types.Map](r, s) {
			return true
		}
		outer, inner := l.loops(s)
		at := *r
		walk, over := native+"r", "("
		if r.shares().pointee(s.X) {
			over = "Shared("
		}
		init := walk + " := " + native + ".Over" + over
		if s.Tok == token.DEFINE && r.oneVariable() {
			init = walk + ", " + blankOr(s.Key) + ", " + blankOr(s.Value) + " := " + native + ".OverAll" + over
			r.Replace(s.TokPos, s.TokPos+2, "=")
		}
		r.Before(s, func() string {
			m := at.moving(s.For)
			m.say("%sfor %s", outer, init)
			m.put(s.X)
			m.say("); %s.Next(); { ", walk)
			m.at(s.For)
			m.say("%s", inner)
			return m.String()
		})
		r.Replace(s.X.Pos(), s.X.End(), r.lines(s.X.Pos(), s.X.End())+walk+".Map()")
		r.After(s, literal(" }"))
		return true
	})
}

// oneVariable reports whether loops of the file have one variable each, not one
// for every iteration.
func (r *rewriting) oneVariable() bool {
	v := r.Info.FileVersions[r.AST]
	return v != "" && version.Compare(v, "go1.22") < 0
}

// blankOr returns the name of a loop's variable.
func blankOr(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return "_"
}

// ranged reports whether s is a loop over something whose type is of kind T, or
// all types of it are if it is a type parameter.
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
