package instrument

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// countsEvery is after how many turns a loop that counts them says so.
const countsEvery = "63"

// rewriteCounted lets a loop that counts its turns say that it does, now and then:
//
//	for i := 0; i < n; i++ { ... }
//	for i := 0; i < n; i++ { if i & 63 == 63 { gopor_.Counts(i) }; ... }
//
// and so it is with range loops over slices, arrays and numbers. A thousand looks at something that stays the same
// are no polling then: the loop ends of itself. One that calls nothing does not look, and who yields in every turn polls.
func rewriteCounted(r *rewriting) {
	ast.Inspect(r.AST, func(n ast.Node) bool {
		var body *ast.BlockStmt
		name := ""
		switch s := n.(type) {
		case *ast.ForStmt:
			if body = s.Body; r.mayLook(body) {
				name = r.counter(s)
			}
		case *ast.RangeStmt:
			if body = s.Body; r.mayLook(body) {
				name = r.rangeCounter(s)
			}
		}
		if name != "" {
			r.add(after, body.Lbrace, body.Lbrace+1, literal(" if "+name+"&"+countsEvery+" == "+countsEvery+" { "+native+".Counts("+name+") };"))
		}
		return true
	})
}

// counter returns the variable that a loop counts up or down by one up to where it ends, "" if there is none. Nobody waits for
// the end of one that goes on to a million: it has another one.
func (r *rewriting) counter(s *ast.ForStmt) string {
	post, counts := s.Post.(*ast.IncDecStmt)
	if !counts || s.Cond == nil {
		return ""
	}
	id, named := post.X.(*ast.Ident)
	if !named || !isInteger(r.Info.TypeOf(id)) {
		return ""
	}
	compared := false
	ast.Inspect(s.Cond, func(n ast.Node) bool {
		c, ok := n.(*ast.BinaryExpr)
		if ok && (c.Op == token.LSS || c.Op == token.LEQ || c.Op == token.GTR || c.Op == token.GEQ || c.Op == token.NEQ) && (r.is(c.X, id) || r.is(c.Y, id)) {
			compared = !r.isLarge(c.X) && !r.isLarge(c.Y)
		}
		return !compared
	})
	if !compared {
		return ""
	}
	return id.Name
}

// is reports whether x is the variable that id names.
func (r *rewriting) is(x ast.Expr, id *ast.Ident) bool {
	other, ok := ast.Unparen(x).(*ast.Ident)
	return ok && r.Info.ObjectOf(other) != nil && r.Info.ObjectOf(other) == r.Info.ObjectOf(id)
}

// isLarge reports whether x is a constant of more turns than executions have.
func (r *rewriting) isLarge(x ast.Expr) bool {
	v := r.Info.Types[x].Value
	return v != nil && constant.Compare(constant.ToInt(v), token.GTR, constant.MakeInt64(10_000))
}

// rangeCounter returns the variable in which a range loop has the number of its turn, "" if it has none and can have none.
func (r *rewriting) rangeCounter(s *ast.RangeStmt) string {
	switch t := core(r.Info.TypeOf(s.X)).(type) {
	case *types.Slice, *types.Array:
	case *types.Pointer:
		if _, ok := core(t.Elem()).(*types.Array); !ok {
			return ""
		}
	case *types.Basic:
		if t.Info()&types.IsInteger == 0 || r.isLarge(s.X) {
			return ""
		}
	default:
		return ""
	}
	const own = native + "n"
	id, named := s.Key.(*ast.Ident)
	switch {
	case s.Key == nil:
		r.Replace(s.Range, s.Range, own+" := ")
		return own
	case !named || !isInteger(r.Info.TypeOf(id)) && id.Name != "_":
		return ""
	case id.Name != "_":
		return id.Name
	case s.Tok == token.DEFINE:
		r.Replace(id.Pos(), id.End(), own)
		return own
	}
	return ""
}

// mayLook reports whether a list of statements may look at what others change, and does not yield.
func (r *rewriting) mayLook(body *ast.BlockStmt) bool {
	looks, yields := false, false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectStmt, *ast.SendStmt:
			looks = true
		case *ast.UnaryExpr:
			looks = looks || n.Op == token.ARROW
		case *ast.CallExpr:
			if r.Info.Types[n.Fun].IsType() || r.builtin(n) != "" {
				break
			}
			pkg, name, _ := (&awaitLoop{rewriting: r}).called(n)
			looks, yields = true, yields || pkg == "runtime" && name == "Gosched"
		}
		return true
	})
	return looks && !yields
}

func isInteger(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := core(t).(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}
