package instrument

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/gopor/gopor/instrument/edit"
)

// countsEvery is the number of iterations after which a counting loop announces its count, less
// one.
const countsEvery = "63"

// rewriteCounted makes a loop that counts its iterations announce the count now and then:
//
//	for i := 0; i < n; i++ { ... }
//	for i := 0; i < n; i++ { if i & 63 == 63 { gopor_.Counts(i) }; ... }
//
// It does the same with range loops over slices, arrays and numbers. So a thousand looks at an
// unchanged object do not count as polling: the loop ends by itself. A loop that calls nothing
// does not look, and a loop that yields in every iteration polls.
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
			r.Add(edit.After, body.Lbrace, body.Lbrace+1, edit.Literal(" if "+name+"&"+countsEvery+" == "+countsEvery+" { "+native+".Counts("+name+") };"))
		}
		return true
	})
}

// counter returns the variable that a loop counts up or down by one up to its end, or "" if
// there is none. A loop with a constant end above 10,000 does not count: it ends in another
// way.
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

// isLarge reports whether x is a constant above 10,000, more iterations than executions have.
func (r *rewriting) isLarge(x ast.Expr) bool {
	v := r.Info.Types[x].Value
	return v != nil && constant.Compare(constant.ToInt(v), token.GTR, constant.MakeInt64(10_000))
}

// rangeCounter returns the variable in which a range loop has the number of its iteration. If
// the loop cannot have one it returns "".
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

// mayLook reports whether a list of statements may look at what other goroutines change, and
// does not yield.
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
