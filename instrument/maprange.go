package instrument

import (
	"go/ast"
	"go/types"
)

// rewriteMapRanges puts a loop around each loop over a map. Package native says
// what it does.
//
//	for gopor_r := gopor_.Over(m); gopor_r.Next(); { for k, v := range gopor_r.Map() { ... } }
//
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
		walk := native + "r"
		r.Before(s, func() string {
			m := at.moving(s.For)
			m.say("%sfor %s := %s.Over(", outer, walk, native)
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
