package instrument

import (
	"go/ast"
	"go/token"

	"github.com/gopor/gopor/instrument/edit"
)

// rewriteChanRanges turns loops over channels into loops with three clauses, which have as many
// variables: for v := range c becomes
//
//	for gopor_c, v, gopor_ok := gopor_.Range(c); gopor_ok; v, gopor_ok = gopor_.Again(gopor_c, v)
//
// If the received value is assigned to an existing variable, that is done at the beginning of
// the body. A loop without a variable over a channel of times becomes
//
//	for gopor_c, gopor_l, gopor_ok := gopor_.Ticks(c, 17); gopor_ok;
//		gopor_ok = gopor_.Tick(gopor_c, gopor_l, 17)
//
// with the arguments of a loop that may await something, or 0 for other loops: see
// rewriteAwaits.
func rewriteChanRanges(r *rewriting) {
	ast.Inspect(r.AST, func(n ast.Node) bool {
		s, ok := n.(*ast.RangeStmt)
		if !ok || channel(r.Info.TypeOf(s.X)) == nil {
			return true
		}
		if r.ticks(s) {
			r.rewriteTicks(s)
			return true
		}
		v, from := "_", s.Range
		if s.Key != nil {
			from = s.Key.Pos()
		}
		switch id, ok := s.Key.(*ast.Ident); {
		case s.Key == nil || ok && id.Name == "_":
		case s.Tok == token.DEFINE:
			v = id.Name
		default:
			v = native + "v"
			f := r.File
			f.Add(edit.After, s.Body.Lbrace, s.Body.Lbrace+1, func() string {
				return " " + f.Text(s.Key) + " = " + v + ";"
			})
		}
		c, more := native+"c", native+"ok"
		again := native + ".Recv2(" + c + ")"
		if v != "_" {
			again = native + ".Again(" + c + ", " + v + ")"
		}
		r.Replace(from, s.X.Pos(), c+", "+v+", "+more+" := "+native+".Range("+r.Lines(from, s.X.Pos()))
		r.Add(edit.After, s.Range, s.X.End(), edit.Literal("); "+more+"; "+v+", "+more+" = "+again))
		return true
	})
}

// ticks reports whether s is a loop over a channel of times that keeps none of them.
func (r *rewriting) ticks(s *ast.RangeStmt) bool {
	if id, ok := s.Key.(*ast.Ident); s.Key != nil && (!ok || id.Name != "_") {
		return false
	}
	return r.tells(s.X)
}

func (r *rewriting) rewriteTicks(s *ast.RangeStmt) {
	from := s.Range
	if s.Key != nil {
		from = s.Key.Pos()
	}
	turn, awaits := r.awaits(s)
	if !awaits {
		turn = "0"
	}
	c, l, more := native+"c", native+"l", native+"ok"
	r.Replace(from, s.X.Pos(), c+", "+l+", "+more+" := "+native+".Ticks("+r.Lines(from, s.X.Pos()))
	r.Add(edit.After, s.Range, s.X.End(), edit.Literal(", "+turn+"); "+more+"; "+more+" = "+native+".Tick("+c+", "+l+", "+turn+")"))
}
